// SPDX-License-Identifier: BSD-3-Clause
// Every wait state that is computed: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

constexpr const char* kLateSender = "mpi_latesender";
constexpr const char* kNxN = "mpi_wait_nxn";
constexpr const char* kBarrier = "mpi_barrier_wait";

std::int64_t quality(const AnalyzedTrace& report, const std::string& name) {
  for (const auto& note : report.extras()["quality"]) {
    if (note["name"] == name) return note["count"];
  }
  return 0;
}

}  // namespace

TEST_CASE("late sender: the receive that is left before the send waits for its own length") {
  // Clocks disagree: the send enters at 9, receive 1..6.   wait = min(9, 6) - 1 = 5, and it is
  // reversed
  auto t = TraceBuilder(2).send(0, at(9), to(1)).recv(1, at(1), leave(6), from(0));
  const auto report = analyze(t, uncorrected());
  CHECK(report.metric(kLateSender).at(rank(1)) == 5_s);
  CHECK(quality(report, "reversed_messages") == 1);
  // The message is received 9 - 6 = 3 before it was sent.
  CHECK(report.metric("clock_violations").at(rank(1), path("MPI_Recv")) == 1);
  CHECK(report.metric("clock_violations_p2p_external").total() == 0);
  CHECK(report.metric("clock_violation_time").total() == 3_s);
}

TEST_CASE("clock violations between metahosts, of messages and collective operations") {
  // Message: sent at 9, received at 6. Allreduce: the last rank begins at 19; rank 0 ends at 20,
  // rank 1 at 18: 19 - 18 = 1.
  auto t = TraceBuilder(2);
  t.metahost(0, "a", {0}).metahost(1, "b", {1});
  t.send(0, at(9), to(1)).recv(1, at(1), leave(6), from(0));
  t.collective("MPI_Allreduce", {{19, 20}, {14, 18}});
  const auto report = analyze(t, uncorrected());
  CHECK(report.metric("clock_violations").total() == 2);
  CHECK(report.metric("clock_violations_p2p_external").at(rank(1)) == 1);
  CHECK(report.metric("clock_violations_collective_external").at(rank(1)) == 1);
  CHECK(report.metric("clock_violation_time_collective").at(rank(1), path("MPI_Allreduce")) == 1_s);
  CHECK(report.metric("clock_violation_time_p2p").total() == 3_s);
}

TEST_CASE("late sender: a sender that is early makes nobody wait") {
  auto t = TraceBuilder(2).send(0, at(1), leave(3), to(1)).recv(1, at(2), leave(4), from(0));
  CHECK(analyze(t).metric(kLateSender).total() == 0);
}

TEST_CASE("late sender: wait-all counts its longest wait once") {
  // Rank 0 waits from 2 to 9; the sends enter at 5 and 7.   wait = max(5 - 2, 7 - 2) = 5
  auto t = TraceBuilder(3)
               .irecv(0, at(0), from(1), req(1))
               .irecv(0, at(1), from(2), req(2))
               .waitall(0, at(2), leave(9), req(1), req(2))
               .send(1, at(5), to(0))
               .send(2, at(7), to(0));
  const auto report = analyze(t);
  CHECK(report.metric(kLateSender).at(rank(0), path("MPI_Waitall")) == 5_s);
  CHECK(report.metric(kLateSender).total() == 5_s);
}

TEST_CASE("late sender: single waits and tests count each") {
  // wait 2..4 for a send at 3: 1.   test 5..6 for a send at 5.5: 0.5.   waitany 7..9 for a send at
  // 8: 1
  auto t = TraceBuilder(2)
               .irecv(0, at(0), from(1), tag(1), req(1))
               .irecv(0, at(0), from(1), tag(2), req(2))
               .irecv(0, at(1), from(1), tag(3), req(3))
               .wait(0, at(2), leave(4), req(1))
               .test(0, at(5), leave(6), req(2))
               .waitany(0, at(7), leave(9), req(3))
               .send(1, at(3), to(0), tag(1))
               .send(1, at(5.5), to(0), tag(2))
               .send(1, at(8), to(0), tag(3));
  const auto report = analyze(t);
  CHECK(report.metric(kLateSender).at(rank(0), path("MPI_Wait")) == 1_s);
  CHECK(report.metric(kLateSender).at(rank(0), path("MPI_Test")) == 0.5_s);
  CHECK(report.metric(kLateSender).at(rank(0), path("MPI_Waitany")) == 1_s);
}

TEST_CASE("late sender: messages of a channel match receives in the order of posting") {
  // Two receives are posted, the second completes first. Message 1 (send at 1) belongs to the first
  // receive, message 2 (send at 6) to the second:
  //   wait for the second 3..7: 6 - 3 = 3      wait for the first 8..9: 0
  auto t = TraceBuilder(2)
               .irecv(0, at(0), from(1), req(1))
               .irecv(0, at(1), from(1), req(2))
               .wait(0, at(3), leave(7), req(2))
               .wait(0, at(8), leave(9), req(1))
               .send(1, at(1), to(0))
               .send(1, at(6), to(0));
  CHECK(analyze(t).metric(kLateSender).at(rank(0)) == 3_s);
}

