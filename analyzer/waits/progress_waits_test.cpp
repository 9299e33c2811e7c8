// SPDX-License-Identifier: BSD-3-Clause
// Waiting for the progress of a target: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

constexpr const char* kSync = "mpi_rma_sync_wait_for_progress";
constexpr const char* kComm = "mpi_rma_comm_wait_for_progress";

// An MPI call without records of its own.
void in_mpi(TraceBuilder& t, int rank, double from, double to) {
  t.call(rank, "MPI_Iprobe", at(from), leave(to));
}

}  // namespace

TEST_CASE("wait for progress: until the target enters MPI") {
  // Rank 0 puts 2..2.5 and unlocks 4..10; rank 1 is in MPI 0.5..3 and from 9 on: 9 - 4 = 5.
  auto t = TraceBuilder(2).metahost(1, "A", {0}).metahost(2, "B", {1});
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.5), to(1)).transfer(0, "MPI_Put", w, at(2), leave(2.5), to(1));
  t.unlock(0, w, at(4), leave(10), to(1));
  in_mpi(t, 1, 0.5, 3);
  in_mpi(t, 1, 9, 9.5);
  const auto report = analyze(t);
  CHECK(report.metric(kSync).at(rank(0), path("MPI_Win_unlock")) == 5_s);
  CHECK(report.metric(kSync).total() == 5_s);
  CHECK(report.metric(kComm).total() == 0);
  CHECK(report.metric("grid_rma_sync_wait_for_progress").total() == 5_s);
  CHECK(report.metric("metahost_pairs_rma_sync_wait_for_progress_1_2").total() == 5_s);
  replay::Options compatible;
  compatible.scalasca_compatible = true;
  CHECK(analyze(t, compatible).metric(kSync).total() == 0);
}

TEST_CASE("wait for progress: in a transfer, in a flush, not in epochs of other kinds") {
  // Rank 1 enters MPI at 9 and at 19. Put 2..9.5: 7; flush 12..20: 19 - 12 = 7. A put
  // 22..40 in an epoch without a lock does not count, although rank 1 enters at 30.
  TraceBuilder t(2);
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.5), to(1)).transfer(0, "MPI_Put", w, at(2), leave(9.5), to(1));
  t.window_flush(0, w, at(12), leave(20)).unlock(0, w, at(20), leave(20.5), to(1));
  t.transfer(0, "MPI_Put", w, at(22), leave(40), to(1));
  for (const double time : {9., 19., 30.}) in_mpi(t, 1, time, time + 0.1);
  const auto report = analyze(t);
  CHECK(report.metric(kComm).at(rank(0), path("MPI_Put")) == 7_s);
  CHECK(report.metric(kSync).at(rank(0), path("MPI_Win_flush")) == 7_s);
  CHECK(report.metric(kComm).total() + report.metric(kSync).total() == 14_s);
}

TEST_CASE("wait for progress: a target that is in MPI is not waited for") {
  // Rank 1 is in MPI 3..8, when the unlock begins at 4, and enters it again at 9.
  TraceBuilder t(2);
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.5), to(1)).transfer(0, "MPI_Put", w, at(2), leave(2.5), to(1));
  t.unlock(0, w, at(4), leave(10), to(1));
  in_mpi(t, 1, 3, 8);
  in_mpi(t, 1, 9, 9.5);
  const auto report = analyze(t);
  CHECK(report.metric(kSync).total() == 0);
}

TEST_CASE("wait for progress: of several targets the last one, and the delay is its work") {
  // Unlock of all 4..10: rank 1 enters MPI at 6, rank 2 from its work (1..8) at 8: 8 - 4 = 4.
  TraceBuilder t(3);
  t.init({{0, 1}, {0, 1}, {0, 1}});
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.5), shared{});
  t.transfer(0, "MPI_Put", w, at(2), leave(2.5), to(1));
  t.transfer(0, "MPI_Put", w, at(2.5), leave(3), to(2)).unlock(0, w, at(4), leave(10));
  in_mpi(t, 1, 6, 6.5);
  t.enter(2, "work", at(1)).leave(2, at(8));
  t.finalize({{12, 13}, {11, 13}, {8, 13}});
  const auto report = analyze(t);
  CHECK(report.metric(kSync).at(rank(0), path("MPI_Win_unlock_all")) == 4_s);
  CHECK(report.extras()["statistics"][kSync]["worst"][0]["cause_rank"] == 2);
  CHECK(report.metric("delay_rma_progress").at(rank(2), path("work")) == 4_s);
  CHECK(report.metric("mpi_wait_direct_rma_progress").total() == 4_s);
}

TEST_CASE("wait for progress: behind what was waited for the lock") {
  // Rank 1 unlocks 4..10, rank 0 held the lock until 6: 2 for the lock; rank 2 enters MPI at 9: 3.
  TraceBuilder t(3);
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.1), to(2)).unlock(0, w, at(6), leave(6.5), to(2));
  t.lock(1, w, at(2), leave(2.1), to(2)).unlock(1, w, at(4), leave(10), to(2));
  in_mpi(t, 2, 9, 9.5);
  const auto report = analyze(t);
  CHECK(report.metric("mpi_rma_sync_lock_competition").at(rank(1)) == 2_s);
  CHECK(report.metric(kSync).at(rank(1)) == 3_s);
  CHECK(report.metric(kSync).total() == 3_s);
}

TEST_CASE("wait for progress: what is waited behind a lock is nobody's own time") {
  // Rank 1 waits for the lock 4..6 and for progress 6..9, as above. It spends 1 more of its own in
  // the call. Rank 0 waits for its message 7..10, 3: since both were in step rank 1 did 1 longer.
  TraceBuilder t(3);
  t.init({{0, 1}, {0, 1}, {0, 1}});
  const auto w = t.window();
  t.lock(0, w, at(1), leave(1.1), to(2)).unlock(0, w, at(6), leave(6.5), to(2));
  t.lock(1, w, at(2), leave(2.1), to(2)).unlock(1, w, at(4), leave(10), to(2));
  in_mpi(t, 2, 9, 9.5);
  t.send(1, at(10), leave(10.5), to(0)).recv(0, at(7), leave(11), from(1));
  t.finalize({{12, 13}, {12, 13}, {12, 13}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(0)) == 3_s);
  CHECK(report.metric("delay_latesender").at(rank(1), path("MPI_Win_unlock")) == 1_s);
  CHECK(report.metric("delay_latesender").total() == 1_s);
}
