// SPDX-License-Identifier: BSD-3-Clause
// POP efficiencies: a trace of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

// The run lasts from 0 to 13; 0..1 and 12..13 MPI starts and ends: 11 are left. Useful: 0: 4 + 4 =
// 8, 1: 2 + 5 = 7; 7.5 on average.
//   0   init 0..1   work 1..5   send 5..6   6..10    finalize 10..13
//   1   init 0..1   work 1..3   recv 3..7   7..12    finalize 12..13
TraceBuilder two() {
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .enter(0, "work", at(1))
      .leave(0, at(5))
      .send(0, at(5), leave(6), to(1))
      .enter(1, "work", at(1))
      .leave(1, at(3))
      .recv(1, at(3), leave(7), from(0))
      .finalize({{10, 13}, {12, 13}});
  return t;
}

}  // namespace

TEST_CASE("efficiency: products of what the trace lost") {
  const auto efficiency = analyze(two()).extras()["efficiency"];
  CHECK(efficiency["run_time"].get<double>() == 11);
  CHECK(efficiency["useful"]["mean"].get<double>() == 7.5);
  CHECK(efficiency["useful"]["largest"].get<double>() == 8);
  CHECK(efficiency["useful"]["rank"] == 0);
  CHECK(efficiency["parallel"].get<double>() == 7.5 / 11);
  CHECK(efficiency["load_balance"].get<double>() == 7.5 / 8);
  CHECK(efficiency["communication"].get<double>() == 8.0 / 11);
  // The critical path is 1 from 12 back to 5, when the message was sent, of which MPI_Recv has 2,
  // then 0, which did work 4 and MPI_Init 1: 5 + 4 = 9 are no MPI.
  CHECK(efficiency["ideal_run_time"].get<double>() == 9);
  CHECK(efficiency["serialization"].get<double>() == 8.0 / 9);
  CHECK(efficiency["transfer"].get<double>() == 9.0 / 11);
  CHECK(efficiency["metahosts"].empty());
}

TEST_CASE("efficiency: what comes before MPI_Init is part of the ideal run") {
  // Alone on a processor: setup 0..4, init 4..5, finalize 8..10. Useful 4 + 3 = 7 of 10 - 1 - 2 =
  // 7, and no network makes it shorter than that.
  auto t = TraceBuilder(1);
  t.enter(0, "setup", at(0)).leave(0, at(4)).init({{4, 5}}).finalize({{8, 10}});
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["parallel"].get<double>() == 1);
  CHECK(efficiency["load_balance"].get<double>() == 1);
  CHECK(efficiency["ideal_run_time"].get<double>() == 7);
  CHECK(efficiency["serialization"].get<double>() == 1);
  CHECK(efficiency["transfer"].get<double>() == 1);
}

TEST_CASE("efficiency: without MPI_Init there is no critical path to tell the ideal run from") {
  auto t = TraceBuilder(2).send(0, at(1), leave(2), to(1)).recv(1, at(0), leave(4), from(0));
  const auto efficiency = analyze(t).extras()["efficiency"];
  CHECK(efficiency["run_time"].get<double>() == 4);
  CHECK(efficiency["serialization"].is_null());
  CHECK(efficiency["transfer"].is_null());
}

TEST_CASE("efficiency: metahosts have their own") {
  auto t = two();
  t.metahost(0, "fast", {0}).metahost(1, "slow", {1});
  const auto efficiency = analyze(t).extras()["efficiency"];
  REQUIRE(efficiency["metahosts"].size() == 2);
  CHECK(efficiency["metahosts"][0]["name"] == "fast");
  CHECK(efficiency["metahosts"][0]["parallel"].get<double>() == 8.0 / 11);
  CHECK(efficiency["metahosts"][1]["parallel"].get<double>() == 7.0 / 11);
  CHECK(efficiency["metahosts"][1]["load_balance"].get<double>() == 1);
}
