// SPDX-License-Identifier: BSD-3-Clause
// The time since which two processes are in step. Both sides use the same time, so every wait of
// one for the other has a cause.
#include <catch2/catch.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

// All of the wait is explained by rank 0's time in `region`.
void check_costs(const AnalyzedTrace& report, const char* metric, const char* region,
                 std::int64_t cost) {
  CHECK(report.metric(metric).at(rank(0), path(region)) == cost);
  CHECK(report.metric(metric).total() == cost);
  CHECK(report.metric("delay_unknown").total() == 0);
}

}  // namespace

TEST_CASE("in step: a send that lasts longer than its receive") {
  // 1 waits 3 - 1 = 2 for the send of 0 and leaves its receive at 4: then both are in step. 0 is in
  // MPI_Send until 9 and then posts a receive: 1 waits 9 - 5 = 4 in its own send. Since 4 rank 0
  // was in MPI_Send for 5, and rank 1 did 1 of its own. Those 5 explain the 4.
  const auto report = analyze(TraceBuilder(2)
                                  .init({{0, 1}, {0, 1}})
                                  .enter(0, "work", at(1))
                                  .leave(0, at(3))
                                  .send(0, at(3), leave(9), to(1))
                                  .recv(1, at(1), leave(4), from(0))
                                  .send(1, at(5), leave(10), to(0), as("MPI_Ssend"))
                                  .recv(0, at(9), leave(10), from(1))
                                  .finalize({{12, 12}, {12, 12}}));
  CHECK(report.metric("mpi_latereceiver").at(rank(1)) == 4_s);
  check_costs(report, "delay_latereceiver", "MPI_Send", 4_s);
  CHECK(report.metric("delay_latesender").at(rank(0), path("work")) == 2_s);
}

TEST_CASE("in step: a send that lasts after its receive was posted") {
  // 0 waits 3 - 2 = 1 until 1 posts the receive, which 1 has done at 4. 1 completes it at 5. 0 is
  // in its send until 9: 1 waits 10 - 6 = 4 for its next message. Since 4 rank 0 was in MPI_Ssend
  // for 5 and did 1 of its own. Rank 1 was in MPI_Wait for 1 and did 1 of its own. The 5 explain
  // the 4.
  const auto report = analyze(TraceBuilder(2)
                                  .init({{0, 1}, {0, 1}})
                                  .enter(1, "work", at(1))
                                  .leave(1, at(3))
                                  .send(0, at(2), leave(9), to(1), as("MPI_Ssend"))
                                  .irecv(1, at(3), leave(4), from(0), req(1))
                                  .wait(1, at(4), leave(5), req(1))
                                  .send(0, at(10), leave(11), to(1))
                                  .recv(1, at(6), leave(11), from(0))
                                  .finalize({{12, 12}, {12, 12}}));
  CHECK(report.metric("mpi_latereceiver").at(rank(0)) == 1_s);
  CHECK(report.metric("delay_latereceiver").at(rank(1), path("work")) == 1_s);
  CHECK(report.metric("mpi_latesender").at(rank(1)) == 4_s);
  check_costs(report, "delay_latesender", "MPI_Ssend", 4_s);
}

TEST_CASE("in step: a pipeline in which the last one is late by what it did before") {
  // The case above, but rank 1 later takes longer, as rank 0 did at first. Both are in step at 4,
  // when the receive ends. Until 20, when 0 posts its receive, 0 is in MPI_Send for 6 and works 10.
  // Until 16, when 1 sends, 1 works 12. MPI_Send is 6 longer, which explains the wait of 20 - 16 =
  // 4. Counted from 10, the end of the send, nothing would be longer: 10 of work against 12.
  const auto report = analyze(TraceBuilder(2)
                                  .init({{0, 1}, {0, 1}})
                                  .enter(0, "work", at(1))
                                  .leave(0, at(3))
                                  .send(0, at(3), leave(10), to(1))
                                  .recv(1, at(1), leave(4), from(0))
                                  .enter(0, "work", at(10))
                                  .leave(0, at(20))
                                  .enter(1, "work", at(4))
                                  .leave(1, at(16))
                                  .send(1, at(16), leave(21), to(0), as("MPI_Ssend"))
                                  .recv(0, at(20), leave(21), from(1))
                                  .finalize({{22, 22}, {22, 22}}));
  CHECK(report.metric("mpi_latereceiver").at(rank(1)) == 4_s);
  check_costs(report, "delay_latereceiver", "MPI_Send", 4_s);
}

TEST_CASE("in step: the root leaves a broadcast late") {
  // The root begins the broadcast at 2, and 1 has waited since 1: the root's own time from 1 to 2
  // is the delay. 1 leaves the broadcast at 4: both are in step. The root leaves it at 8 and sends
  // at 9. Its 4 in MPI_Bcast explain the wait of 9 - 5 = 4.
  const auto report = analyze(TraceBuilder(2)
                                  .init({{0, 1}, {0, 1}})
                                  .collective("MPI_Bcast", {{2, 8}, {1, 4}}, root(0))
                                  .send(0, at(9), leave(10), to(1))
                                  .recv(1, at(5), leave(10), from(0))
                                  .finalize({{12, 12}, {12, 12}}));
  CHECK(report.metric("delay_12n").at(rank(0)) == 1_s);
  check_costs(report, "delay_latesender", "MPI_Bcast", 4_s);
  CHECK(report.metric("mpi_wait_direct_latesender").at(rank(1)) == 4_s);
}

TEST_CASE("in step: a reduction, or an exchange, that one leaves late") {
  // Both have entered at 2, and the first one leaves at 3: then both are in step. 0 leaves at 8,
  // after 5 more in the operation. 1 waits 9 - 4 = 5 for the send of 0.
  for (const char* function : {"MPI_Reduce", "MPI_Allreduce", "MPI_Barrier"}) {
    INFO(function);
    const auto report = analyze(TraceBuilder(2)
                                    .init({{0, 1}, {0, 1}})
                                    .collective(function, {{2, 8}, {2, 3}}, root(0))
                                    .send(0, at(9), leave(10), to(1))
                                    .recv(1, at(4), leave(10), from(0))
                                    .finalize({{12, 12}, {12, 12}}));
    CHECK(report.metric("mpi_latesender").at(rank(1)) == 5_s);
    check_costs(report, "delay_latesender", function, 5_s);
  }
}
