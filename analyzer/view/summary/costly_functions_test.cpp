// SPDX-License-Identifier: BSD-3-Clause
// The functions whose recording costs most, and the filter that leaves them out.
#include "analyzer/view/summary/costly_functions.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"
#include "tracer/filter/filter.hpp"

using namespace latecomer;
using namespace latecomer::view;

namespace {

// A report of main(a(leaf, MPI_Send), leaf, b), each with its visits on two ranks and a second of
// time. An event of a region costs 20 ns: ten visits on each rank, 40 events, cost 0.8 us.
report::Combined example(double visits_of_leaf, double visits_of_b) {
  auto out = test::combined(
      {{{"visits", "", "occ"}, {"time", "", "sec"}},
       {{report::kNone, "main"}, {0, "a"}, {1, "leaf"}, {1, "MPI_Send"}, {0, "leaf"}, {0, "b"}},
       2,
       {{{"visits", 0}, {1e9, 1e9}},
        {{"visits", 1}, {10, 10}},
        {{"visits", 2}, {visits_of_leaf, 0}},
        {{"visits", 3}, {1e9, 1e9}},
        {{"visits", 4}, {0, visits_of_leaf}},
        {{"visits", 5}, {visits_of_b, visits_of_b}},
        {{"time", 2}, {1, 0}},
        {{"time", 4}, {0, 2}},
        {{"time", 5}, {0.5, 0}}}});
  for (auto& region : out.definitions.regions) {
    region.paradigm = region.name == "MPI_Send" ? "mpi" : "compiler";
  }
  // The processor time is 10 s, of which 1 s was for recording: a tenth.
  report::Extras extras;
  extras.results.emplace().measurement = report::Measurement{.events = 12345,
                                                             .seconds_per_event = 1e-8,
                                                             .seconds = 1,
                                                             .fraction = 0.1,
                                                             .processor_seconds = {},
                                                             .region_events = {{1000, 2e-5}},
                                                             .filtered_events = {},
                                                             .stacks = {},
                                                             .flushes = {},
                                                             .seconds_for_threads = {},
                                                             .unsuccessful_polls = {}};
  out.definitions.extras = std::make_shared<const report::Extras>(extras);
  return out;
}

std::string names(const Result<CostlyFunctions>& functions) {
  if (!functions) return functions.problem().what;
  std::string text;
  for (const auto& f : functions->left_out) text += f.pattern + ' ';
  return text;
}

}  // namespace

TEST_CASE("functions are left out, most costly first, until recording is cheap") {
  const test::TemporaryDirectory directory;
  const auto of = [&](double leaf, double b) {
    auto report = test::written(example(leaf, b), directory.path() / "x.cubex");
    return costly_functions(report);
  };
  // An event of a region takes 20 us / 1000 = 20 ns. Two ranks x 1e7 visits x 2 events: 0.8 s of
  // leaf, and 0.08 s of b with a tenth of the visits. 1 - 0.8 = 0.2 s is 2 % of 10 s: enough.
  const auto found = of(1e7, 1e6);
  REQUIRE(names(found) == "leaf ");
  CHECK(found->left_out[0].visits == 2e7);
  CHECK(found->left_out[0].cost == Approx(0.8));
  CHECK(found->left_out[0].own == 3);
  CHECK(found->saved() == Approx(0.8));
  CHECK(found->time == Approx(10));
  CHECK(found->events == 12345);
  // 0.6 s are left with 0.4 s for leaf, so b is left out as well. a never is, nor main, the root.
  CHECK(names(of(5e6, 1e6)) == "leaf b ");
  CHECK(names(of(1e6, 5e6)) == "b leaf ");
  // A function that costs less than 0.1 % of the time, 0.01 s, is worth its cost.
  CHECK(names(of(5e6, 1e5)) == "leaf ");
  CHECK(names(of(10, 10)).empty());
}

TEST_CASE("the filter names what is to be left out, whatever is in a name") {
  const test::TemporaryDirectory directory;
  auto example_report = example(5e6, 1e6);
  auto& regions = example_report.definitions.regions;
  const auto leaf = std::ranges::find(regions, "leaf", &report::Region::name);
  const auto b = std::ranges::find(regions, "b", &report::Region::name);
  leaf->name = "void f<int [3]>(a const&)";
  leaf->mangled = "_Z1fIA3_iEvRK1a";
  b->name = "EXCLUDE * [#] \xc3\xa4";
  auto report = test::written(example_report, directory.path() / "x.cubex");
  const auto found = costly_functions(report);
  REQUIRE(found);
  const auto text = filter_text(*found);
  INFO(text);
  const auto filter = user::Filter::parse(text, "suggested.filter");
  REQUIRE(filter);
  CHECK(filter->excludes(leaf->name, leaf->mangled, ""));
  CHECK_FALSE(filter->excludes(leaf->name, "_Z1fIA4_iEvRK1a", ""));
  CHECK(filter->excludes(b->name, b->name, ""));
  CHECK_FALSE(filter->excludes("EXCLUDE a", "", ""));
  CHECK_FALSE(filter->excludes("a", "a", ""));
  CHECK_FALSE(filter->excludes("main", "main", ""));
  CHECK(costly_functions_json(*found)["functions"].size() == 2);
}

TEST_CASE("functions that nothing but an address is known of cannot be named") {
  const test::TemporaryDirectory directory;
  auto unknown = example(5e6, 1e6);
  for (auto& region : unknown.definitions.regions) {
    if (region.name == "leaf") region.name = "libfoo.so+0x1a2b";
    if (region.name == "b") region.name = "two\\nlines";
  }
  auto report = test::written(unknown, directory.path() / "x.cubex");
  CHECK(names(costly_functions(report)).empty());
}

TEST_CASE("a report that does not tell what measuring cost has no costly functions") {
  const test::TemporaryDirectory directory;
  auto silent = example(5e6, 1e6);
  for (const auto& measurement :
       {nlohmann::json(), nlohmann::json("much"), nlohmann::json({{"seconds", "1"}}),
        nlohmann::json({{"seconds", 1}, {"fraction", 0}})}) {
    silent.definitions.extras = nullptr;
    silent.definitions.document =
        std::make_shared<const nlohmann::json>(nlohmann::json{{"measurement", measurement}});
    auto report = test::written(silent, directory.path() / "x.cubex");
    CHECK(names(costly_functions(report)).find("does not tell what measuring cost") !=
          std::string::npos);
  }
}
