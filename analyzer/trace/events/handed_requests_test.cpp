// SPDX-License-Identifier: BSD-3-Clause
// Requests that one thread starts and another thread of the process completes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

std::int64_t quality(const AnalyzedTrace& report, const std::string& name) {
  for (const auto& one : report.extras()["quality"]) {
    if (one["name"] == name) return one["count"].get<std::int64_t>();
  }
  return 0;
}

constexpr Place kStarter = thread_of(1, 0), kWaiter = thread_of(1, 1);

}  // namespace

TEST_CASE("handed on: a receive is matched where it was posted, waiting is where it is completed") {
  // Receive a is posted first, then b; b is completed first. The sends begin at 3 and 8.
  //   b, the second message: 8 - 2 = 6      a, the first: it had arrived
  TraceBuilder t(2);
  t.send(0, at(3), leave(4), to(1), bytes(100)).send(0, at(8), leave(8.5), to(1), bytes(200));
  t.irecv(kStarter, at(1), leave(1.1), from(0), bytes(100), req(1))
      .irecv(kStarter, at(1.5), leave(1.6), from(0), bytes(200), req(2))
      .call(kStarter, "MPI_Comm_rank", at(12), leave(12));
  t.hand_on(kStarter, kWaiter, req(1)).hand_on(kStarter, kWaiter, req(2));
  t.wait(kWaiter, at(2), leave(9), req(2)).wait(kWaiter, at(9), leave(10), req(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(1, 1), path("MPI_Wait")) == 6_s);
  CHECK(report.metric("mpi_latesender").total() == 6_s);
  CHECK(quality(report, "unresolved_requests") == 0);
  CHECK(quality(report, "unmatched_receives") == 0);
}

TEST_CASE("handed on: a receive that was posted in time is no late receiver") {
  // The send waits from 2 to 6. The receive is posted at 1 and waited for from 4 on.
  TraceBuilder t(2);
  t.send(0, at(2), leave(6), to(1), as("MPI_Ssend"));
  t.irecv(kStarter, at(1), leave(1.1), from(0), req(1))
      .call(kStarter, "MPI_Comm_rank", at(12), leave(12));
  t.hand_on(kStarter, kWaiter, req(1)).wait(kWaiter, at(4), leave(6), req(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latereceiver").total() == 0);
  CHECK(report.metric("mpi_latesender").total() == 0);
}

TEST_CASE("handed on: a collective operation begins where it is started") {
  // The barrier is started at 1 and 4; the waiter of rank 1 is in its wait from 2 on: 4 - 2 = 2.
  // The allreduce is started at 1.6 and 7, and is completed before the barrier.
  TraceBuilder t(2);
  t.icollective(0, "MPI_Ibarrier", at(4), leave(4.5), req(1))
      .icollective(0, "MPI_Iallreduce", at(7), leave(7.5), req(2))
      .wait(0, at(8), leave(8), req(1))
      .wait(0, at(8), leave(8), req(2));
  t.icollective(kStarter, "MPI_Ibarrier", at(1), leave(1.5), req(1))
      .icollective(kStarter, "MPI_Iallreduce", at(1.6), leave(1.7), req(2))
      .call(kStarter, "MPI_Comm_rank", at(12), leave(12));
  t.hand_on(kStarter, kWaiter, req(1)).hand_on(kStarter, kWaiter, req(2));
  t.wait(kWaiter, at(2), leave(8), req(2)).wait(kWaiter, at(8), leave(8), req(1));
  const auto report = analyze(t);
  // Allreduce, begun at 1.6 and 7: 7 - 2 = 5. The barrier was complete long ago.
  CHECK(report.metric("mpi_wait_nxn").at(rank(1, 1), path("MPI_Wait")) == 5_s);
  CHECK(report.metric("mpi_wait_nxn").total() == 5_s);
  CHECK(report.metric("mpi_barrier_wait").total() == 0);
  CHECK(quality(report, "unresolved_requests") == 0);
  CHECK(quality(report, "unmatched_collectives") == 0);
}

TEST_CASE("handed on: a send that another thread finds cancelled was not sent") {
  TraceBuilder t(2);
  t.call(0, "MPI_Comm_rank", at(1), leave(1));
  t.isend(kStarter, at(1), leave(1.5), to(0), req(1)).cancel(kStarter, at(2), leave(2), req(1));
  t.hand_on(kStarter, kWaiter, req(1)).wait(kWaiter, at(3), leave(4), req(1));
  const auto report = analyze(t);
  CHECK(quality(report, "unmatched_sends") == 0);
}

TEST_CASE("handed on: bytes of a file stand where they were asked for") {
  TraceBuilder t(1);
  t.model().files = true;
  const Place waiter = thread_of(0, 1);
  t.enter(0, "MPI_File_iwrite", at(1))
      .raw(0, at(1),
           [](OTF2_EvtWriter* out, OTF2_TimeStamp time) {
             OTF2_EvtWriter_IoOperationBegin(out, nullptr, time, 0, OTF2_IO_OPERATION_MODE_WRITE,
                                             OTF2_IO_OPERATION_FLAG_NON_BLOCKING, 40, 7);
           })
      .leave(0, at(2))
      .enter(waiter, "MPI_Wait", at(3))
      .raw(waiter, at(5),
           [](OTF2_EvtWriter* out, OTF2_TimeStamp time) {
             OTF2_EvtWriter_IoOperationComplete(out, nullptr, time, 0, 40, 7);
           })
      .leave(waiter, at(5));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_file_iwbytes").at(rank(0, 0), path("MPI_File_iwrite")) == 40);
  CHECK(report.metric("mpi_file_bytes").total() == 40);
  // The wait 3..5 is time of file I/O, too.
  CHECK(report.metric("mpi_io_individual").at(rank(0, 1), path("MPI_Wait")) == 2_s);
}
