// SPDX-License-Identifier: BSD-3-Clause
// Waits over time, the matrix of messages, and the order of arrivals: traces of a few lines, the
// arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

double slice(const AnalyzedTrace& report, const char* metric, std::size_t i, std::size_t h = 0) {
  return report.extras()["time_slices"]["metrics"][metric][h][i].get<double>();
}

}  // namespace

TEST_CASE("over time: a wait is split in proportion to the slices that it spans") {
  // A run of 200 s has slices of 2 s. Rank 1 waits from 3 to 8: 1 s in slice 1 (2..4), 2 s each in
  // slices 2 and 3.
  auto t = TraceBuilder(2);
  t.enter(0, "main", at(0)).send(0, at(8), leave(9), to(1)).leave(0, at(200));
  t.recv(1, at(3), leave(10), from(0));
  const auto report = analyze(t);
  CHECK(report.extras()["time_slices"]["count"] == 100);
  CHECK(report.extras()["time_slices"]["seconds"].get<double>() == 2);
  CHECK(slice(report, "mpi_latesender", 0) == 0);
  CHECK(slice(report, "mpi_latesender", 1) == 1);
  CHECK(slice(report, "mpi_latesender", 2) == 2);
  CHECK(slice(report, "mpi_latesender", 3) == 2);
  CHECK(slice(report, "mpi_latesender", 4) == 0);
  CHECK_FALSE(report.extras()["time_slices"]["metrics"].contains("mpi_barrier_wait"));
}

TEST_CASE("over time: slices of each metahost, which add up to the metric") {
  // Run of 100 s. Barrier: rank 0 enters at 10, rank 1 at 12.5, rank 2 at 14; all leave at 15.
  //   metahost 0: rank 0 10..14, rank 1 12.5..14     metahost 1: nothing but completion
  auto t = TraceBuilder(3);
  t.metahost(0, "a", {0, 1}).metahost(1, "b", {2}).enter(0, "main", at(0));
  t.collective("MPI_Barrier", {{10, 15}, {12.5, 15}, {14, 15}}).leave(0, at(100));
  const auto report = analyze(t);
  CHECK(slice(report, "mpi_barrier_wait", 10) == 1);
  CHECK(slice(report, "mpi_barrier_wait", 12) == 1.5);
  CHECK(slice(report, "mpi_barrier_wait", 13) == 2);
  CHECK(slice(report, "mpi_barrier_wait", 13, 1) == 0);
  double sum = 0;
  for (std::size_t i = 0; i < 100; ++i) sum += slice(report, "mpi_barrier_wait", i);
  CHECK(sum == 5.5);
  // All leave together at 15, so no process completes the barrier late.
  CHECK(report.metric("mpi_barrier_completion").total() == 0);
}

TEST_CASE("messages: the matrix of who sends to whom, and sizes by class of link") {
  // Rank 0 sends 8 and 100 bytes to rank 1. Rank 1 sends an empty message (0 bytes) to rank 0. The
  // receiver of the 8 bytes waits from 1 on; they are sent at 4 and arrive at 4.5. The receiver of
  // the 100 bytes comes late.
  auto t = TraceBuilder(2);
  t.send(0, at(4), leave(4.5), to(1), bytes(8)).recv(1, at(1), leave(4.5), from(0), bytes(8));
  t.send(0, at(5), leave(6), to(1), bytes(100)).recv(1, at(7), leave(8), from(0), bytes(100));
  t.send(1, at(9), leave(9.5), to(0), bytes(0)).recv(0, at(9.2), leave(10), from(1), bytes(0));
  const auto messages = analyze(t).extras()["messages"];
  const auto& matrix = messages["matrix"];
  CHECK(matrix["ranks_per_block"] == 1);
  CHECK(matrix["blocks"] == 2);
  CHECK(matrix["pairs"] == nlohmann::json{{0, 1, 2, 108}, {1, 0, 1, 0}});
  REQUIRE(messages["sizes"].size() == 3);
  const auto& eight = messages["sizes"][1];
  CHECK(messages["sizes"][0]["from_bytes"] == 0);
  CHECK(eight["link"] == "node");
  CHECK(eight["from_bytes"] == 8);
  CHECK(eight["measured"] == 1);
  CHECK(eight["shortest"].get<double>() == 0.5);
  CHECK(eight["best_bandwidth"].get<double>() == 16);
  CHECK(eight["bandwidths"] == nlohmann::json{{16, 1}});
  CHECK(messages["sizes"][2]["from_bytes"] == 64);
  CHECK(messages["sizes"][2]["measured"] == 0);
}

