// SPDX-License-Identifier: BSD-3-Clause
// Nonblocking collective operations. The wait is in the call that completes them, each moment of it
// is booked once, and the time of these calls is not point-to-point time.
#include <otf2/otf2.h>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

TEST_CASE("nonblocking collectives: from the entry into the wait to the start of the last one") {
  // Starts at 1, 4, 2; rank 0 waits 2..6, rank 1 5..6, rank 2 from 3 to 6.
  //   N to N, barrier: 4 - 2 = 2, 0, 4 - 3 = 1      from root 1: the same
  //   to root 0: the first of the others starts at 2: 2 - 2 = 0
  //   prefix: rank 0 needs itself only, rank 1 is the last, rank 2 needs rank 1: 4 - 3 = 1
  struct Expected {
    const char* name;
    const char* metric;
    std::uint32_t root;
    Ticks first, third;
    const char* time = "mpi_collective";
  };
  constexpr auto kNone = OTF2_COLLECTIVE_ROOT_NONE;
  for (const auto& [name, metric, r, first, third, time] :
       {Expected{"MPI_Ibarrier", "mpi_barrier_wait", kNone, 2_s, 1_s, "mpi_sync_collective"},
        {"MPI_Iallreduce", "mpi_wait_nxn", kNone, 2_s, 1_s},
        {"MPI_Ireduce_scatter", "mpi_wait_nxn", kNone, 2_s, 1_s},
        {"MPI_Ibcast", "mpi_latebroadcast", 1, 2_s, 1_s},
        {"MPI_Iscatterv", "mpi_latebroadcast", 1, 2_s, 1_s},
        {"MPI_Ireduce", "mpi_earlyreduce", 0, 0, 0},
        {"MPI_Iscan", "mpi_earlyscan", kNone, 0, 1_s}}) {
    INFO(name);
    TraceBuilder t(3);
    const double starts[] = {1, 4, 2};
    const double waits[] = {2, 5, 3};
    for (int i = 0; i < 3; ++i) {
      t.icollective(i, name, at(starts[i]), leave(starts[i] + 0.5), req(1), root(r));
      t.wait(i, at(waits[i]), leave(6), req(1));
    }
    const auto report = analyze(t);
    CHECK(report.metric(metric).at(rank(0), path("MPI_Wait")) == first);
    CHECK(report.metric(metric).at(rank(1)) == 0);
    CHECK(report.metric(metric).at(rank(2), path("MPI_Wait")) == third);
    CHECK(report.metric(metric).total() == first + third);
    // The calls of 4, 1 and 3 s are time of that operation, not of messages.
    CHECK(report.metric("mpi_point2point").total() == 0);
    CHECK(report.metric(time).at(path("MPI_Wait")) == 8_s);
    CHECK(report.metric("mpi").total() == 9.5_s);
    CHECK(report.metric("mpi_barrier_completion").total() == 0);
    CHECK(report.metric("mpi_nxn_completion").total() == 0);
    // The compatible rules do not know these waits.
    const auto base = analyze(t, compatible());
    CHECK(base.metric(metric).total() == 0);
    CHECK(base.metric("mpi_point2point").at(path("MPI_Wait")) == 8_s);
  }
}

