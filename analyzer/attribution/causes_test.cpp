// SPDX-License-Identifier: BSD-3-Clause
// Delay costs, chains of waits and the critical path. Each test is a trace of a few lines with the
// arithmetic and the exact number.
#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

// 0 works from 1 to 11 and makes 1 wait, which makes 2 wait:
//   0   init 0..1   work 1..11     send 11..12
//   1   init 0..1                  recv 2..13    send 13..14
//   2   init 0..1                  recv 2..15
TraceBuilder chain() {
  return TraceBuilder(3)
      .init({{0, 1}, {0, 1}, {0, 1}})
      .enter(0, "work", at(1))
      .leave(0, at(11))
      .send(0, at(11), leave(12), to(1))
      .recv(1, at(2), leave(13), from(0))
      .send(1, at(13), leave(14), to(2))
      .recv(2, at(2), leave(15), from(1));
}

std::int64_t wait_states(const AnalyzedTrace& report) {
  std::int64_t sum = 0;
  for (const char* name :
       {"mpi_latesender", "mpi_latereceiver", "mpi_barrier_wait", "mpi_wait_nxn",
        "mpi_latebroadcast", "mpi_earlyreduce", "mpi_late_contributor", "mpi_earlyscan",
        "mpi_late_neighbor", "mpi_rma_wait_at_fence", "mpi_finalize_wait"}) {
    sum += report.metric(name).total();
  }
  return sum;
}

}  // namespace