TEST_CASE("late sender: sendrecv waits for its own source") {
  // rank 0 enters at 1, rank 1 at 4: rank 0 waits 3.
  auto t = TraceBuilder(2)
               .sendrecv(0, at(1), leave(5), to(1), from(1))
               .sendrecv(1, at(4), leave(6), to(0), from(0));
  const auto report = analyze(t);
  CHECK(report.metric(kLateSender).at(rank(0), path("MPI_Sendrecv")) == 3_s);
  CHECK(report.metric(kLateSender).at(rank(1)) == 0_s);
}

TEST_CASE("late sender: sub-communicators and intercommunicators have their own ranks") {
  auto t = TraceBuilder(4);
  const auto odd = t.communicator({3, 1});  // 3 is rank 0, 1 is rank 1
  const auto inter = t.intercommunicator({0, 1}, {2, 3});
  t.recv(1, at(1), leave(6), from(0), on(odd)).send(3, at(4), to(1), on(odd));      // wait 3
  t.recv(2, at(1), leave(9), from(0), on(inter)).send(0, at(8), to(0), on(inter));  // wait 7
  const auto report = analyze(t);
  CHECK(report.metric(kLateSender).at(rank(1)) == 3_s);
  CHECK(report.metric(kLateSender).at(rank(2)) == 7_s);
  CHECK(quality(report, "unmatched_sends") == 0);
}

TEST_CASE("wait at N x N: until the last one that sends has begun") {
  //   begin 3 9 4, end 10 11 8:   min(9, 10) - 3 = 6,  0,  min(9, 8) - 4 = 4
  auto t = TraceBuilder(3);
  t.collective("MPI_Allreduce", {{3, 10}, {9, 11}, {4, 8}});
  const auto report = analyze(t, uncorrected());
  CHECK(report.metric(kNxN).at(rank(0)) == 6_s);
  CHECK(report.metric(kNxN).at(rank(1)) == 0_s);
  CHECK(report.metric(kNxN).at(rank(2)) == 4_s);
  CHECK(quality(report, "reversed_collectives") == 1);
}

TEST_CASE(
    "wait at N x N: who sends nothing is not waited for, who receives nothing does not wait") {
  // Rank 2 comes last (9) but sends nothing: the last sender begins at 5. Rank 1 receives nothing.
  auto t = TraceBuilder(3);
  t.collective(0, "MPI_Allgatherv", at(1), leave(10), sent(8), received(8));
  t.collective(1, "MPI_Allgatherv", at(5), leave(10), sent(8), received(0));
  t.collective(2, "MPI_Allgatherv", at(9), leave(10), sent(0), received(8));
  const auto report = analyze(t);
  CHECK(report.metric(kNxN).at(rank(0)) == 4_s);
  CHECK(report.metric(kNxN).at(rank(1)) == 0_s);
  CHECK(report.metric(kNxN).at(rank(2)) == 0_s);
}

TEST_CASE("wait at N x N: not in operations whose totals do not tell who sends to whom") {
  auto t = TraceBuilder(2);
  t.collective("MPI_Alltoallv", {{1, 10}, {9, 10}});
  t.collective("MPI_Bcast", {{11, 20}, {19, 20}}, root(1));
  const auto report = analyze(t);
  CHECK(report.metric(kNxN).total() == 0);
  CHECK(report.metric("bytes_cin").total() > 0);
}

TEST_CASE("wait at barrier: each for the last one, also on a sub-communicator") {
  //   begin 3 9 4: waits 6 0 5;   then ranks 1 and 2 alone: begin 20 22: wait 2 0
  auto t = TraceBuilder(3);
  const auto pair = t.communicator({1, 2});
  t.collective("MPI_Barrier", {{3, 10}, {9, 10}, {4, 10}});
  t.collective("MPI_Barrier", {{20, 23}, {22, 23}}, on(pair));
  const auto report = analyze(t);
  CHECK(report.metric(kBarrier).at(rank(0)) == 6_s);
  CHECK(report.metric(kBarrier).at(rank(1)) == 2_s);
  CHECK(report.metric(kBarrier).at(rank(2)) == 5_s);
  CHECK(report.metric("syncs_coll").at(rank(1)) == 2);
}

TEST_CASE("a collective that one rank never entered is counted and left out") {
  auto t = TraceBuilder(3);
  t.collective("MPI_Barrier", {{1, 2}, {1, 2}, {2, 3}});
  t.collective("MPI_Allreduce", {{3, 9}, {4, 9}, absent});
  const auto report = analyze(t);
  CHECK(report.metric(kNxN).total() == 0);
  CHECK(report.metric(kBarrier).total() == 2_s);
  CHECK(quality(report, "unmatched_collectives") == 2);
  CHECK(report.partial());
  CHECK(report.extras()["unmatched"][0]["call_path"] == "program/MPI_Allreduce");
}

