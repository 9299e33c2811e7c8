// SPDX-License-Identifier: BSD-3-Clause
// One-sided communication: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

TEST_CASE("wait at create, free, fence: where nobody leaves before the last one comes") {
  // begin 3 9 4, end 10 11 10: the earliest end is 10, after 9: waits 6 0 5. Then begin 13 19 14,
  // end 15 20 20: rank 0 left at 15, before 19: no process waited.
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
  // rank 1) and 12 (by rank 2): early 12 - 6 = 6 of 14. Rank 0 accesses rank 2 until 4, before rank
  // 2's own fence. Rank 1's access to itself does not count, nor does the third epoch.
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
  // Each fence needs the partners of the epochs before and after it. Epoch 1: 0 with 2 and 1, 1
  // with 0, 2 with 0; epoch 2: 0 with 1. Unneeded of 3 processes: first fence 3 - 2, 3 - 1, 3 - 1;
  // second the same; third 3 - 1, 3 - 1, 3.
  CHECK(report.metric("mpi_rma_pairsync_count").total() == 27);
  CHECK(report.metric("mpi_rma_pairsync_unneeded_count").at(rank(0)) == 1 + 1 + 2);
  CHECK(report.metric("mpi_rma_pairsync_unneeded_count").at(rank(1)) == 2 + 2 + 2);
  CHECK(report.metric("mpi_rma_pairsync_unneeded_count").at(rank(2)) == 2 + 2 + 3);
  CHECK(report.metric("syncs_rma_active").total() == 9);
  CHECK(report.metric("syncs").total() == 9);
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

TEST_CASE("late post: in the call that was going on when the last target posted") {
  // Rank 0 starts an epoch with ranks 1 and 2, which post from 2 and `post` on.
  struct Expected {
    double post;
    const char* metric;
    const char* where;
    Ticks wait;
  };
  // start 1..3, put 4..6, complete 7..10
  for (const auto& [post, metric, where, wait] :
       {Expected{2.5, "mpi_rma_sync_late_post", "MPI_Win_start", 1'500'000'000},
        {5, "mpi_rma_comm_late_post", "MPI_Put", 1_s},
        {9, "mpi_rma_sync_late_post", "MPI_Win_complete", 2_s},
        {0.5, "mpi_rma_sync_late_post", "MPI_Win_start", 0}}) {
    auto t = TraceBuilder(3).metahost(1, "A", {0, 1}).metahost(2, "B", {2});
    const auto w = t.window();
    const auto targets = t.group({2, 1}), origin = t.group({0});
    t.epoch(0, "MPI_Win_start", w, targets, at(1), leave(3));
    t.transfer(0, "MPI_Put", w, at(4), leave(6), to(2));
    t.epoch(0, "MPI_Win_complete", w, targets, at(7), leave(10));
    t.epoch(1, "MPI_Win_post", w, origin, at(0.2), leave(0.3));
    t.epoch(1, "MPI_Win_wait", w, origin, at(10), leave(11));
    t.epoch(2, "MPI_Win_post", w, origin, at(post), leave(post));
    t.epoch(2, "MPI_Win_wait", w, origin, at(10), leave(11));
    const auto report = analyze(t);
    INFO(where << " " << post);
    CHECK(report.metric(metric).at(rank(0), path(where)) == wait);
    CHECK(report.metric("mpi_rma_sync_late_post").total() +
              report.metric("mpi_rma_comm_late_post").total() ==
          wait);
    CHECK(report.metric("mpi_rma_early_wait").total() == 0);
    if (wait == 0) continue;
    CHECK(report.metric("grid" + std::string(metric).substr(3)).total() == wait);
    CHECK(report.metric("mpi_rma_pairsync_count").at(rank(0)) == 4);
    // Rank 0 accesses one of its two targets; no process accesses rank 1.
    CHECK(report.metric("mpi_rma_pairsync_unneeded_count").at(rank(0)) == 1 + 1);
    CHECK(report.metric("mpi_rma_pairsync_unneeded_count").at(rank(1)) == 1 + 1);
    CHECK(report.metric("mpi_rma_pairsync_unneeded_count").at(rank(2)) == 0);
    CHECK(analyze(t, compatible()).metric(metric).total() == 0);
  }
}

TEST_CASE("early wait: until the last origin completes; late complete: behind the last transfer") {
  // Ranks 1 and 2 access rank 0: puts until 5 and 6, completes begin at 6.5 and 9. Rank 0 waits
  // 3..10: 9 - 3 = 6, of which 9 - 6 = 3 after the last transfer. A second epoch with rank 1 only,
  // completed at 12, is waited for 11..13: 1, all of it late, as nothing is transferred.
  TraceBuilder t(3);
  const auto w = t.window();
  const auto both = t.group({1, 2}), one = t.group({1}), target = t.group({0});
  t.epoch(0, "MPI_Win_post", w, both, at(0)).epoch(0, "MPI_Win_wait", w, both, at(3), leave(10));
  t.epoch(0, "MPI_Win_post", w, one, at(10.5)).epoch(0, "MPI_Win_wait", w, one, at(11), leave(13));
  t.epoch(1, "MPI_Win_start", w, target, at(1)).transfer(1, "MPI_Put", w, at(2), leave(5), to(0));
  t.epoch(1, "MPI_Win_complete", w, target, at(6.5));
  t.epoch(1, "MPI_Win_start", w, target, at(11)).epoch(1, "MPI_Win_complete", w, target, at(12));
  t.epoch(2, "MPI_Win_start", w, target, at(1)).transfer(2, "MPI_Put", w, at(2), leave(6), to(0));
  t.transfer(2, "MPI_Put", w, at(6), leave(8), to(1));  // to another target
  t.epoch(2, "MPI_Win_complete", w, target, at(9));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_early_wait").at(rank(0), path("MPI_Win_wait")) == 7_s);
  CHECK(report.metric("mpi_rma_late_complete").at(rank(0)) == 4_s);
  CHECK(report.metric("mpi_rma_early_wait").total() == 7_s);
  CHECK(report.metric("mpi_rma_sync_late_post").total() == 0);
  const auto& worst = report.extras()["statistics"]["mpi_rma_early_wait"]["worst"][0];
  CHECK(worst["seconds"] == 6);
  CHECK(worst["cause_rank"] == 2);
}

TEST_CASE("epochs: a test does not wait, and what has no partner is left out") {
  TraceBuilder t(2);
  const auto w = t.window();
  const auto target = t.group({0}), origin = t.group({1});
  t.epoch(0, "MPI_Win_post", w, origin, at(0)).epoch(0, "MPI_Win_test", w, origin, at(1), leave(5));
  t.epoch(0, "MPI_Win_post", w, origin, at(6)).epoch(0, "MPI_Win_wait", w, origin, at(7), leave(9));
  t.epoch(1, "MPI_Win_start", w, target, at(1)).epoch(1, "MPI_Win_complete", w, target, at(4));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_early_wait").total() == 0);
}

TEST_CASE("early wait bounds the clocks: nobody leaves before the origin completes") {
  TraceBuilder t(2);
  t.node("a", {0}).node("b", {1});
  const auto w = t.window();
  const auto target = t.group({0}), origin = t.group({1});
  t.epoch(0, "MPI_Win_post", w, origin, at(0)).epoch(0, "MPI_Win_wait", w, origin, at(1), leave(3));
  t.epoch(1, "MPI_Win_start", w, target, at(1)).epoch(1, "MPI_Win_complete", w, target, at(4));
  const auto report = analyze(t);
  const auto& steps = report.extras()["clocks"]["steps"];
  REQUIRE(!steps.empty());
  CHECK(steps.front()["collectives"] == 1);
  CHECK(steps.back()["collectives"] == 0);
}

TEST_CASE("lock contention: until the one that has the lock begins to release it") {
  // Rank 0 has an exclusive lock of rank 2's window 1..6 (unlock 6..7). Rank 1 requests one at 2
  // and gets it in the call `where`. Locks of rank 0's own memory have nothing to do with it.
  struct Expected {
    double locked, put;  // leave of the lock, of the put; then the unlock 8.5..9
    const char* metric;
    const char* where;
    Ticks wait;
  };
  for (const auto& [locked, put, metric, where, wait] :
       {Expected{8, 8.2, "mpi_rma_sync_lock_competition", "MPI_Win_lock", 4_s},
        {3, 8, "mpi_rma_comm_lock_competition", "MPI_Put", 3_s}}) {
    auto t = TraceBuilder(3).metahost(0, "A", {0, 2}).metahost(1, "B", {1});
    const auto w = t.window();
    t.lock(0, w, at(1), leave(1.5), to(2)).unlock(0, w, at(6), leave(7), to(2));
    t.lock(1, w, at(2), leave(locked), to(2))
        .transfer(1, "MPI_Put", w, at(locked), leave(put), to(2));
    t.unlock(1, w, at(8.5), leave(9), to(2));
    t.lock(2, w, at(1), leave(8), to(0)).unlock(2, w, at(8), leave(9), to(0));
    const auto report = analyze(t);
    INFO(where);
    CHECK(report.metric(metric).at(rank(1), path(where)) == wait);
    CHECK(report.metric("mpi_rma_sync_lock_competition").total() +
              report.metric("mpi_rma_comm_lock_competition").total() ==
          wait);
    CHECK(report.metric("metahost_pairs" + std::string(metric).substr(3) + "_1_0").total() == wait);
    CHECK(analyze(t, compatible()).metric(metric).total() == 0);
  }
}

TEST_CASE("lock contention: shared locks exclude exclusive ones only") {
  // Ranks 0 and 1 share rank 2's lock, 1..5 and 2..6; rank 0 has locked all 7..9. Rank 3 requests
  // an exclusive lock at 3 and gets it after rank 1 (6 - 3 = 3), and again at 8 after rank 0 (9 - 8
  // = 1).
  TraceBuilder t(4);
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.2), to(2), shared{}).unlock(0, w, at(5), leave(5.1), to(2));
  t.lock(0, w, at(7), leave(7.1)).unlock(0, w, at(9), leave(9.1));
  t.lock(1, w, at(2), leave(5.5), to(2), shared{}).unlock(1, w, at(6), leave(6.1), to(2));
  t.lock(3, w, at(3), leave(6.2), to(2)).unlock(3, w, at(6.3), leave(6.4), to(2));
  t.lock(3, w, at(8), leave(9.2), to(2)).unlock(3, w, at(9.3), leave(9.4), to(2));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_sync_lock_competition").at(rank(3)) == 4_s);
  CHECK(report.metric("mpi_rma_sync_lock_competition").total() == 4_s);
}

