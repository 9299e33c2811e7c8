// SPDX-License-Identifier: BSD-3-Clause
// The surroundings of the worst waits in the report.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/sampled_trace.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer::test;
using nlohmann::json;

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

json worst(const AnalyzedTrace& report, const char* metric, std::size_t i = 0) {
  return report.extras()["statistics"][metric]["worst"][i];
}

// Calls of a lane: [begin, length, name of the innermost function] in seconds since `from`.
std::vector<std::tuple<double, double, std::string>> calls(const AnalyzedTrace& report,
                                                           const json& timeline, std::size_t lane) {
  std::vector<std::tuple<double, double, std::string>> out;
  const auto& d = report.definitions();
  for (const auto& call : timeline["lanes"][lane]["calls"]) {
    const auto path = call[2].get<std::size_t>();
    out.emplace_back(call[0].get<double>() / kSecond, call[1].get<double>() / kSecond,
                     d.regions[d.call_paths[path].region].name);
  }
  return out;
}

using Calls = std::vector<std::tuple<double, double, std::string>>;

}  // namespace

TEST_CASE("scenes: a late sender, what it did meanwhile, and the message") {
  // Rank 1 waits in MPI_Recv from 20 to 60 for rank 0, which was in "slow" up to 58. The call lasts
  // 20 to 62: a quarter of 42 is added on either side. Rank 2 has nothing to do with it.
  auto t = TraceBuilder(3);
  t.enter(0, "slow", at(5)).leave(0, at(58)).send(0, at(60), leave(61), to(1), bytes(24));
  t.enter(0, "rest", at(61)).leave(0, at(100));
  t.recv(1, at(20), leave(62), from(0), bytes(24));
  t.enter(1, "rest", at(62)).leave(1, at(100));
  t.enter(2, "rest", at(0)).leave(2, at(100));
  const auto report = analyze(t);
  const auto one = worst(report, "mpi_latesender");
  CHECK(one["rank"] == 1);
  CHECK(one["cause_rank"] == 0);
  const auto& d = report.definitions();
  CHECK(d.regions[d.call_paths[one["cause_call_path"].get<std::size_t>()].region].name == "slow");
  const auto& timeline = one["timeline"];
  CHECK(timeline["from"].get<double>() == 9.5);
  CHECK(timeline["to"].get<double>() == 72.5);
  REQUIRE(timeline["lanes"].size() == 2);
  CHECK(timeline["lanes"][0]["rank"] == 0);
  CHECK(timeline["lanes"][1]["rank"] == 1);
  const auto root = d.regions[d.call_paths[0].region].name;
  CHECK(calls(report, timeline, 0) ==
        Calls{{0, 48.5, "slow"}, {48.5, 2, root}, {50.5, 1, "MPI_Send"}, {51.5, 11.5, "rest"}});
  CHECK(std::get<2>(calls(report, timeline, 1).at(1)) == "rest");
  // The lane begins with the first event of rank 1, at 20.
  CHECK(calls(report, timeline, 1).at(0) == std::tuple(10.5, 42.0, std::string("MPI_Recv")));
  CHECK(timeline["lanes"][0]["waits"] == json::array());
  CHECK(timeline["lanes"][1]["waits"] == json{{10.5 * kSecond, 40 * kSecond, "mpi_latesender", 0}});
  CHECK(timeline["messages"] == json{{0, 50.5 * kSecond, 1, 52.5 * kSecond, 24, 0}});
}

