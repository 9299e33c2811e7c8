// SPDX-License-Identifier: BSD-3-Clause
// Late Neighbor: waits in neighborhood operations for the processes that data comes from, and for
// no others.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

constexpr const char* kLate = "mpi_late_neighbor";

// The neighbors form a row: 0 - 1 - 2 - 3
void row(TraceBuilder& t, Comm comm = world) {
  t.neighbors(0, comm, {1}).neighbors(1, comm, {0, 2}).neighbors(2, comm, {1, 3});
  t.neighbors(3, comm, {2});
}

}  // namespace

TEST_CASE("late neighbor: a row waits for those beside") {
  // begin 3 9 4 1, end 10 10 10 5: latest neighbor 9 4 9 4: waits 6 0 5 3
  for (const char* name :
       {"MPI_Neighbor_allgather", "MPI_Neighbor_alltoall", "MPI_Neighbor_alltoallw"}) {
    TraceBuilder t(4);
    row(t);
    t.collective(name, {{3, 10}, {9, 10}, {4, 10}, {1, 5}});
    const auto report = analyze(t);
    INFO(name);
    CHECK(report.metric(kLate).at(rank(0), path(name)) == 6_s);
    CHECK(report.metric(kLate).at(rank(1)) == 0_s);
    CHECK(report.metric(kLate).at(rank(2)) == 5_s);
    CHECK(report.metric(kLate).at(rank(3)) == 3_s);
    CHECK(report.metric("mpi_wait_nxn").total() == 0);
    CHECK(report.metric("mpi_collective").at(rank(3)) == 4_s);
    CHECK_FALSE(report.partial());
    // One instance for the whole operation: 14 s. Rank 0 waited longest, for rank 1.
    const auto& found = report.extras()["statistics"][kLate];
    CHECK(found["count"] == 3);
    CHECK(found["worst"][0]["seconds"] == 14);
    CHECK(found["worst"][0]["rank"] == 0);
    CHECK(found["worst"][0]["cause_rank"] == 1);
    replay::Options compatible;
    compatible.scalasca_compatible = true;
    const auto base = analyze(t, compatible);
    CHECK(base.metric(kLate).total() == 0);
    CHECK(base.metric("comms").total() == 0);
  }
}

TEST_CASE("late neighbor: a directed ring on a part of the processes") {
  // Ranks 3, 1, 0 of the world; each gets data from the one before: 3 <- 0, 1 <- 3, 0 <- 1.
  //   begin 5 2 1: 3 waits for 0: no; 1 waits for 3: 5 - 2 = 3; 0 waits for 1: 2 - 1 = 1
  TraceBuilder t(4);
  const auto ring = t.communicator({3, 1, 0});
  t.neighbors(3, ring, {2}).neighbors(1, ring, {0}).neighbors(0, ring, {1});
  t.collective("MPI_Barrier", {{0, 0.5}, {0, 0.5}, {0, 0.5}}, on(ring));
  t.collective("MPI_Neighbor_alltoallv", {{5, 7}, {2, 6}, {1, 3}}, on(ring));
  const auto report = analyze(t);
  CHECK(report.metric(kLate).at(rank(3)) == 0_s);
  CHECK(report.metric(kLate).at(rank(1)) == 3_s);
  CHECK(report.metric(kLate).at(rank(0)) == 1_s);
}

TEST_CASE("late neighbor: nothing is claimed where a count may be zero, or nobody is known") {
  // Rank 0 does not record that all its counts are positive; rank 2 receives nothing; the neighbors
  // of rank 3 are unknown. Rank 1 waits for rank 2: 8 - 2 = 6.
  TraceBuilder t(4);
  t.neighbors(0, world, {1, 2}).neighbors(1, world, {0, 2, 1}).neighbors(2, world, {1, 3});
  t.collective(0, "MPI_Neighbor_alltoallv", at(1), leave(9), some_empty{});
  t.collective(1, "MPI_Neighbor_alltoallv", at(2), leave(9));
  t.collective(2, "MPI_Neighbor_alltoallv", at(8), leave(9), received(0));
  t.collective(3, "MPI_Neighbor_alltoallv", at(1), leave(9));
  const auto report = analyze(t);
  CHECK(report.metric(kLate).at(rank(1)) == 6_s);
  CHECK(report.metric(kLate).total() == 6_s);
}

TEST_CASE("late neighbor: its grid version and metahost pairs") {
  // A = {0, 1}, B = {2, 3}. Begins 3 9 4 1: waits 6 (for 1, A), 0, 5 (for 1, A), 3 (for 2, B)
  auto t = TraceBuilder(4).metahost(1, "A", {0, 1}).metahost(2, "B", {2, 3});
  row(t);
  t.collective("MPI_Neighbor_alltoall", {{3, 10}, {9, 10}, {4, 10}, {1, 5}});
  const auto report = analyze(t);
  CHECK(report.metric("grid_late_neighbor").total() == 14_s);
  CHECK(report.metric("metahost_pairs_late_neighbor_1_1").total() == 6_s);
  CHECK(report.metric("metahost_pairs_late_neighbor_2_1").total() == 5_s);
  CHECK(report.metric("metahost_pairs_late_neighbor_2_2").total() == 3_s);
}

TEST_CASE("late neighbor: clocks that disagree are noticed, counted, and corrected") {
  // Rank 3 leaves at 3 although rank 2, which sends to it, enters at 4. The other ranks show no
  // violation.
  TraceBuilder t(4);
  row(t);
  for (int r = 0; r < 4; ++r) t.node("n" + std::to_string(r), {r});
  t.collective("MPI_Neighbor_alltoall", {{3, 10}, {9, 10}, {4, 10}, {1, 3}});
  CHECK(analyze(t, uncorrected()).metric(kLate).at(rank(3)) == 2_s);  // min(4, 3) - 1
  const auto report = analyze(t);
  const auto& steps = report.extras()["clocks"]["steps"];
  REQUIRE(steps.size() > 1);
  CHECK(steps.front()["collectives"] == 1);
  CHECK(steps.front()["messages"] == 0);
  CHECK(steps.back()["collectives"] == 0);
}
