// SPDX-License-Identifier: BSD-3-Clause
// The whole analyzer on scripted traces of a few lines.
#include "tests/support/analyze.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace latecomer::test;

TEST_CASE("late sender: receive posted 4 s before the send") {
  // Rank 0: send enters at 5.   Rank 1: receive enters at 1, leaves at 6.   wait = min(5,6) - 1 = 4
  auto t = TraceBuilder(2).send(0, at(5), to(1)).recv(1, at(1), leave(6), from(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(1)) == 4_s);
  CHECK(report.metric("mpi_latesender").at(rank(0)) == 0_s);
  CHECK(report.metric("mpi_latesender").at(rank(1), path("program/MPI_Recv")) == 4_s);
  CHECK(report.metric("mpi_latesender").total() == 4_s);
}

TEST_CASE("names that the report does not have are no zeros") {
  const auto report = analyze(TraceBuilder(1).enter(0, "main", at(0)).leave(0, at(3)));
  CHECK(report.metric("time").at(rank(0), path("main")) == 3_s);
  CHECK(report.metric("time").at(path("main")) == 3_s);
  CHECK(report.call_paths() == std::vector<std::string>{"program", "program/main"});
  CHECK_THROWS_AS(report.metric("mpi_latesendre"), std::out_of_range);
  CHECK_THROWS_AS(report.metric("time").at(rank(1)), std::out_of_range);
  CHECK_THROWS_AS(report.metric("time").at(rank(0), path("mian")), std::out_of_range);
}

TEST_CASE("a trace without a region for its program is called as the archive") {
  // Old versions of Score-P write such traces; their artificial regions are of other kinds only.
  const auto report =
      analyze(TraceBuilder(1).program("THREADS").enter(0, "main", at(0)).leave(0, at(3)));
  CHECK(report.extras()["program"]["name"] == "trace");  // the directory
  CHECK(report.extras()["program"]["arguments"].empty());
  CHECK(report.call_paths() == std::vector<std::string>{"program", "program/main"});
}