TEST_CASE("messages: calls that complete several tell of the one that was sent last") {
  // Rank 0 waits from 2 to 9 for messages sent at 5 (8 bytes) and 7 (100 bytes). The call ended
  // when both had arrived, so the message of 100 bytes took 9 - 7 = 2 s at most; the time of the
  // other is unknown. The message of 4000 bytes was sent at 1, before the call: it was not waited
  // for and does not prevent measuring the others.
  auto t = TraceBuilder(4);
  t.irecv(0, at(0), from(1), bytes(8), req(1)).irecv(0, at(0.5), from(2), bytes(100), req(2));
  t.irecv(0, at(0.6), from(3), bytes(4000), req(3));
  t.waitall(0, at(2), leave(9), req(1), req(2), req(3));
  t.send(1, at(5), to(0), bytes(8)).send(2, at(7), to(0), bytes(100));
  t.send(3, at(1), to(0), bytes(4000));
  // A call that completes only one request is as good as MPI_Wait: sent at 12, arrived at 13.5.
  t.irecv(0, at(10), from(1), bytes(16), req(4)).waitsome(0, at(11), leave(13.5), req(4));
  t.send(1, at(12), to(0), bytes(16));
  // A test does not wait, so it is unknown when the message arrived.
  t.irecv(0, at(14), from(1), bytes(32), req(5)).testall(0, at(15), leave(17), req(5));
  t.send(1, at(16), to(0), bytes(32));
  const auto sizes = analyze(t).extras()["messages"]["sizes"];
  REQUIRE(sizes.size() == 5);
  CHECK(sizes[0]["from_bytes"] == 8);
  CHECK(sizes[0]["measured"] == 0);
  CHECK(sizes[0]["together"] == 1);
  CHECK(sizes[1]["from_bytes"] == 16);
  CHECK(sizes[1]["measured"] == 1);
  CHECK(sizes[1]["mean"].get<double>() == 1.5);
  CHECK_FALSE(sizes[1].contains("together"));
  CHECK(sizes[2]["from_bytes"] == 32);
  CHECK(sizes[2]["measured"] == 0);
  CHECK_FALSE(sizes[2].contains("together"));
  CHECK(sizes[3]["from_bytes"] == 64);
  CHECK(sizes[3]["measured"] == 1);
  CHECK(sizes[3]["longest"].get<double>() == 2);
  CHECK(sizes[4]["from_bytes"] == 2048);
  CHECK(sizes[4]["measured"] == 0);
  CHECK_FALSE(sizes[4].contains("together"));
}

TEST_CASE("messages: more than 256 ranks make a coarser matrix") {
  // 300 ranks: blocks of 2; rank 299 sends to rank 0: block 149 to block 0.
  auto t = TraceBuilder(300);
  t.send(299, at(1), leave(2), to(0)).recv(0, at(1), leave(2), from(299));
  const auto matrix = analyze(t).extras()["messages"]["matrix"];
  CHECK(matrix["ranks_per_block"] == 2);
  CHECK(matrix["blocks"] == 150);
  CHECK(matrix["pairs"] == nlohmann::json{{149, 0, 1, 8}});
}

