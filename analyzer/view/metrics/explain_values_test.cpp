// SPDX-License-Identifier: BSD-3-Clause
// A metric in a report: how much, where, who made others wait, and why.
#include "analyzer/view/metrics/explain_values.hpp"

#include <nlohmann/json.hpp>

#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::view;
using report::kNone;

namespace {

// main(MPI_Barrier, work): rank 1 waits 3 s for rank 0, which is 3 s longer in work, 2 s of it
// without a core. 0.5 s of the costs are those of long-term delays. For 1 s rank 0 waits, too, and
// the cause is not known.
report::Report report_in(const test::TemporaryDirectory& directory) {
  auto made = test::combined({{{"time", "", "sec"},
                               {"comp", "time", "sec"},
                               {"comp_preempted", "comp", "sec"},
                               {"mpi", "time", "sec"},
                               {"mpi_barrier_wait", "mpi", "sec"},
                               {"page_faults", "", "occ"},
                               {"delay", "", "sec"},
                               {"delay_mpi", "delay", "sec"},
                               {"delay_barrier", "delay_mpi", "sec"},
                               {"delay_barrier_longterm", "delay_barrier", "sec"},
                               {"delay_unknown", "delay", "sec"}},
                              {{kNone, "heat"}, {0, "main"}, {1, "MPI_Barrier"}, {1, "work"}},
                              2,
                              {{{"time", 2}, {0, 3}},
                               {{"mpi", 2}, {0, 3}},
                               {{"mpi_barrier_wait", 2}, {0, 3}},
                               {{"time", 3}, {6, 3}},
                               {{"comp", 3}, {6, 3}},
                               {{"comp_preempted", 3}, {2, 0}},
                               {{"page_faults", 3}, {64, 128}},
                               {{"delay", 2}, {1, 0}},
                               {{"delay_unknown", 2}, {1, 0}},
                               {{"delay", 3}, {3, 0}},
                               {{"delay_mpi", 3}, {3, 0}},
                               {{"delay_barrier", 3}, {3, 0}},
                               {{"delay_barrier_longterm", 3}, {0.5, 0}}}});
  report::Extras extras;
  extras.program = {"heat", {"200"}};
  extras.results.emplace().computation.emplace().samples = 100;
  extras.results->longer_computation = {
      {.call_path = 3,
       .location = 0,
       .delay_costs = 3,
       .not_computing = {.preempted = 2},
       .within = 3,
       .lines = {{.function = "work", .file = "/a/heat.c", .line = 88, .seconds = 1}}}};
  made.definitions.extras = std::make_shared<const report::Extras>(extras);
  return test::written(made, directory.path() / "r.cubex");
}

ExplainedValues values_of(report::Report& report, const std::string& metric) {
  const auto values = explain_values(report, {metric, metric, "", patterns::Unit::kSeconds, ""});
  REQUIRE(values);
  return *values;
}

constexpr const char* kWhy =
    "it had no core for 2.000 s of the waiting, since something else ran there; computed longer "
    "for "
    "1.000 s in work (heat.c:88)";

}  // namespace

TEST_CASE("a wait state of a report has the causes that are charged with it") {
  const test::TemporaryDirectory directory;
  auto report = report_in(directory);
  const auto wait = values_of(report, "mpi_barrier_wait");
  CHECK(wait.value == 3);
  CHECK(wait.time == 12);
  REQUIRE(wait.call_paths.size() == 1);
  CHECK(wait.call_paths[0].call_path.back() == "MPI_Barrier");
  REQUIRE(wait.ranks.size() == 1);
  CHECK(wait.ranks[0].rank == 1);
  REQUIRE(wait.causes.size() == 1);
  CHECK(wait.causes[0].seconds == 3);  // long-term costs are a part of them
  CHECK(wait.causes[0].ranks[0].rank == 0);
  CHECK(wait.causes[0].how == kWhy);
  CHECK(
      text_of(wait).find(": 3.000 s, 25.0 % of the time\n\n"
                         "  where   main > MPI_Barrier 100%\n"
                         "  ranks   1: 100%\n"
                         "  cause   main > work (rank 0) made others wait 3.000 s: it had no core "
                         "for 2.000 s of the") != std::string::npos);
  CHECK(text_of(wait).find("  next    latecomer show --metric mpi_barrier_wait --by rank ") !=
        std::string::npos);
  const auto json = json_of(wait);
  CHECK(json["causes"][0]["how"] == kWhy);
  CHECK(json["ranks"][0]["rank"] == 1);
}

TEST_CASE("delay costs and time without a core have the same causes") {
  const test::TemporaryDirectory directory;
  auto report = report_in(directory);
  for (const char* metric : {"delay", "delay_mpi", "delay_barrier", "comp_preempted"}) {
    const auto values = values_of(report, metric);
    REQUIRE(values.causes.size() == 1);
    CHECK(values.causes[0].seconds == 3);
    CHECK(values.causes[0].how == kWhy);
  }
  CHECK(values_of(report, "comp_preempted").value == 2);
}

TEST_CASE("waiting without a known cause is charged to nobody") {
  const test::TemporaryDirectory directory;
  auto report = report_in(directory);
  CHECK(values_of(report, "delay").value == 4);
  const auto unknown = values_of(report, "delay_unknown");
  CHECK(unknown.value == 1);
  REQUIRE(unknown.ranks.size() == 1);
  CHECK(unknown.causes.empty());
  CHECK(text_of(unknown).find("made others wait") == std::string::npos);
}

TEST_CASE("call paths that do not begin with the program keep their first function") {
  ExplainedValues values;
  values.program = "heat";
  values.unit = "sec";
  values.value = 2;
  values.call_paths = {{{"main", "relax"}, 2}};
  CHECK(text_of(values).find("  where   main > relax 100%\n") != std::string::npos);
  values.call_paths = {{{"heat", "main", "relax"}, 2}};
  CHECK(text_of(values).find("  where   main > relax 100%\n") != std::string::npos);
  values.call_paths = {{{"heat"}, 2}};
  CHECK(text_of(values).find("  where   heat 100%\n") != std::string::npos);
}

TEST_CASE("values of a difference may be negative") {
  ExplainedValues values;
  values.unit = "sec";
  values.value = -2;
  values.call_paths = {
      {{"main", "relax"}, -1.5}, {{"main", "norm"}, -0.5}, {{"main", "tiny"}, 0.001}};
  values.ranks = {{0, -1.5}, {1, -0.5}, {2, 0.001}};
  const auto text = text_of(values);
  CHECK(text.find("  where   main > relax 75%, main > norm 25%\n") != std::string::npos);
  CHECK(text.find("  ranks   0: 75%, 1: 25%\n") != std::string::npos);
}

TEST_CASE("a metric without causes, and one that the report lacks") {
  const test::TemporaryDirectory directory;
  auto report = report_in(directory);
  const auto faults = values_of(report, "page_faults");
  CHECK(faults.causes.empty());  // the kernel is no part of the reason
  CHECK(text_of(faults).find(": 192 times\n") != std::string::npos);
  CHECK(text_of(faults).find("% of the time") == std::string::npos);
  const auto none = values_of(report, "mpi_latesender");
  CHECK(none.value == 0);
  CHECK(text_of(none).ends_with(": nothing\n"));
}
