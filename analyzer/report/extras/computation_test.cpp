// SPDX-License-Identifier: BSD-3-Clause
// The profile of the computation is read as it was written, and odd values are none.
#include "analyzer/report/extras/computation.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/report/full_extras.hpp"

using namespace latecomer;
using namespace latecomer::report;
using nlohmann::json;

namespace {

std::string text_of(const Computation& computation) {
  JsonWriter out;
  write(out, computation);
  return out.take();
}

}  // namespace

TEST_CASE("a profile of computation is read again") {
  const auto extras = test::full_extras();
  REQUIRE(extras.results);
  REQUIRE(extras.results->computation);
  const auto text = text_of(*extras.results->computation);
  CHECK(text == json::parse(text).dump(1));
  const auto read = computation_from_json(json::parse(text));
  REQUIRE(read);
  CHECK(text_of(*read) == text);
  CHECK(read->functions.at(0).locations == std::vector<double>{0.4, 0.2});
  CHECK(read->lines.at(0).line == 88);
}

TEST_CASE("a profile without errors, of an earlier release") {
  // 4 s of 16 samples of one weight: 4 / sqrt(16).
  const json relax = {{"self", 4.0}, {"samples", 16U}};
  const auto read = computation_from_json({{"functions", json::array({relax})}});
  REQUIRE(read);
  CHECK(read->functions.at(0).error == 1);
  CHECK(read->functions.at(0).inclusive_error == 0);
}

TEST_CASE("longer computation is read again") {
  const auto all = test::full_extras().results->longer_computation;
  REQUIRE(all.size() == 1);
  const auto text = [](const LongerComputation& one) {
    JsonWriter out;
    write(out, one);
    return out.take();
  };
  CHECK(text(all[0]) == json::parse(text(all[0])).dump(1));
  const auto read = longer_computation_from_json(json::array({json::parse(text(all[0])), 7}));
  REQUIRE(read.size() == 2);
  CHECK(text(read[0]) == text(all[0]));
  CHECK(read[1].lines.empty());
  CHECK(longer_computation_from_json("x").empty());
}

TEST_CASE("odd profiles of computation") {
  CHECK_FALSE(computation_from_json(nullptr));
  CHECK_FALSE(computation_from_json(json::array()));
  const auto read = computation_from_json({{"functions", {1, {{"name", 2}, {"samples", -1}}}},
                                           {"lines", {{{"line", 1ULL << 40}, {"call_path", "x"}}}},
                                           {"periods", {"x", 0.5}},
                                           {"samples", "many"}});
  REQUIRE(read);
  CHECK(read->samples == 0);
  CHECK(read->periods == std::vector<double>{0, 0.5});
  REQUIRE(read->functions.size() == 2);
  CHECK(read->functions[1].name.empty());
  CHECK(read->functions[1].samples == 0);
  REQUIRE(read->lines.size() == 1);
  CHECK(read->lines[0].line == 0);
}
