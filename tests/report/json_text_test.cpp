// SPDX-License-Identifier: BSD-3-Clause
// Text that is written piece by piece equals the text of a tree of values.
#include "analyzer/report/extras/json_text.hpp"

#include <catch2/catch.hpp>

using latecomer::report::JsonText;
using nlohmann::json;

TEST_CASE("JSON as text: the same bytes as of a tree") {
  const json inner = {{"a", json::array()},
                      {"b", {1, -2, 1.5e-8, "word"}},
                      {"c", json::object()},
                      {"d", {json::array({7}), {{"e", 3.0}}}}};
  JsonText text(1);  // the value of a key of the outermost object
  text.open('{');
  text.key("a");
  text.open('[');
  text.close(']');
  text.key("b");
  text.open('[');
  text.number(1);
  text.number(-2);
  text.number(1.5e-8);
  text.word("word");
  text.close(']');
  text.key("c");
  text.open('{');
  text.close('}');
  text.key("d");
  text.open('[');
  text.open('[');
  text.number(7);
  text.close(']');
  text.open('{');
  text.key("e");
  text.number(3.0);
  text.close('}');
  text.close(']');
  text.close('}');
  CHECK("{\n \"x\": " + text.take() + "\n}" == json{{"x", inner}}.dump(1));
}
