// SPDX-License-Identifier: BSD-3-Clause
// Finding and printing metrics.
#include "analyzer/view/text/explain.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace latecomer;
using namespace latecomer::view;
using patterns::Metric;
using patterns::Unit;

namespace {

const std::vector<Metric> kMetrics = {
    {"time", "Time", "", Unit::kSeconds, "All the time.", "All the time.\nIt passes.\n"},
    {"mpi", "MPI", "time", Unit::kSeconds, "Time in MPI.", "Communicate less.\n"},
    {"p2p", "Collective", "mpi", Unit::kSeconds, "x", ""},
    {"coll", "Collective", "mpi", Unit::kSeconds, "x", ""},
    {"visits", "Visits", "", Unit::kOccurrences, "Calls.", ""},
};

}  // namespace

TEST_CASE("edit distance") {
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("kitten", "sitting") == 3);
  CHECK(edit_distance("ab", "ba") == 1);
  CHECK(edit_distance("same", "same") == 0);
}

TEST_CASE("a metric is found by its name, by its display name in any case, else the nearest") {
  CHECK(find_metric(kMetrics, "mpi")->name == "mpi");
  CHECK(find_metric(kMetrics, "VISITS")->name == "visits");
  const auto unknown = find_metric(kMetrics, "vists");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.problem().what == "there is no metric vists; the nearest is visits (Visits)");
  CHECK(unknown.problem().status == Exit::kUsage);
  const auto several = find_metric(kMetrics, "collective");
  REQUIRE_FALSE(several);
  CHECK(several.problem().what == "several metrics are called Collective: p2p, coll");
  CHECK_FALSE(find_metric({}, "x"));
  CHECK_FALSE(find_metric(kMetrics, std::string(100000, 'x')));
}

TEST_CASE("place, parts and texts of a metric") {
  CHECK(explain_text(kMetrics, kMetrics[1]) ==
        "MPI\n\n"
        "  name   mpi\n"
        "  unit   seconds\n"
        "  place  Time > MPI\n"
        "  parts  Collective, Collective\n\n"
        "Time in MPI.\n\n"
        "Communicate less.\n");
  // A description that the explanation begins with is not repeated.
  CHECK(explain_text(kMetrics, kMetrics[0]).find("\n\nAll the time.\n\nIt passes.\n") !=
        std::string::npos);
  CHECK(explain_text(kMetrics, kMetrics[4]) ==
        "Visits\n\n  name   visits\n  unit   occurrences\n  place  Visits\n\nCalls.\n");
  const auto json = explain_json(kMetrics, kMetrics[1]);
  CHECK(json["place"] == nlohmann::ordered_json({"Time", "MPI"}));
  CHECK(json["children"] == nlohmann::ordered_json({"p2p", "coll"}));
}

TEST_CASE("counters of a trace are explained without a report") {
  const auto counter = counter_metric("counter_papi_tot_ins");
  REQUIRE(counter);
  CHECK(counter->display == "papi_tot_ins");
  CHECK(explain_text({}, *counter).find("What to try: compare the ranks") != std::string::npos);
  CHECK_FALSE(counter_metric("counter_"));
  CHECK_FALSE(counter_metric("page_faults"));
}

TEST_CASE("a part of a name finds the metric, or all that have it") {
  const std::vector<Metric> metrics = {
      {"mpi_latesender", "Late Sender", "", Unit::kSeconds, "x", ""},
      {"mpi_barrier_wait", "Wait at Barrier", "", Unit::kSeconds, "x", ""},
      {"mpi_wait_nxn", "Wait at N x N", "", Unit::kSeconds, "x", ""}};
  CHECK(find_metric(metrics, "barrier")->name == "mpi_barrier_wait");
  CHECK(find_metric(metrics, "Late S")->name == "mpi_latesender");
  const auto several = find_metric(metrics, "wait");
  REQUIRE_FALSE(several);
  CHECK(several.problem().what ==
        "several metrics have \"wait\" in their names: mpi_barrier_wait, mpi_wait_nxn");
  CHECK(several.problem().status == Exit::kUsage);
}