TEST_CASE("delay costs: one location has all waits, in several batches") {
  // Turn i begins at b = 10 (i + 1): 0 works 3 and sends, 1 receives from b + 1 on and waits 2.
  // 20,000 turns give 40,000 s. Since the turn before, 0 has 3 more of work, which costs all of the
  // wait. 2 only waits for the others at the end.
  auto t = TraceBuilder(3).init({{0, 1}, {0, 1}, {0, 1}});
  for (int i = 0; i < 20'000; ++i) {
    const double b = 10.0 * (i + 1);
    t.enter(0, "work", at(b)).leave(0, at(b + 3)).send(0, at(b + 3), leave(b + 4), to(1));
    t.recv(1, at(b + 1), leave(b + 4), from(0));
  }
  t.finalize({{200'100, 200'100}, {200'100, 200'100}, {200'100, 200'100}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(1)) == 40'000_s);
  CHECK(report.metric("delay_latesender").at(rank(0), path("work")) == 40'000_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("delay costs: a chain of waits goes back to the work at its beginning") {
  auto t = chain();
  t.finalize({{20, 20}, {20, 20}, {20, 20}});
  const auto report = analyze(t);
  // 1 waits 11 - 2 = 9. Since MPI_Init 0 did work 10, MPI_Init 1; 1 did MPI_Init 1 and 1 of its
  // own. Work is 10 longer and costs all of the 9.
  CHECK(report.metric("delay_latesender").at(rank(0), path("work")) == 9_s);
  // 2 waits 13 - 2 = 11. Since MPI_Init 1 did MPI_Init 1, program 1, MPI_Recv 13 - 2 - 9 = 2, and
  // waited 9; 2 did MPI_Init 1 and program 1. The difference 2 + 9 = 11 explains all. 9 come from
  // waiting.
  CHECK(report.metric("delay_latesender").at(rank(1), path("MPI_Recv")) == 2_s);
  CHECK(report.metric("delay_latesender").total() == 11_s);
  // The 9 of waiting are passed on to the work of 0.
  CHECK(report.metric("delay_latesender_longterm").at(rank(0), path("work")) == 9_s);
  CHECK(report.metric("delay_latesender_longterm").total() == 9_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  CHECK(report.metric("delay").total() == wait_states(report));

  CHECK(report.metric("mpi_wait_indirect_latesender").at(rank(2)) == 9_s);
  CHECK(report.metric("mpi_wait_indirect_latesender").total() == 9_s);
  CHECK(report.metric("mpi_wait_direct_latesender").at(rank(1)) == 9_s);
  CHECK(report.metric("mpi_wait_direct_latesender").at(rank(2)) == 2_s);
  CHECK(report.metric("mpi_wait_propagating_ls").at(rank(1)) == 9_s);
  CHECK(report.metric("mpi_wait_propagating_ls").total() == 9_s);
  CHECK(report.metric("mpi_wait_terminal_ls").at(rank(2)) == 11_s);
  CHECK(report.metric("waitstates_direct_vs_indirect").total() == wait_states(report));
  CHECK(report.metric("waitstates_propagating_vs_terminal").total() == wait_states(report));
}

TEST_CASE("delay costs: since a call that began while a buffer was flushed") {
  // The flush 2..6 ends after the enter of the barrier, which both leave at 8. Since then 0 did
  // work 12, and 1 did only 1 of its own: 1 waits 20 - 9 = 11, all of it for the work.
  auto t = TraceBuilder(2).init({{0, 1}, {0, 1}});
  t.flush(0, at(2), 6).collective("MPI_Barrier", {{3, 8}, {3, 8}});
  t.enter(0, "work", at(8)).leave(0, at(20));
  t.send(0, at(20), leave(21), to(1)).recv(1, at(9), leave(22), from(0));
  t.finalize({{30, 30}, {30, 30}});
  const auto report = analyze(t);
  CHECK(report.metric("delay_latesender").at(rank(0), path("work")) == 11_s);
  CHECK(report.metric("delay_latesender").total() == 11_s);
}

TEST_CASE("delay costs: what waited for something that is not in the trace is no cause") {
  // The chain from above, but no process sends what 1 receives: 1 is in MPI_Recv for 11, and 2
  // waits 13 - 2 = 11 for it. Since MPI_Init 1 did MPI_Init 1, program 1, and MPI_Recv 11, of which
  // it is unknown whether it waited. 2 did MPI_Init 1 and program 1: all 11 have no known cause.
  TraceBuilder t(3);
  t.init({{0, 1}, {0, 1}, {0, 1}})
      .recv(1, at(2), leave(13), from(0))
      .send(1, at(13), leave(14), to(2))
      .recv(2, at(2), leave(15), from(1))
      .finalize({{20, 20}, {20, 20}, {20, 20}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 11_s);
  CHECK(report.metric("delay_unknown").at(rank(1), path("MPI_Recv")) == 11_s);
  CHECK(report.metric("delay_unknown").total() == 11_s);
  CHECK(report.metric("delay_latesender").total() == 0);
  CHECK(report.metric("mpi_wait_indirect_latesender").at(rank(2)) == 11_s);
  CHECK(report.metric("waitstates_propagating_vs_terminal").total() == wait_states(report));
  CHECK(report.metric("delay").total() == wait_states(report));
}

TEST_CASE("delay costs: what is not in the trace explains a part") {
  // 1 works 6, then it is in MPI_Barrier of 0 and 1 for 4, of which 0 did not record its part: 2
  // waits 11 - 1 = 10 for 1. Since MPI_Init 1 did work 6 more and was in MPI_Barrier for 4: 6 of
  // the 10 are work, 4 are unknown.
  TraceBuilder t(3);
  const auto pair = t.communicator({0, 1});
  t.init({{0, 1}, {0, 1}, {0, 1}})
      .enter(1, "work", at(1))
      .leave(1, at(7))
      .collective(1, "MPI_Barrier", at(7), leave(11), on(pair))
      .send(1, at(11), leave(12), to(2))
      .recv(2, at(1), leave(12), from(1))
      .finalize({{20, 20}, {20, 20}, {20, 20}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 10_s);
  CHECK(report.metric("delay_latesender").at(rank(1), path("work")) == 6_s);
  CHECK(report.metric("delay_latesender").total() == 6_s);
  CHECK(report.metric("delay_unknown").at(rank(1), path("MPI_Barrier")) == 4_s);
  CHECK(report.metric("delay").total() == wait_states(report));
}

TEST_CASE("delay costs: finalization waits for the last one, too") {
  auto t = chain();
  t.finalize({{18, 20}, {18, 20}, {20, 20}});
  const auto report = analyze(t);
  // 1 waits 2 at the end. It was in step with 2 when its send ended at 14: since then 2 spent 1 in
  // MPI_Recv and 5 outside of calls, 1 spent 4 there. 1 + 1 = 2 explain all. 0 waits 2 as well.
  // Since MPI_Init 2 did MPI_Recv 2 longer and waited 11: a scale of 2 / 13. 2 * 2 / 13 =
  // 0.307692308 are for MPI_Recv, 11 * 2 / 13 = 1.692307692 are passed on: 2 of 11 of them to
  // MPI_Recv of 1 (0.307692308), and 9 of 11 by the wait of 1 to the work of 0 (1.384615385).
  CHECK(report.metric("delay_finalize").at(rank(2), path("MPI_Recv")) == 1.307692308_s);
  CHECK(report.metric("delay_finalize").total() == 2.307692308_s);
  const auto longterm = report.metric("delay_finalize_longterm");
  CHECK(std::abs(longterm.at(rank(1), path("MPI_Recv")) - 307692308) <= 1);
  CHECK(std::abs(longterm.at(rank(0), path("work")) - 1384615385) <= 1);
  CHECK(std::abs(report.metric("delay").total() - wait_states(report)) <= 4);
}

TEST_CASE("critical path: back along waits to the beginning") {
  auto t = chain();
  t.finalize({{18, 20}, {18, 20}, {20, 20}});
  const auto report = analyze(t);
  // 2 enters MPI_Finalize last, at 20; its wait ended at 13, that of 1 at 11.
  const auto critical = report.metric("critical_path");
  CHECK(critical.total() == 20_s);
  CHECK(critical.at(rank(0), path("work")) == 10_s);
  CHECK(critical.at(rank(0), path("MPI_Init")) == 1_s);
  CHECK(critical.at(rank(1), path("MPI_Recv")) == 2_s);
  CHECK(critical.at(rank(2), path("MPI_Recv")) == 2_s);
  CHECK(critical.at(rank(2)) == 7_s);
}

TEST_CASE("performance impact: processes that do less than the critical path") {
  // 0 works 8, 1 works 4 and waits 4. Both spend 1 in MPI_Barrier after the wait.
  const auto report = analyze(TraceBuilder(2)
                                  .init({{0, 1}, {0, 1}})
                                  .enter(0, "work", at(1))
                                  .leave(0, at(9))
                                  .enter(1, "work", at(1))
                                  .leave(1, at(5))
                                  .collective("MPI_Barrier", {{9, 10}, {5, 10}})
                                  .finalize({{12, 12}, {12, 12}}));
  CHECK(report.metric("delay_barrier").at(rank(0), path("work")) == 4_s);
  CHECK(report.metric("mpi_wait_direct_barrier").at(rank(1)) == 4_s);
  // The path is MPI_Init 1, work 8, MPI_Barrier 1, program 2 of 0. 1 does 1 + 4 + 1 + 2 of that;
  // its other 4 are lost to work.
  CHECK(report.metric("critical_path").at(rank(0)) == 12_s);
  CHECK(report.metric("critical_path_activities").at(rank(0)) == 12_s);
  CHECK(report.metric("critical_path_activities").at(rank(1)) == 8_s);
  CHECK(report.metric("critical_imbalance_impact").at(rank(0), path("work")) == 4_s);
  CHECK(report.metric("critical_imbalance_impact").total() == 4_s);
  CHECK(report.metric("inter_partition_imbalance").total() == 0);
  CHECK(report.metric("non_critical_path_activities").total() == 0);
  // Work: 8 on the path, 6 on the average.
  CHECK(report.metric("critical_path_imbalance").at(rank(0), path("work")) == 2_s);
}

TEST_CASE("performance impact: processes that never do what the critical path does") {
  const auto report = analyze(TraceBuilder(2)
                                  .init({{0, 1}, {0, 1}})
                                  .enter(0, "work", at(1))
                                  .leave(0, at(9))
                                  .collective("MPI_Barrier", {{9, 10}, {1, 10}})
                                  .finalize({{12, 12}, {12, 12}}));
  CHECK(report.metric("critical_imbalance_impact").at(rank(0), path("work")) == 8_s);
  CHECK(report.metric("inter_partition_imbalance").at(rank(0), path("work")) == 8_s);
  CHECK(report.metric("intra_partition_imbalance").total() == 0);
}

TEST_CASE("delay costs: processes without a common past") {
  // The trace has no MPI_Init, so it is unknown when the processes were in step.
  const auto report =
      analyze(TraceBuilder(2).send(0, at(5), leave(6), to(1)).recv(1, at(2), leave(6), from(0)));
  CHECK(report.metric("mpi_latesender").total() == 3_s);
  CHECK(report.metric("delay_unknown").total() == 3_s);
  CHECK(report.metric("critical_path").total() == 0);
}

TEST_CASE("delay costs: the root of a reduction waits for the first, the path goes to the last") {
  // Root 0 enters at 2, 1 at 5, 2 at 9: Early Reduce 5 - 2 = 3, caused by 1 that worked 1..5, then
  // Late Contributor 9 - 5 = 4, caused by 2 that worked 1..9. The critical path changes from 0 to 2
  // at 9.
  const auto report = analyze(TraceBuilder(3)
                                  .init({{0, 1}, {0, 1}, {0, 1}})
                                  .enter(1, "work", at(1))
                                  .leave(1, at(5))
                                  .enter(2, "work", at(1))
                                  .leave(2, at(9))
                                  .collective("MPI_Reduce", {{2, 10}, {5, 6}, {9, 10}}, root(0))
                                  .finalize({{12, 12}, {11, 12}, {11, 12}}));
  CHECK(report.metric("mpi_earlyreduce").at(rank(0)) == 3_s);
  CHECK(report.metric("delay_n21").at(rank(1), path("work")) == 3_s);
  CHECK(report.metric("mpi_late_contributor").at(rank(0)) == 4_s);
  CHECK(report.metric("delay_late_contributor").at(rank(2), path("work")) == 4_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  CHECK(report.metric("delay").total() == wait_states(report));
  const auto critical = report.metric("critical_path");
  CHECK(critical.at(rank(2), path("work")) == 8_s);
  CHECK(critical.at(rank(0), path("MPI_Reduce")) == 1_s);
  CHECK(critical.total() == 12_s);
}

TEST_CASE("delay costs: the root of a nonblocking reduction waits for the first, then the last") {
  // All start to work at 1, 0 until 2, 1 until 5, 2 until 9, and then start the reduction. 0 waits
  // from 3 on: 2 for 1, which worked 4, 3 longer than 0, and 4 for 2.
  TraceBuilder t(3);
  t.init({{0, 1}, {0, 1}, {0, 1}});
  for (const auto& [who, until] : {std::pair{0, 2.0}, {1, 5.0}, {2, 9.0}}) {
    t.enter(who, "work", at(1)).leave(who, at(until));
    t.icollective(who, "MPI_Ireduce", at(until), leave(until + 0.5), req(1), root(0));
  }
  t.wait(0, at(3), leave(10), req(1)).wait(1, at(6), leave(6.5), req(1));
  t.wait(2, at(9.5), leave(10), req(1));
  const auto report = analyze(t.finalize({{12, 12}, {11, 12}, {11, 12}}));
  CHECK(report.metric("mpi_earlyreduce").at(rank(0)) == 2_s);
  CHECK(report.metric("mpi_late_contributor").at(rank(0)) == 4_s);
  CHECK(report.metric("delay_late_contributor").at(rank(2), path("work")) == 4_s);
  CHECK(report.metric("delay_n21").at(rank(1), path("work")) == 2_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  CHECK(report.metric("delay").total() == wait_states(report));
}

TEST_CASE("delay costs: who waits for a root that waited for its last contributor") {
  // 2 works 1..9. Root 0 waits from 2 to 3 for 1, and from 3 to 9 for 2. At 12 it sends to 1, which
  // waits for that.
  for (const double first_end : {4.0, 9.5}) {
    // In the second run nobody leaves before the last one has come.
    const auto report =
        analyze(TraceBuilder(3)
                    .init({{0, 1}, {0, 1}, {0, 1}})
                    .enter(2, "work", at(1))
                    .leave(2, at(9))
                    .collective("MPI_Reduce", {{2, 10}, {3, first_end}, {9, 10}}, root(0))
                    .send(0, at(12), leave(13), to(1))
                    .recv(1, at(first_end + 1), leave(13), from(0))
                    .finalize({{15, 15}, {15, 15}, {15, 15}}));
    CHECK(report.metric("mpi_earlyreduce").total() == 1_s);
    CHECK(report.metric("mpi_late_contributor").total() == 6_s);
    CHECK(report.metric("delay_late_contributor").at(rank(2), path("work")) == 6_s);
    CHECK(report.metric("delay_unknown").total() == 0);
    CHECK(report.metric("delay").total() == wait_states(report));
    if (first_end < 9) {
      // 1 waits from 5 to 12. Since 3, when both were in the reduction, the root waited 6 and was 1
      // longer in the program. So the work of 2 has 6 of these 7.
      CHECK(report.metric("delay_latesender").at(rank(0)) == 1_s);
      CHECK(report.metric("delay_latesender_longterm").at(rank(2), path("work")) == 6_s);
    }
  }
}

TEST_CASE("delay costs: sub-communicators that share processes") {
  // 0 and 1 meet, then all: 2 is late for the second barrier since it worked from 1 to 9. The time
  // that 0 and 1 spent before their own meeting at 4 does not count for 1.
  auto t = TraceBuilder(3);
  const auto pair = t.communicator({0, 1});
  t.init({{0, 1}, {0, 1}, {0, 1}});
  t.enter(2, "work", at(1)).leave(2, at(9));
  t.enter(0, "work", at(1)).leave(0, at(4));
  t.collective("MPI_Barrier", {{4, 5}, {2, 5}}, on(pair));
  t.collective("MPI_Barrier", {{6, 10}, {5, 10}, {9, 10}});
  t.finalize({{12, 12}, {12, 12}, {12, 12}});
  const auto report = analyze(t);
  // First: 1 waits 4 - 2 = 2 for the work of 0, longer by 3.
  CHECK(report.metric("delay_barrier").at(rank(0), path("work")) == 2_s);
  // Second: 0 waits 3 for 2, whose work is 8 - 3 = 5 longer; 1 waits 4 for work that is 8 longer.
  CHECK(report.metric("delay_barrier").at(rank(2), path("work")) == 7_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("delay costs: a nonblocking collective operation that one process started late") {
  // 1 works from 1 to 7 and starts at 7; 0 starts at 1 and waits from 3 to 8, 7 - 3 = 4. 1 did work
  // 6 and 0 did the start 1 and program 1: 6 longer. The start at 7 itself costs nothing.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}});
  t.icollective(0, "MPI_Ibarrier", at(1), leave(2), req(1)).wait(0, at(3), leave(8), req(1));
  t.enter(1, "work", at(1)).leave(1, at(7));
  t.icollective(1, "MPI_Ibarrier", at(7), leave(7.5), req(1)).wait(1, at(7.5), leave(8), req(1));
  t.finalize({{10, 10}, {10, 10}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_barrier_wait").at(rank(0), path("MPI_Wait")) == 4_s);
  CHECK(report.metric("delay_barrier").at(rank(1), path("work")) == 4_s);
  CHECK(report.metric("delay_barrier").total() == 4_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  // Backwards from 10: 0 or 1 after 8, then 1 from its start on: work is on the path.
  CHECK(report.metric("critical_path").at(rank(1), path("work")) == 6_s);
}

TEST_CASE("delay costs: a fence that one process reaches late") {
  // 1 works 1..7: 0 waits in MPI_Win_fence from 3 to 7.
  auto t = TraceBuilder(2);
  const auto w = t.window();
  t.init({{0, 1}, {0, 1}});
  t.enter(1, "work", at(1)).leave(1, at(7));
  t.window_call("MPI_Win_fence", w, {{3, 8}, {7, 8}});
  t.finalize({{10, 10}, {10, 10}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_wait_at_fence").at(rank(0)) == 4_s);
  CHECK(report.metric("delay_rma_fence").at(rank(1), path("work")) == 4_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("delay costs: a fence that one process leaves late") {
  // Both enter the first fence at 1, and 0 leaves it at 2. 1 needs 3 longer, until 5, and comes
  // late to the second one, where 0 waits from 2 to 5.
  auto t = TraceBuilder(2);
  const auto w = t.window();
  t.init({{0, 1}, {0, 1}});
  t.window_call("MPI_Win_fence", w, {{1, 2}, {1, 5}});
  t.window_call("MPI_Win_fence", w, {{2, 6}, {5, 6}});
  t.finalize({{10, 10}, {10, 10}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_wait_at_fence").at(rank(0)) == 3_s);
  CHECK(report.metric("delay_rma_fence").at(rank(1), path("MPI_Win_fence")) == 3_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("delay costs: a broadcast that one process leaves late") {
  // 0 is the root, from 2 to 3. 1 waits for it from 1 to 2, has its data by then, and needs until
  // 7. That is 4 longer than the root, which waits 4 in the barrier, from 3 to 7.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}});
  t.collective("MPI_Bcast", {{2, 3}, {1, 7}}, root(0));
  t.collective("MPI_Barrier", {{3, 8}, {7, 8}});
  t.finalize({{10, 10}, {10, 10}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latebroadcast").at(rank(1)) == 1_s);
  CHECK(report.metric("mpi_barrier_wait").at(rank(0)) == 4_s);
  CHECK(report.metric("delay_barrier").at(rank(1), path("MPI_Bcast")) == 4_s);
}

TEST_CASE("delay costs: epochs with groups, late post and early wait") {
  // 1 works 1..4 and posts at 4: 0 waits in MPI_Win_start 2..5, 4 - 2 = 2. Then 0 works 5..9 and
  // completes at 9: 1 waits 5..10, 9 - 5 = 4. From 4.5 on, the end of MPI_Win_post, 0 was 0.5 in
  // MPI_Win_start and 4 in work, 1 only 0.5 in program: 4 / 4.5 of the 4 are costs of work.
  auto t = TraceBuilder(2);
  const auto w = t.window();
  const auto target = t.group({1}), origin = t.group({0});
  t.init({{0, 1}, {0, 1}});
  t.enter(1, "setup", at(1)).leave(1, at(4));
  t.epoch(0, "MPI_Win_start", w, target, at(2), leave(5));
  t.enter(0, "work", at(5)).leave(0, at(9));
  t.epoch(0, "MPI_Win_complete", w, target, at(9), leave(9.5));
  t.epoch(1, "MPI_Win_post", w, origin, at(4), leave(4.5));
  t.epoch(1, "MPI_Win_wait", w, origin, at(5), leave(10));
  t.finalize({{12, 12}, {12, 12}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_sync_late_post").at(rank(0), path("MPI_Win_start")) == 2_s);
  CHECK(report.metric("delay_rma_late_post").at(rank(1), path("setup")) == 2_s);
  CHECK(report.metric("mpi_rma_early_wait").at(rank(1), path("MPI_Win_wait")) == 4_s);
  // 4 * 4 / 4.5, rounded.
  CHECK(report.metric("delay_rma_early_wait").at(rank(0), path("work")) == 3'555'555'556);
  CHECK(report.metric("delay_rma_early_wait").total() == 4_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  CHECK(report.metric("mpi_wait_direct_rma_early_wait").at(rank(1)) == 4_s);
}

TEST_CASE("delay costs: a lock that another process holds") {
  // 0 has the lock from 1 to 8 and works in between. 1 requests it at 2 and gets it at 9: 8 - 2 =
  // 6.
  auto t = TraceBuilder(3);
  const auto w = t.window();
  t.init({{0, 1}, {0, 1}, {0, 1}});
  t.lock(0, w, at(1), leave(1.5), to(2));
  t.enter(0, "work", at(1.5)).leave(0, at(8));
  t.unlock(0, w, at(8), leave(8.5), to(2));
  t.lock(1, w, at(2), leave(9), to(2)).unlock(1, w, at(9), leave(9.5), to(2));
  t.finalize({{12, 12}, {12, 12}, {12, 12}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_sync_lock_competition").at(rank(1)) == 6_s);
  // Since MPI_Init: MPI_Win_lock 0.5 and work 6.5 against program 1: 7 longer, in proportion.
  CHECK(report.metric("delay_rma_lock").at(rank(0), path("work")) == 6 * 6'500'000'000 / 7);
  CHECK(report.metric("delay_rma_lock").total() == 6_s);
  CHECK(report.metric("delay_unknown").total() == report.metric("mpi_finalize_wait").total());
}