TEST_CASE("lock contention: who unlocks later did not have the lock before") {
  // This MPI acquires locks late: both lock calls return at once. Rank 0 locks at 1 and unlocks
  // 5..6. Rank 1 locks at 2 and unlocks 3..9, after rank 0: it waited in its unlock call from 3 to
  // 5. Rank 0 did not wait.
  TraceBuilder t(3);
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.1), to(2)).unlock(0, w, at(5), leave(6), to(2));
  t.lock(1, w, at(2), leave(2.1), to(2)).unlock(1, w, at(3), leave(9), to(2));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_sync_lock_competition").at(rank(1), path("MPI_Win_unlock")) == 2_s);
  CHECK(report.metric("mpi_rma_sync_lock_competition").total() == 2_s);
}

TEST_CASE("lock contention: a process that is slow to leave its unlock call waited for nobody") {
  // Rank 0 unlocks 6..20. Rank 1 gets the lock after it and has released it long before 20.
  TraceBuilder t(3);
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.5), to(2)).unlock(0, w, at(6), leave(20), to(2));
  t.lock(1, w, at(2), leave(8), to(2)).unlock(1, w, at(8.5), leave(9), to(2));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_sync_lock_competition").at(rank(1), path("MPI_Win_lock")) == 4_s);
  CHECK(report.metric("mpi_rma_sync_lock_competition").total() == 4_s);
}