TEST_CASE("arrivals: who comes last, and how early the others are") {
  // Two allreduces, enters 1 3 2 and 5 6 8, leaves 4 and 9. Early: 2 0 1 and 3 2 0, after the last:
  // 1 each.
  auto t = TraceBuilder(3);
  t.collective("MPI_Allreduce", {{1, 4}, {3, 4}, {2, 4}});
  t.collective("MPI_Allreduce", {{5, 9}, {6, 9}, {8, 9}});
  const auto collectives = analyze(t).extras()["collectives"];
  REQUIRE(collectives.size() == 1);
  const auto& one = collectives[0];
  CHECK(one["operation"] == "allreduce");
  CHECK(one["communicator"] == "MPI_COMM_WORLD");
  CHECK(one["operations"] == 2);
  CHECK(one["processes"] == 3);
  CHECK(one["early_mean"].get<double>() == 8.0 / 6);
  CHECK(one["early_largest"].get<double>() == 3);
  CHECK(one["after_mean"].get<double>() == 1);
  CHECK(one["last"] == nlohmann::json{{1, 1}, {2, 1}});
  // Early times 0 0 1 2 2 3: mean 8/6; deviation: sqrt(18/6 - (8/6)^2).
  CHECK(one["early_smallest"].get<double>() == 0);
  CHECK(one["early_median"].get<double>() == 1);
  CHECK(one["early_deviation"].get<double>() == Approx(std::sqrt(3 - 64.0 / 36)));
  CHECK(one["after_median"].get<double>() == 1);
  CHECK(one["after_deviation"].get<double>() == 0);
  CHECK(one["first"] == nlohmann::json{{0, 2}});
  // Rank, first, last, mean of how early, number of times in first, second, third place: 0 2 1 and
  // 0 1 2.
  CHECK(one["ranks"] == nlohmann::json{{0, 2, 0, 2.5, {2, 0, 0}},
                                       {1, 0, 1, 1.0, {0, 1, 1}},
                                       {2, 0, 1, 0.5, {0, 1, 1}}});
}

TEST_CASE("arrivals: of many ranks those that are first or last most often") {
  // 70 ranks, 3 barriers: rank r enters at r + 1, but rank 69 is first in the third.
  auto t = TraceBuilder(70);
  for (int i = 0; i < 3; ++i) {
    for (int r = 0; r < 70; ++r) {
      const double begin = 100 * i + (i == 2 && r == 69 ? 0.5 : r + 1);
      t.collective(r, "MPI_Barrier", at(begin), leave(100 * i + 80));
    }
  }
  const auto collectives = analyze(t).extras()["collectives"];
  REQUIRE(collectives.size() == 1);
  const auto& one = collectives[0];
  CHECK(one["first"] == nlohmann::json{{0, 2}, {69, 1}});
  CHECK(one["last"] == nlohmann::json{{69, 2}, {68, 1}});
  REQUIRE(one["ranks"].size() == 3);
  CHECK(one["ranks"][2][0] == 69);
  CHECK(one["ranks"][2][1] == 1);
  CHECK(one["ranks"][2][2] == 2);
  // Rank 69 was in places 0 and twice 69 of 70, in 16 groups. Rank 0 was first twice, then second.
  CHECK(one["ranks"][2][4] == nlohmann::json{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
  CHECK(one["ranks"][0][4][0] == 3);
}

TEST_CASE(
    "arrivals: places on several communicators, at equal times, and where somebody is missing") {
  // On the first communicator 2 and 3 enter at the same time, before 1; 0 is not in it. On the
  // second one 1 is missing the second time, which does not count.
  auto t = TraceBuilder(4);
  const Comm some = t.communicator({3, 2, 1}, "some");
  const Comm two = t.communicator({0, 1}, "two");
  t.collective("MPI_Barrier", {{1, 9}, {1, 9}, {5, 9}}, on(some));
  t.collective("MPI_Barrier", {{12, 19}, {10, 19}}, on(two));
  t.collective(0, "MPI_Barrier", at(20), leave(29), on(two));
  const auto collectives = analyze(t).extras()["collectives"];
  REQUIRE(collectives.size() == 2);
  const auto places = [&](std::string_view name) {
    std::map<int, nlohmann::json> found;
    for (const auto& one : collectives) {
      if (one["communicator"] != name) continue;
      for (const auto& of : one["ranks"]) found[of[0]] = of[4];
    }
    return found;
  };
  CHECK(places("some")[2] == nlohmann::json{1, 0, 0});
  CHECK(places("some")[3] == nlohmann::json{0, 1, 0});
  CHECK(places("some")[1] == nlohmann::json{0, 0, 1});
  CHECK(places("two")[1] == nlohmann::json{1, 0});
  CHECK(places("two")[0] == nlohmann::json{0, 1});
}
