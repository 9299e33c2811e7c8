// SPDX-License-Identifier: BSD-3-Clause
// The analyzer finds in generated traces the waits that the generator has put there, for all
// patterns, odd grids and numbers of metahosts.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/generator/write_run.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

void check(const RunOptions& options) {
  INFO(options.ranks << " ranks, pattern " << static_cast<int>(options.pattern));
  const SyntheticRun run(options);
  const Totals expected = run.totals();
  const auto report =
      analyze([&](const std::filesystem::path& directory) { write_run(run, directory); });
  CHECK_FALSE(report.partial());
  CHECK(report.metric("mpi_latesender").total() == expected.late_sender);
  CHECK(report.metric("mpi_wait_nxn").total() == expected.wait_nxn);
  CHECK(report.metric("mpi_barrier_wait").total() == expected.barrier_wait);
  CHECK(report.metric("comms_send").total() == expected.messages);
  CHECK(report.metric("comms_recv").total() == expected.messages);
  CHECK(report.metric("bytes_sent").total() == expected.bytes);
  CHECK(report.metric("bytes_rcvd").total() == expected.bytes);
  // Every rank runs from MPI_Init to the end of MPI_Finalize.
  CHECK(report.metric("time").total() ==
        (run.finalize_end() - run.begin()) * static_cast<std::int64_t>(options.ranks));
  CHECK(report.metric("visits").at(path("solver/step")) ==
        static_cast<std::int64_t>(run.steps()) * options.ranks);
}

}  // namespace

TEST_CASE("generated traces: all totals are found") {
  for (const Pattern pattern : {Pattern::kHalo, Pattern::kAllreduce, Pattern::kMixed}) {
    check({.ranks = 12, .events = 20'000, .pattern = pattern, .metahosts = 3, .seed = 7});
  }
}

TEST_CASE("generated traces: grids of one row, one column, and one rank") {
  for (const std::uint32_t ranks : {1, 2, 3, 4, 7}) {
    check({.ranks = ranks, .events = 5'000, .pattern = Pattern::kMixed, .metahosts = 1, .seed = 3});
  }
}

TEST_CASE("generated traces: as many events as asked for, within a block of steps") {
  const SyntheticRun run({.ranks = 64, .events = 1'000'000});
  std::uint64_t events = 0;
  const auto report = analyze(
      [&](const std::filesystem::path& directory) { events = write_run(run, directory).events; });
  if (events > 0) CHECK(events == Approx(1'000'000).epsilon(0.03));  // only process 0 has written
  CHECK(report.metric("mpi_wait_nxn").total() == run.totals().wait_nxn);
}

TEST_CASE("generated traces: clocks that drift evenly are put right by the measured offsets") {
  // Times are rounded to a nanosecond twice, and by the reader. Two nanoseconds are allowed for
  // each message or collective operation that may wait. A reader's correction never breaks the
  // clock condition by more than that.
  const SyntheticRun run({.ranks = 8, .events = 20'000, .ranks_per_node = 2});
  const ClockOptions clocks{
      "node1 offset=20ms drift=30ppm\nnode2 offset=-5ms drift=-20ppm\nnode3 drift=1ppm\n", 0};
  latecomer::replay::Options options;
  options.correction.latency_inside = 1e-6;  // the generator's is 2 us
  const auto report = analyze(
      [&](const std::filesystem::path& directory) { write_run(run, directory, clocks); }, options);
  const Totals expected = run.totals();
  const auto near = [](std::int64_t value, std::int64_t truth, std::int64_t operations) {
    return std::abs(value - truth) <= 2 * operations;
  };
  CHECK(near(report.metric("mpi_latesender").total(), expected.late_sender, expected.messages));
  CHECK(near(report.metric("mpi_wait_nxn").total(), expected.wait_nxn, expected.collectives));
  CHECK(report.extras()["clocks"]["steps"].empty());
}

TEST_CASE("generated traces: clocks that wander are corrected until nothing comes too early") {
  const SyntheticRun run({.ranks = 8, .events = 60'000, .ranks_per_node = 2});
  const ClockOptions clocks{
      "node1 offset=20ms drift=30ppm wander=400ppb/1ms seed=1\n"
      "node2 offset=-5ms drift=-20ppm wander=400ppb/1ms seed=2\n"
      "node3 drift=1ppm wander=400ppb/1ms seed=3\n",
      1000};
  const auto report =
      analyze([&](const std::filesystem::path& directory) { write_run(run, directory, clocks); });
  const auto& steps = report.extras()["clocks"]["steps"];
  INFO(report.extras()["clocks"].dump());
  REQUIRE(steps.size() >= 2);
  CHECK(steps.front()["messages"] > 10);
  CHECK(steps.back()["messages"] == 0);
  CHECK(steps.back()["collectives"] == 0);
}
