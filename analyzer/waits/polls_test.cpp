// SPDX-License-Identifier: BSD-3-Clause
// Waiting in tests: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

const path kTest("MPI_Test");

}  // namespace

TEST_CASE("polling: unsuccessful tests wait for the sender, up to its enter") {
  // The send enters at 7. Tests at one call path: 0.1..0.2 before the receive is posted at 0.5;
  // 1..2 and 4..6 unsuccessful: 1 + 2; 6.5..8 completes: 7 - 6.5. In all 3.5.
  TraceBuilder t(2);
  t.test(0, at(0.1), leave(0.2)).irecv(0, at(0.5), from(1), req(1));
  t.test(0, at(1), leave(2)).test(0, at(4), leave(6)).test(0, at(6.5), leave(8), req(1));
  t.test(0, at(9), leave(9.25));  // belongs to nothing
  t.send(1, at(7), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(0), kTest) == 3.5_s);
  CHECK(report.metric("polling_latesender").at(rank(0), kTest) == 3.5_s);
  CHECK(report.metric("polling").total() == 0.1_s + 1_s + 2_s + 1.5_s + 0.25_s);
  CHECK(report.metric("mpi_point2point").at(rank(0), kTest) == report.metric("polling").total());
  CHECK(report.metric("mpi_cls_count").total() == 1);
  const auto& statistics = report.extras()["statistics"]["mpi_latesender"];
  CHECK(statistics["count"] == 1);
  CHECK(statistics["worst"][0]["seconds"] == 3.5);
  double sum = 0;
  for (const auto& row : report.extras()["time_slices"]["metrics"]["mpi_latesender"]) {
    for (const double value : row) sum += value;
  }
  CHECK(sum == Approx(3.5));
  // The compatible rules have no waiting in tests, and no such metrics.
  const auto base = analyze(t, compatible());
  CHECK(base.metric("mpi_latesender").total() == 0);
  CHECK(base.metric("polling_latesender").total() == 0);
}

TEST_CASE("polling: there is no such tree where nobody tests") {
  TraceBuilder t(2);
  t.recv(0, at(1), leave(3), from(1)).send(1, at(2), to(0));
  CHECK_FALSE(analyze(t).has_metric("polling"));
}

TEST_CASE("polling: tests at other call paths, and those before another success, do not belong") {
  // Unsuccessful tests in `a` 1..2 and 3..4. The success 4..5 ends their streak (its message was
  // sent at 1.5: 0.5 waited). Then 6..7 is unsuccessful, and 8..9 completes what is sent at 8.5: 1
  // + 0.5. An unsuccessful test in `b` 5.2..5.8 belongs to nothing.
  TraceBuilder t(2);
  t.irecv(0, at(0), from(1), tag(1), req(1)).irecv(0, at(0), from(1), tag(2), req(2));
  t.enter(0, "a", at(1)).test(0, at(1), leave(2)).test(0, at(3), leave(4));
  t.test(0, at(4), leave(5), req(1)).leave(0, at(5));
  t.enter(0, "b", at(5)).test(0, at(5.2), leave(5.8)).leave(0, at(6));
  t.enter(0, "a", at(6)).test(0, at(6), leave(7)).test(0, at(8), leave(9), req(2)).leave(0, at(9));
  t.send(1, at(1.5), to(0), tag(1)).send(1, at(8.5), to(0), tag(2));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(path("a/MPI_Test")) == 0.5_s + 1.5_s);
  CHECK(report.metric("mpi_latesender").total() == 2_s);
  CHECK(report.metric("mpi_cls_count").total() == 2);
}