TEST_CASE("nonblocking reduction: the root waits for the first of the others") {
  // Root 0 starts at 1 and waits 2..9; the others start at 5 and 7: 5 - 2 = 3
  TraceBuilder t(3);
  t.icollective(0, "MPI_Ireduce", at(1), req(1), root(0)).wait(0, at(2), leave(9), req(1));
  t.icollective(1, "MPI_Ireduce", at(5), req(1), root(0)).wait(1, at(6), req(1));
  t.icollective(2, "MPI_Ireduce", at(7), req(1), root(0)).wait(2, at(8), req(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_earlyreduce").at(rank(0)) == 3_s);
  // Then for the last of them: 7 - 5 = 2
  CHECK(report.metric("mpi_late_contributor").at(rank(0), path("MPI_Wait")) == 2_s);
  CHECK(report.metric("mpi_late_contributor").total() == 2_s);
  CHECK(analyze(t, compatible()).metric("mpi_late_contributor").total() == 0);
}

TEST_CASE("nonblocking reduction: tests before and after the first contribution") {
  // Root 0 starts at 1. It tests 2..3, 4..6, 7..8, and waits from 9 to 12. The others start at 5
  // and
  // 10. For the first: 1 in the first test, 5 - 4 = 1 in the second one. For the last: the rest 1
  // of the second test, 1 in the third one, and 10 - 9 = 1 in the wait.
  TraceBuilder t(3);
  t.icollective(0, "MPI_Igather", at(1), req(1), root(0));
  t.test(0, at(2), leave(3)).test(0, at(4), leave(6)).test(0, at(7), leave(8));
  t.test(0, at(9), leave(12), req(1));
  t.icollective(1, "MPI_Igather", at(5), req(1), root(0)).wait(1, at(6), req(1));
  t.icollective(2, "MPI_Igather", at(10), req(1), root(0)).wait(2, at(11), req(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_earlyreduce").at(rank(0)) == 2_s);
  CHECK(report.metric("mpi_late_contributor").at(rank(0)) == 3_s);
}

TEST_CASE("nonblocking reduction: messages are waited for first") {
  // The root is in MPI_Waitall 2..12 for a message that is sent at 4, and for a gather that the
  // others start at 5 and 9. Late sender 4 - 2 = 2. The gather takes until 9: 7, of which the last
  // 9 - 5 = 4 are for the last contributor. Without the 2 for the message, 1 is for the first one.
  TraceBuilder t(3);
  t.irecv(0, at(0), from(1), req(1)).icollective(0, "MPI_Igather", at(1), req(2), root(0));
  t.waitall(0, at(2), leave(12), req(1), req(2));
  t.send(1, at(4), to(0));
  t.icollective(1, "MPI_Igather", at(5), req(1), root(0)).wait(1, at(6), req(1));
  t.icollective(2, "MPI_Igather", at(9), req(1), root(0)).wait(2, at(10), req(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(0)) == 2_s);
  CHECK(report.metric("mpi_earlyreduce").at(rank(0)) == 1_s);
  CHECK(report.metric("mpi_late_contributor").at(rank(0)) == 4_s);
}

TEST_CASE("nonblocking neighborhoods: until the last neighbor has started") {
  // 0 - 1 - 2: starts 1, 4, 8; waits from 2, 5, 9: rank 0 for rank 1: 2, rank 1 for rank 2: 3
  TraceBuilder t(3);
  t.neighbors(0, world, {1}).neighbors(1, world, {0, 2}).neighbors(2, world, {1});
  const double starts[] = {1, 4, 8};
  for (int i = 0; i < 3; ++i) {
    t.icollective(i, "MPI_Ineighbor_alltoallv", at(starts[i]), req(1));
    t.wait(i, at(starts[i] + 1), leave(starts[i] + 6), req(1));
  }
  const auto report = analyze(t);
  CHECK(report.metric("mpi_late_neighbor").at(rank(0)) == 2_s);
  CHECK(report.metric("mpi_late_neighbor").at(rank(1)) == 3_s);
  CHECK(report.metric("mpi_late_neighbor").total() == 5_s);
}

TEST_CASE("nonblocking collectives: tests wait, also unsuccessful ones") {
  // Started at 1 and 5. Rank 0 tests 2..3 unsuccessfully, then 4..6: 1 + (5 - 4) = 2.
  TraceBuilder t(2);
  t.icollective(0, "MPI_Iallreduce", at(1), req(1)).test(0, at(2), leave(3));
  t.test(0, at(4), leave(6), req(1));
  t.icollective(1, "MPI_Iallreduce", at(5), req(1)).wait(1, at(6), leave(7), req(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_wait_nxn").total() == 2_s);
  CHECK(report.metric("polling_wait_nxn").total() == 2_s);
  CHECK(report.metric("mpi_point2point").total() == 0);
  CHECK(report.metric("mpi_collective").at(path("MPI_Test")) == 3_s);
}

TEST_CASE("a call that completes several kinds books each moment once") {
  // Rank 0 is in MPI_Waitall 2..12 for four requests: a message that is sent at 4, a send that is
  // received from 6 on, a barrier that rank 1 starts at 9 and an allreduce that it starts at 9.5.
  //   late sender 4 - 2 = 2, late receiver (6 - 2) - 2 = 2, allreduce (9.5 - 2) - 2 - 2 = 3.5
  // The barrier would have been a shorter wait.
  TraceBuilder t(2);
  t.irecv(0, at(0), from(1), req(1)).isend(0, at(0), to(1), tag(5), req(2), as("MPI_Issend"));
  t.icollective(0, "MPI_Ibarrier", at(1), req(3)).icollective(0, "MPI_Iallreduce", at(1), req(4));
  t.waitall(0, at(2), leave(12), req(1), req(2), req(3), req(4));
  t.send(1, at(4), to(0)).recv(1, at(6), leave(6.5), from(0), tag(5));
  t.icollective(1, "MPI_Ibarrier", at(9), req(1)).icollective(1, "MPI_Iallreduce", at(9.5), req(2));
  t.waitall(1, at(10), leave(12), req(1), req(2));
  const auto report = analyze(t);
  const path waitall("MPI_Waitall");
  CHECK(report.metric("mpi_latesender").at(rank(0), waitall) == 2_s);
  CHECK(report.metric("mpi_latereceiver").at(rank(0), waitall) == 2_s);
  CHECK(report.metric("mpi_barrier_wait").total() == 0);
  CHECK(report.metric("mpi_wait_nxn").at(rank(0), waitall) == 3.5_s);
  // The call's 10 s include those 3.5 s as collective time. Rank 1's call completes no messages.
  CHECK(report.metric("mpi_collective").at(rank(0), waitall) == 3.5_s);
  CHECK(report.metric("mpi_point2point").at(rank(0), waitall) == 6.5_s);
  CHECK(report.metric("mpi_communication").at(rank(0), waitall) == 10_s);
  CHECK(report.metric("mpi_point2point").at(rank(1), waitall) == 0);
}

TEST_CASE("nonblocking collectives: grid versions, pairs, and one instance per operation") {
  auto t = TraceBuilder(3).metahost(4, "A", {0}).metahost(6, "B", {1, 2});
  // Starts 1 4 2, waits from 2 5 3 to 6: 2, 0, 1 for rank 1
  const double starts[] = {1, 4, 2}, waits[] = {2, 5, 3};
  for (int i = 0; i < 3; ++i) {
    t.icollective(i, "MPI_Iallgather", at(starts[i]), req(1))
        .wait(i, at(waits[i]), leave(6), req(1));
  }
  const auto report = analyze(t);
  CHECK(report.metric("grid_wait_nxn").total() == 3_s);
  CHECK(report.metric("metahost_pairs_wait_nxn_4_6").total() == 2_s);
  CHECK(report.metric("metahost_pairs_wait_nxn_6_6").total() == 1_s);
  CHECK(report.metric("grid_collective").at(path("MPI_Wait")) == 8_s);
  CHECK(report.metric("grid_point2point").total() == 0);
  const auto& found = report.extras()["statistics"]["mpi_wait_nxn"];
  CHECK(found["count"] == 2);
  REQUIRE(found["worst"].size() == 1);
  CHECK(found["worst"][0]["seconds"] == 3);
  CHECK(found["worst"][0]["rank"] == 0);
  CHECK(found["worst"][0]["cause_rank"] == 1);
}

TEST_CASE("a nonblocking collective without all partners is no point-to-point time either") {
  TraceBuilder t(2);
  t.icollective(0, "MPI_Iallreduce", at(1), req(1)).wait(0, at(2), leave(5), req(1));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_wait_nxn").total() == 0);
  CHECK(report.metric("mpi_collective").at(rank(0), path("MPI_Wait")) == 3_s);
  CHECK(report.partial());
}

TEST_CASE(
    "persistent collectives are matched by their initialization, in whatever order they start") {
  // Operation 0 is a barrier, operation 1 an allreduce. Rank 0 starts 0, 1; rank 1 starts 1, 0:
  //   barrier    starts 1, 6    rank 0 waits 2..7: 6 - 2 = 4
  //   reduction  starts 8, 5    rank 1 waits 7..9: 8 - 7 = 1
  for (const bool again : {false, true}) {
    TraceBuilder t(2);
    t.icollective(0, "MPI_Ibarrier", at(1), req(1), as("MPI_Start"), persistent(0));
    t.wait(0, at(2), leave(7), req(1));
    t.icollective(0, "MPI_Iallreduce", at(8), req(2), as("MPI_Start"), persistent(1));
    t.wait(0, at(8), leave(9), req(2));
    t.icollective(1, "MPI_Iallreduce", at(5), req(2), as("MPI_Start"), persistent(1));
    t.icollective(1, "MPI_Ibarrier", at(6), req(1), as("MPI_Start"), persistent(0));
    t.wait(1, at(6.5), leave(7), req(1));
    t.wait(1, at(7), leave(9), req(2));
    if (again) {  // in the other order: starts 10, 12 and 13, 11; waits from 14
      t.icollective(0, "MPI_Ibarrier", at(10), req(1), as("MPI_Start"), persistent(0));
      t.icollective(0, "MPI_Iallreduce", at(13), req(2), as("MPI_Start"), persistent(1));
      t.waitall(0, at(14), leave(15), req(1), req(2));
      t.icollective(1, "MPI_Iallreduce", at(11), req(2), as("MPI_Start"), persistent(1));
      t.icollective(1, "MPI_Ibarrier", at(12), req(1), as("MPI_Start"), persistent(0));
      t.waitall(1, at(14), leave(15), req(1), req(2));
    }
    t.collective("MPI_Barrier", {{20, 22}, {21, 22}});  // wait of 1
    const auto report = analyze(t);
    CHECK(report.metric("mpi_barrier_wait").total() == 5_s);
    CHECK(report.metric("mpi_wait_nxn").total() == 1_s);
    CHECK(report.metric("mpi_wait_nxn").at(rank(1)) == 1_s);
    CHECK_FALSE(report.partial());
  }
}
