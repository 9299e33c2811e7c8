// SPDX-License-Identifier: BSD-3-Clause
// The JSON of the statements of a report: its form, and what is read from it again.
#include "analyzer/report/extras/extras.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/report/full_extras.hpp"

using namespace latecomer;
using namespace latecomer::report;
using nlohmann::json;

TEST_CASE("statements have the form of nlohmann::json::dump(1), with keys in order") {
  for (const auto& extras : {Extras(), test::full_extras()}) {
    const auto text = text_of(extras, {"time", "mpi"});
    CHECK(text == json::parse(text).dump(1) + "\n");
  }
}

TEST_CASE("what views show of the statements is read again") {
  const auto written = test::full_extras();
  const auto read = extras_from_json(json::parse(text_of(written, {"time"})));
  CHECK(read.stored_metrics == std::vector<std::string>{"time"});
  CHECK(read.program.arguments == written.program.arguments);
  CHECK(read.run.events == written.run.events);
  CHECK(read.quality == written.quality);
  CHECK(read.endings == written.endings);
  CHECK(read.origin.inputs == written.origin.inputs);
  CHECK(read.origin.ranks == written.origin.ranks);
  REQUIRE(read.results);
  CHECK(read.results->clocks->count == 2);
  CHECK(read.results->clocks->steps.at(0).violations.all() == 13);
  CHECK(read.results->efficiency->ratios.communication == 0.75);
  CHECK(read.results->efficiency->ideal.transfer == 0.8);
  CHECK(read.results->efficiency->phases.at(0).name == "solve");
  CHECK(read.results->measurement->region_events->count == 1000);
  CHECK(read.results->measurement->fraction == 0.0025);
  CHECK(read.results->time_slices->metrics == written.results->time_slices->metrics);
}

TEST_CASE("reports of older versions and of the algebra have no results, or some of them") {
  CHECK_FALSE(extras_from_json(json{{"schema_version", 1}}).results);
  const auto some = extras_from_json(json{{"clocks", {{"count", 3U}}}, {"efficiency", nullptr}});
  REQUIRE(some.results);
  CHECK(some.results->clocks->count == 3);
  CHECK_FALSE(some.results->efficiency);
  CHECK_FALSE(some.results->measurement);
}

TEST_CASE("what a run that was only watched does not tell") {
  Extras extras;
  CHECK(extras.told("anything"));
  CHECK_FALSE(extras.only_watched());
  extras.tells = {"time", "mpi"};
  extras.waits_at_least = true;
  const auto text = text_of(extras, {});
  CHECK(text == json::parse(text).dump(1) + "\n");
  const auto read = extras_from_json(json::parse(text));
  CHECK(read.only_watched());
  CHECK(read.told("mpi"));
  CHECK_FALSE(read.told("delay"));
  CHECK(read.waits_at_least);
}

TEST_CASE("odd statements are none") {
  const auto nothing = text_of(Extras(), {});
  CHECK(text_of(extras_from_json(nullptr), {}) == nothing);
  CHECK(text_of(extras_from_json({{"run", 3},
                                  {"quality", "x"},
                                  {"partial", 1},
                                  {"program", {{"name", 7}}},
                                  {"operation", "diff"}}),
                {}) == nothing);
  const auto slices = [](const json& value) { return time_slices_from_json(value); };
  CHECK_FALSE(slices({{"count", 0U}, {"seconds", 1}, {"metrics", json::object()}}));
  CHECK_FALSE(slices({{"count", 1U}, {"seconds", "1"}, {"metrics", json::object()}}));
  CHECK_FALSE(slices({{"count", 1U}, {"seconds", 1}, {"metrics", 1}}));
  const json lists = {{"a", {{1.0}}}, {"b", {{1.0, 2.0}}}, {"c", 1}, {"d", {{"x"}}}};
  CHECK(slices({{"count", 1U}, {"seconds", 1}, {"metrics", lists}})->metrics.size() == 1);
}

TEST_CASE("call paths in statistics get other numbers") {
  const auto text = text_of(test::full_extras(), {});
  nlohmann::ordered_json all = nlohmann::ordered_json::parse(text)["statistics"];
  auto odd = all;
  const auto half = [](std::uint64_t id) -> std::optional<std::uint64_t> {
    if (id % 2 == 0) return {};
    return id / 2;
  };
  renumber_call_paths(all, half);
  const auto& worst = all["mpi_latesender"]["worst"][0];
  CHECK(worst["call_path"] == 3);
  CHECK(worst["cause_call_path"] == -1);
  CHECK(worst["timeline"]["lanes"][0]["calls"][0][2] == 3);
  odd["mpi_latesender"]["worst"][0]["timeline"]["lanes"][0]["calls"] = 5;
  odd["mpi_latesender"]["worst"].push_back("x");
  odd["other"] = 1;
  renumber_call_paths(odd, half);
  CHECK_FALSE(odd["mpi_latesender"]["worst"][0].contains("timeline"));
}