TEST_CASE("scenes: a collective operation has lanes of at most eight of its ranks") {
  // Rank 13 is last, rank 4 first.
  auto t = TraceBuilder(16);
  for (int r = 0; r < 16; ++r) {
    t.collective(r, "MPI_Barrier", at(r == 13 ? 30 : r == 4 ? 5 : 10), leave(31));
  }
  const auto report = analyze(t);
  const auto one = worst(report, "mpi_barrier_wait");
  CHECK(one["rank"] == 4);
  CHECK(one["cause_rank"] == 13);
  // Rank 4 waits 25 s, fourteen others 20 s each, the last one does not wait.
  CHECK(one["seconds"] == 305);
  CHECK(one["waiting_ranks"] == 15);
  CHECK(one["longest"] == 25);
  std::vector<int> ranks;
  for (const auto& lane : one["timeline"]["lanes"]) ranks.push_back(lane["rank"].get<int>());
  CHECK(ranks == std::vector<int>{0, 3, 4, 6, 9, 12, 13, 15});
  for (const auto& lane : one["timeline"]["lanes"]) {
    const auto rank = lane["rank"].get<int>();
    const double waited = rank == 13 ? 0 : rank == 4 ? 25 : 20;
    INFO("rank " << rank);
    REQUIRE(lane["waits"].size() == (rank == 13 ? 0 : 1));
    if (rank != 13) CHECK(lane["waits"][0][1].get<double>() == waited * kSecond);
    if (rank != 13) CHECK(lane["waits"][0][3] == 13);
  }
}

TEST_CASE("scenes: calls too short to be seen stand together") {
  // Rank 1 waits from 10 to 90. Meanwhile rank 0 alternates between "a" and "b" 1000 times and is
  // then in "c".
  auto t = TraceBuilder(2);
  t.enter(0, "main", at(0));
  for (int i = 0; i < 1000; ++i) {
    const double begin = 20 + 0.02 * i;
    t.enter(0, "a", at(begin)).leave(0, at(begin + 0.01));
    t.enter(0, "b", at(begin + 0.01)).leave(0, at(begin + 0.02));
  }
  t.enter(0, "c", at(40)).leave(0, at(90)).send(0, at(90), to(1)).leave(0, at(200));
  t.recv(1, at(10), leave(91), from(0));
  const auto report = analyze(t);
  const json lane = worst(report, "mpi_latesender")["timeline"]["lanes"][0];
  REQUIRE(lane["calls"].size() < 40);
  std::int64_t at = 0, changes = 0;
  const auto& d = report.definitions();
  for (const auto& call : lane["calls"]) {
    CHECK(call[0] == at);  // no gaps between calls
    at += call[1].get<std::int64_t>();
    changes += call[3].get<std::int64_t>();
    if (call[3] == 1) continue;
    CHECK(d.regions[d.call_paths[call[2].get<std::size_t>()].region].name == "main");
  }
  CHECK(at == static_cast<std::int64_t>(111.25 * kSecond));
  CHECK(changes > 1900);
}

TEST_CASE("scenes: samples say in which function the cause was") {
  // Rank 1 waits in MPI_Recv from 10 to 50. Rank 0 is in main, with samples of 10 s in relax at 22
  // and 32, and in norm at 42. The call is shown with a quarter of its time, so from 0 on.
  TraceBuilder t(2);
  t.property("LATECOMER::SAMPLES", "3");
  t.model().generators = {{.period = 10, .exponent = 0}};
  const auto relax = stack(t, {"main", "relax"}, 88), norm = stack(t, {"main", "norm"}, 5);
  t.enter_all("main", at(0));
  sample(t, 0, at(22), relax, 0);
  sample(t, 0, at(32), relax, 0);
  sample(t, 0, at(42), norm, 0);
  t.send(0, at(50), leave(50), to(1)).recv(1, at(10), leave(50), from(0)).leave_all(at(60));
  const auto report = analyze(t);
  const auto one = worst(report, "mpi_latesender");
  const auto& d = report.definitions();
  CHECK(d.regions[d.call_paths[one["cause_call_path"].get<std::size_t>()].region].name == "relax");
  CHECK(calls(report, one["timeline"], 0) ==
        Calls{{0, 12, "main"}, {12, 20, "relax"}, {32, 10, "norm"}, {42, 18, "main"}});
}