TEST_CASE("polling: a synchronous send that is tested waits for the receive") {
  // Sent at 0, received from 6 on: 1..3 unsuccessful, 5..9 completes: 2 + (6 - 5) = 3
  TraceBuilder t(2);
  t.isend(0, at(0), to(1), as("MPI_Issend"), req(1));
  t.test(0, at(1), leave(3)).test(0, at(5), leave(9), req(1));
  t.recv(1, at(6), leave(9), from(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latereceiver").at(rank(0), kTest) == 3_s);
  CHECK(report.metric("polling_latereceiver").total() == 3_s);
  CHECK(analyze(t, compatible()).metric("mpi_latereceiver").total() == 0);
}

TEST_CASE("polling: a send that completed before its receive was posted did not wait") {
  TraceBuilder t(2);
  t.isend(0, at(0), to(1), req(1)).test(0, at(1), leave(3)).test(0, at(4), leave(5), req(1));
  t.recv(1, at(6), leave(9), from(0));
  CHECK(analyze(t).metric("mpi_latereceiver").total() == 0);
}

TEST_CASE("polling: the largest wait of several requests, and what is left for a collective") {
  // A message is sent at 4, and rank 1 starts an allreduce at 9. Tests of both: 1..3 and 5..7
  // unsuccessful, 8..10 completes: late sender 2; allreduce 2 + 2 + (9 - 8) - 2 = 3
  TraceBuilder t(2);
  t.irecv(0, at(0), from(1), req(1)).icollective(0, "MPI_Iallreduce", at(0.5), req(2));
  t.testall(0, at(1), leave(3)).testall(0, at(5), leave(7));
  t.testall(0, at(8), leave(10), req(1), req(2));
  t.send(1, at(4), to(0)).icollective(1, "MPI_Iallreduce", at(9), req(1));
  t.wait(1, at(9), leave(9.5), req(1));
  const auto report = analyze(t);
  const path testall("MPI_Testall");
  CHECK(report.metric("mpi_latesender").at(rank(0), testall) == 2_s);
  CHECK(report.metric("mpi_wait_nxn").at(rank(0), testall) == 3_s);
  CHECK(report.metric("polling_latesender").total() == 2_s);
  CHECK(report.metric("polling_wait_nxn").total() == 3_s);
  CHECK(report.metric("polling").total() == 6_s);
  // The tests complete a message as well, so only the waiting counts as collective.
  CHECK(report.metric("mpi_collective").at(rank(0), testall) == 3_s);
  CHECK(report.metric("mpi_point2point").at(rank(0), testall) == 3_s);
}

TEST_CASE("polling: across metahosts the unsuccessful tests count as well") {
  auto t = TraceBuilder(2).metahost(1, "A", {0}).metahost(2, "B", {1});
  t.irecv(0, at(0), from(1), req(1)).test(0, at(1), leave(4)).test(0, at(5), leave(7), req(1));
  t.send(1, at(3), to(0));
  const auto report = analyze(t);
  CHECK(report.metric("grid_latesender").at(rank(0), kTest) == 2_s);
  CHECK(report.metric("grid_point2point").at(rank(0), kTest) == 3_s + 2_s);
  CHECK(report.metric("metahost_pairs_latesender_1_2").total() == 2_s);
}

TEST_CASE("polling: what the sender did meanwhile is the cause") {
  // Rank 1 works 1..7 before it sends. Rank 0 waits 3.5 in tests, as above, and computes between
  // them. The critical path goes along rank 1's work: 1..7.
  TraceBuilder t(2);
  t.init({{0, 1}, {0, 1}});
  t.irecv(0, at(1), from(1), req(1)).test(0, at(1), leave(2)).test(0, at(4), leave(6));
  t.test(0, at(6.5), leave(8), req(1));
  t.enter(1, "work", at(1)).leave(1, at(7)).send(1, at(7), leave(7.5), to(0));
  t.finalize({{8, 9}, {7.5, 9}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 3.5_s);
  CHECK(report.metric("delay_latesender").at(rank(1), path("work")) == 3.5_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  CHECK(report.metric("critical_path").at(rank(1), path("work")) == 6_s);
  CHECK(report.metric("critical_path").at(rank(0), kTest) == 1_s);
}

TEST_CASE("polling: a success behind a barrier that both took part in") {
  // Sent at 5; tests 1..4 unsuccessful, both meet in a barrier 6..7, the next test 8..9 completes.
  // 3 s were waited. Their cause lies before the last common point, so it is not looked for.
  TraceBuilder t(2);
  t.init({{0, 1}, {0, 1}});
  t.irecv(0, at(1), from(1), req(1)).test(0, at(1), leave(4));
  t.send(1, at(5), to(0));
  t.collective("MPI_Barrier", {{6, 7}, {6, 7}});
  t.test(0, at(8), leave(9), req(1));
  t.finalize({{10, 11}, {10, 11}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 3_s);
  CHECK(report.metric("delay_unknown").total() == 3_s);
  CHECK(report.metric("delay_latesender").total() == 0);
}

TEST_CASE("polling: a visit that stands for several tests is like these tests") {
  // Five tests of 0.25, from 1 on one every 0.5; the success 4..5. The send enters at 2.625, in the
  // middle of the time in the program after the fourth test. A second streak 6..7 belongs to
  // nothing.
  const auto run = [](bool merged) {
    TraceBuilder t(2);
    t.enter(0, "poll", at(0.25)).irecv(0, at(0.5), from(1), req(1));
    if (merged) {
      t.test(0, at(1), leave(3.25), standing_for(5, 1.25));
    } else {
      for (const double begin : {1.0, 1.5, 2.0, 2.5, 3.0})
        t.test(0, at(begin), leave(begin + 0.25));
    }
    t.test(0, at(4), leave(5), req(1));
    if (merged) {
      t.test(0, at(6), leave(7), standing_for(2, 0.5));
    } else {
      t.test(0, at(6), leave(6.25)).test(0, at(6.75), leave(7));
    }
    t.leave(0, at(8)).send(1, at(2.625), to(0));
    return t;
  };
  const auto single = analyze(run(false)), merged = analyze(run(true));
  const path in_poll("poll/MPI_Test"), poll("poll");
  CHECK(merged.metric("mpi_latesender").at(rank(0), in_poll) == 0.75_s + 0.125_s);
  CHECK(merged.metric("visits").at(rank(0), in_poll) == 8);
  CHECK(merged.metric("polling").total() == 1.25_s + 1_s + 0.5_s);
  CHECK(merged.metric("execution").at(rank(0), poll) ==
        single.metric("execution").at(rank(0), poll));
  for (const char* metric : {"visits", "time", "mpi", "mpi_point2point", "polling",
                             "polling_latesender", "mpi_latesender", "mpi_cls_count"}) {
    INFO(metric);
    CHECK(merged.metric(metric).total() == single.metric(metric).total());
    CHECK(merged.metric(metric).at(rank(0), in_poll) == single.metric(metric).at(rank(0), in_poll));
  }
}

TEST_CASE("polling: unsuccessful probes in a row keep their number and time") {
  TraceBuilder t(1);
  t.enter(0, "poll", at(0));
  t.test(0, as("MPI_Iprobe"), at(1), leave(3), standing_for(1000, 0.5)).leave(0, at(4));
  const auto report = analyze(t);
  CHECK(report.metric("visits").at(path("poll/MPI_Iprobe")) == 1000);
  CHECK(report.metric("mpi").at(path("poll/MPI_Iprobe")) == 0.5_s);
  CHECK(report.metric("execution").at(path("poll")) == 3.5_s);
}
