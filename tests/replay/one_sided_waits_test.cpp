// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: a trace of a few lines, the arithmetic, the exact number.
#include <catch2/catch.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

replay::Options compatible() {
  replay::Options options;
  options.scalasca_compatible = true;
  return options;
}

}  // namespace

TEST_CASE("wait at create, free, fence: where nobody leaves before the last one comes") {
  // begin 3 9 4, end 10 11 10: earliest end 10, behind 9: waits 6 0 5
  // Then begin 13 19 14, end 15 20 20: rank 0 left at 15, before 19: nobody waited
  for (const auto& [name, metric] : {std::pair("MPI_Win_create", "mpi_rma_wait_at_create"),
                                     std::pair("MPI_Win_allocate", "mpi_rma_wait_at_create"),
                                     std::pair("MPI_Win_free", "mpi_rma_wait_at_free"),
                                     std::pair("MPI_Win_fence", "mpi_rma_wait_at_fence")}) {
    TraceBuilder t(3);
    const auto window = t.window();
    t.window_call(name, window, {{3, 10}, {9, 11}, {4, 10}});
    t.window_call(name, window, {{13, 15}, {19, 20}, {14, 20}});
    const auto report = analyze(t);
    INFO(name);
    CHECK(report.metric(metric).at(rank(0), path(name)) == 6_s);
    CHECK(report.metric(metric).at(rank(1)) == 0);
    CHECK(report.metric(metric).at(rank(2)) == 5_s);
    CHECK(report.metric(metric).total() == 11_s);
    CHECK(report.metric("syncs_coll").total() == 0);
    CHECK_FALSE(report.partial());
    const bool fence = std::string_view(name) == "MPI_Win_fence";
    CHECK(report.metric("mpi_rma_pairsync_count").total() == (fence ? 6 * 3 : 0));
    CHECK(analyze(t, compatible()).metric(metric).total() == 0);
  }
}

TEST_CASE("fences: each window counts its own, beside other collectives of the communicator") {
  // Ranks 1 and 2: fences on two windows; begin 1 3 -> 2, begin 6 5 -> 1; a barrier in between.
  TraceBuilder t(3);
  const auto pair = t.communicator({1, 2});
  const auto a = t.window(pair), b = t.window(pair);
  t.window_call("MPI_Win_fence", a, {{1, 4}, {3, 4}});
  t.collective("MPI_Barrier", {{4, 4.5}, {4, 4.5}}, on(pair));
  t.window_call("MPI_Win_fence", b, {{6, 7}, {5, 7}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_wait_at_fence").at(rank(1)) == 2_s);
  CHECK(report.metric("mpi_rma_wait_at_fence").at(rank(2)) == 1_s);
  CHECK(report.metric("mpi_barrier_wait").total() == 0);
  CHECK_FALSE(report.partial());
}

TEST_CASE("early fence: until the last transfer of the epoch to this process has returned") {
  // Second fence: rank 0 from 6, rank 1 from 20, rank 2 from 15. Puts to rank 0 are over at 9 (by
  // rank 1) and 12 (by rank 2): early 12 - 6 = 6 of 14. Rank 2 is accessed by rank 0 until 4,
  // before its own fence. What rank 1 does to itself does not count, nor does the third epoch.
  TraceBuilder t(3);
  const auto window = t.window();
  t.window_call("MPI_Win_fence", window, {{0, 2}, {0, 2}, {0, 2}});
  t.transfer(0, "MPI_Put", window, at(3), leave(4), to(2), bytes(100));
  t.transfer(1, "MPI_Put", window, at(3), leave(9), to(0), bytes(10));
  t.transfer(1, "MPI_Get", window, at(9), leave(19), to(1), bytes(1000));
  t.transfer(2, "MPI_Accumulate", window, at(11), leave(12), to(0), bytes(1));
  t.window_call("MPI_Win_fence", window, {{6, 22}, {20, 22}, {15, 22}});
  t.transfer(1, "MPI_Put", window, at(23), leave(24), to(0));
  t.window_call("MPI_Win_fence", window, {{23, 26}, {25, 26}, {23, 26}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_wait_at_fence").at(rank(0)) == 14_s + 2_s);
  CHECK(report.metric("mpi_rma_early_fence").at(rank(0)) == 6_s + 1_s);
  CHECK(report.metric("mpi_rma_early_fence").total() == 7_s);
  CHECK(report.metric("mpi_rma_wait_at_fence").at(rank(2)) == 5_s + 2_s);
  CHECK(report.metric("bytes_put").at(rank(0)) == 100);
  CHECK(report.metric("bytes_get").at(rank(1)) == 1000);
  CHECK(report.metric("bytes_rma").total() == 100 + 10 + 1000 + 1 + 8);
  CHECK(report.metric("comms_rma_puts").total() == 3);
  CHECK(report.metric("comms_rma_gets").total() == 1);
  CHECK(report.metric("comms_rma_atomics").at(rank(2)) == 1);
  CHECK(report.metric("comms").total() == 5);
}

TEST_CASE("wait at fence: grid version and metahost pairs") {
  auto t = TraceBuilder(3).metahost(1, "A", {0}).metahost(2, "B", {1, 2});
  const auto window = t.window();
  t.window_call("MPI_Win_fence", window, {{3, 10}, {9, 11}, {4, 10}});
  const auto report = analyze(t);
  CHECK(report.metric("grid_rma_wait_at_fence").total() == 11_s);
  CHECK(report.metric("metahost_pairs_rma_wait_at_fence_1_2").total() == 6_s);
  CHECK(report.metric("metahost_pairs_rma_wait_at_fence_2_2").total() == 5_s);
  CHECK(report.metric("grid_rma_sync_active").total() == 7_s + 2_s + 6_s);
}

TEST_CASE("fences that end an epoch bound the clocks, others and those of other tracers do not") {
  // Rank 0 leaves at 5, rank 1 comes at 9.
  for (const auto& [ours, ends, violated] :
       {std::tuple(true, true, true), {true, false, false}, {false, true, false}}) {
    TraceBuilder t(2);
    t.node("a", {0}).node("b", {1});
    if (ours) t.property("LATECOMER::VERSION", "1");
    const auto window = t.window();
    if (ends) {
      t.window_call("MPI_Win_fence", window, {{3, 5}, {9, 11}});
    } else {
      t.window_call("MPI_Win_fence", window, {{3, 5}, {9, 11}}, no_epoch{});
    }
    const auto report = analyze(t);
    const auto& steps = report.extras()["clocks"]["steps"];
    INFO(ours << ends);
    CHECK(steps.empty() != violated);
    if (!violated) continue;
    CHECK(steps.front()["collectives"] == 1);
    CHECK(steps.back()["collectives"] == 0);
  }
}
