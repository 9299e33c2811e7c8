// SPDX-License-Identifier: BSD-3-Clause
// Text that is written piece by piece equals the text of a tree of values.
#include "analyzer/report/extras/json_writer.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <vector>

using latecomer::report::JsonWriter;
using nlohmann::json;

namespace {

std::string text_of(const auto& value) {
  JsonWriter out;
  out.value(value);
  return out.take();
}

std::string text_of_tree(const json& value) {
  return value.dump(1, ' ', false, json::error_handler_t::replace);
}

}  // namespace

TEST_CASE("JSON as text: the same bytes as of a tree") {
  const json tree = {{"a", json::array()},
                     {"b", {1, -2, 1.5e-8, "word"}},
                     {"c", json::object()},
                     {"d", {json::array({7}), {{"e", 3.0}}}}};
  JsonWriter out;
  {
    const auto whole = out.object();
    out.member("a", std::vector<int>());
    {
      const auto b = out.array("b");
      out.value(1);
      out.value(-2);
      out.value(1.5e-8);
      out.value("word");
    }
    { const auto c = out.object("c"); }
    const auto d = out.array("d");
    out.row(7);
    const auto last = out.object();
    out.member("e", 3.0);
  }
  CHECK(out.take() == tree.dump(1));
}

TEST_CASE("JSON as text: numbers and words") {
  for (const double number : {0.0, -0.0, 1.0, 0.1, 1e-9, 123456789.125, 1e300, 5e-324}) {
    CHECK(text_of(number) == text_of_tree(number));
  }
  CHECK(text_of(std::numeric_limits<double>::infinity()) == "null");
  CHECK(text_of(UINT64_MAX) == "18446744073709551615");
  CHECK(text_of(INT64_MIN) == "-9223372036854775808");
  CHECK(text_of(true) == "true");
  CHECK(text_of(nullptr) == "null");
  CHECK(text_of(std::optional<int>()) == "null");
  CHECK(text_of(std::optional(2.5)) == "2.5");
}

TEST_CASE("JSON as text: characters with and without escapes") {
  for (const char* text : {"", "plain", "quote \" and \\", "tab\t, line end\n, bell\a", "\x7f",
                           "\xc3\xa4", "cut \xe2\x82", "\xff"}) {
    CHECK(text_of(text) == text_of_tree(text));
    JsonWriter out;
    {
      const auto whole = out.object();
      out.member(text, 1);
    }
    CHECK(out.take() == text_of_tree({{text, 1}}));
  }
}