TEST_CASE("unmatched messages are counted with their call paths and left out") {
  auto t = TraceBuilder(2);
  t.send(0, at(1), to(1), tag(1)).send(0, at(2), to(1), tag(2));
  t.recv(1, at(0), leave(3), from(0), tag(2)).recv(1, at(4), leave(5), from(0), tag(3));
  const auto report = analyze(t);
  CHECK(report.metric(kLateSender).at(rank(1)) == 2_s);
  CHECK(quality(report, "unmatched_sends") == 1);
  CHECK(quality(report, "unmatched_receives") == 1);
  CHECK(report.partial());
  CHECK(report.extras()["unmatched"].size() == 2);
}

TEST_CASE("grid: three metahosts, who waits for whom") {
  // A = {0, 1} with id 7, B = {2} with id 3, C = {3, 4} with id 5
  auto t = TraceBuilder(5).metahost(7, "A", {0, 1}).metahost(3, "B", {2}).metahost(5, "C", {3, 4});
  t.recv(0, at(1), leave(5), from(1)).send(1, at(3), to(0));  // inside A: 2, not grid
  t.recv(2, at(1), leave(8), from(3)).send(3, at(6), to(2));  // B waits for C: 5
  t.recv(4, at(1), leave(8), from(0)).send(0, at(7), to(4));  // C waits for A: 6
  // barrier of all: begins 10 12 11 10 14 -> waits 4 2 3 4 0, all because of rank 4 (C)
  t.collective("MPI_Barrier", {{10, 15}, {12, 15}, {11, 15}, {10, 15}, {14, 15}});
  const auto report = analyze(t);
  CHECK(report.metric(kLateSender).total() == 13_s);
  CHECK(report.metric("grid_latesender").total() == 11_s);
  CHECK(report.metric("grid_latesender").at(rank(0)) == 0_s);
  CHECK(report.metric("grid_barrier_wait").total() == 13_s);
  CHECK(report.metric("metahost_pairs_latesender_3_5").at(rank(2)) == 5_s);
  CHECK(report.metric("metahost_pairs_latesender_5_7").at(rank(4)) == 6_s);
  CHECK_FALSE(report.has_metric("metahost_pairs_latesender_7_7"));
  CHECK(report.metric("metahost_pairs_barrier_wait_7_5").total() == 6_s);
  CHECK(report.metric("metahost_pairs_barrier_wait_3_5").total() == 3_s);
  CHECK(report.metric("metahost_pairs_barrier_wait_5_5").total() == 4_s);
  CHECK(report.metric("metahost_pairs_barrier_wait").total() == 13_s);
  CHECK(report.metric("metahost_pairs").total() == 24_s);
  // Time in calls that cross metahosts: receives 7 + 7, sends 0 + 0, barriers 5 3 4 5 1.
  CHECK(report.metric("grid").total() == 32_s);
}

TEST_CASE("grid: wait at N x N for the last sender, ties go to the lowest rank") {
  auto t = TraceBuilder(4).metahost(0, "A", {0, 1}).metahost(1, "B", {2, 3});
  const auto inside = t.communicator({2, 3});
  // ranks 1 and 2 are both last at 5: rank 1 is the cause.
  t.collective("MPI_Allreduce", {{1, 6}, {5, 6}, {5, 6}, {2, 6}});
  t.collective("MPI_Allreduce", {{7, 9}, {8, 9}}, on(inside));
  const auto report = analyze(t);
  CHECK(report.metric("grid_wait_nxn").total() == 7_s);
  CHECK(report.metric(kNxN).total() == 8_s);
  CHECK(report.metric("metahost_pairs_wait_nxn_0_0").total() == 4_s);
  CHECK(report.metric("metahost_pairs_wait_nxn_1_0").total() == 3_s);
}

TEST_CASE("without metahosts there is no grid") {
  auto t = TraceBuilder(2).send(0, at(5), to(1)).recv(1, at(1), leave(6), from(0));
  CHECK_FALSE(analyze(t).has_metric("grid"));
}

TEST_CASE("counts and bytes") {
  auto t = TraceBuilder(2);
  t.send(0, at(1), to(1), bytes(100)).send(0, at(2), to(1), bytes(0));
  t.recv(1, at(3), from(0), bytes(100)).recv(1, at(4), from(0), bytes(0));
  t.collective("MPI_Bcast", {{5, 6}, {5, 6}}, root(0), bytes(16));
  const auto report = analyze(t);
  CHECK(report.metric("bytes_sent").at(rank(0)) == 100);
  CHECK(report.metric("bytes_rcvd").at(rank(1)) == 100);
  CHECK(report.metric("comms_send").at(rank(0)) == 1);
  CHECK(report.metric("syncs_send").at(rank(0)) == 1);
  CHECK(report.metric("syncs_recv").at(rank(1)) == 1);
  // root: sends 2 x 16, receives 16: an exchange; the other only receives
  CHECK(report.metric("bytes_cout").at(rank(0)) == 32);
  CHECK(report.metric("bytes_cin").total() == 32);
  CHECK(report.metric("comms_cxch").at(rank(0)) == 1);
  CHECK(report.metric("comms_cdst").at(rank(1)) == 1);
  CHECK(report.metric("bytes").total() == 100 + 100 + 32 + 32);
}
