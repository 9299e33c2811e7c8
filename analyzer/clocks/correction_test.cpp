// SPDX-License-Identifier: BSD-3-Clause
// Clock correction from the archive to the report: exact small cases, and properties that must
// always hold.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <random>

#include "analyzer/clocks/latencies.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

const nlohmann::json& step(const AnalyzedTrace& report, std::size_t i) {
  return report.extras()["clocks"]["steps"][i];
}

}  // namespace

TEST_CASE(
    "a message that comes too early moves its receive, and what follows, and what was before") {
  // Two nodes, latency 1 s given. The send enters at 9 s; the receive lasts 1..6 s but must not end
  // before 10 s.
  //   jump 4 s at 6 s, decays by 1/1000: at 7 s, where the program ends, still 3.999 s.
  //   Backward: from the first event (1 s) to 6 s a line from 0 to 4 s; the enter at 1 s stays.
  //   late sender = min(9, 10) - 1 = 8 s;  time of rank 1 = (7 + 3.999) - 1
  auto t = TraceBuilder(2).node("a", {0}).node("b", {1});
  t.send(0, at(9), to(1)).recv(1, at(1), leave(6), from(0)).call(1, "work", at(6), leave(7));
  replay::Options options;
  options.correction.latency_inside = 1.0;
  const auto report = analyze(t, options);
  CHECK(report.metric("mpi_latesender").at(rank(1)) == 8_s);
  CHECK(report.metric("time").at(rank(1)) == 9_s + 999_ms);
  CHECK(report.metric("time").at(rank(1), path("MPI_Recv")) == 9_s);
  CHECK(report.metric("time").at(rank(1), path("work")) == 999_ms);
  CHECK(step(report, 0)["name"] == "linear");
  CHECK(step(report, 0)["messages"] == 1);
  CHECK(step(report, 0)["reversed_messages"] == 1);
  CHECK(step(report, 0)["largest"] == 4.0);
  CHECK(step(report, 1)["name"] == "clc");
  CHECK(step(report, 1)["messages"] == 0);
  CHECK(report.extras()["clocks"]["largest_jump"] == 4.0);
}

TEST_CASE("a barrier that is left before the last one came is corrected") {
  // One node: latency 1 ns. Enters 3 and 9, leaves 5 and 10. Rank 1 enters at 9 s and leaves at 10
  // s, which is fine. Rank 0 must not leave before 9 s + 1 ns, but leaves at 5 s.
  auto t = TraceBuilder(2);
  t.collective("MPI_Barrier", {{3, 5}, {9, 10}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_barrier_wait").at(rank(0)) == 6_s);
  CHECK(step(report, 0)["collectives"] == 1);
  CHECK(step(report, 0)["reversed_collectives"] == 1);
  CHECK(step(report, 1)["collectives"] == 0);
}

TEST_CASE("without any correction times are those of each clock, and violations are counted") {
  // Rank 1's clock is 5 s behind: its receive 0..2 s of a send at 3 s lasts 5..7 s on rank 0's
  // clock.
  //   none: the receive ends 1 s before the send, late sender = min(3, 2) - 0
  auto t = TraceBuilder(2).node("a", {0}).node("b", {1});
  t.send(0, at(3), to(1)).recv(1, at(0), leave(2), from(0)).call(1, "work", at(2), leave(3));
  for (const double time : {0.0, 10.0}) {
    t.clock_offset(0, time, 0).clock_offset(1, time, 5_s);
  }
  CHECK(analyze(t).metric("mpi_latesender").total() == 0);
  CHECK(analyze(t).extras()["clocks"]["steps"].empty());
  replay::Options options;
  options.correction.most = replay::TimeCorrection::kNone;
  const auto raw = analyze(t, options);
  CHECK(raw.metric("mpi_latesender").at(rank(1)) == 2_s);
  CHECK(raw.metric("time").at(rank(1)) == 3_s);
  REQUIRE(raw.extras()["clocks"]["steps"].size() == 1);
  CHECK(step(raw, 0)["name"] == "none");
  CHECK(step(raw, 0)["reversed_messages"] == 1);
  CHECK_FALSE(raw.extras()["clocks"].contains("events_moved"));
}

TEST_CASE("offsets are those of the scheme that is asked for") {
  // Offset of rank 1's clock: flat 1 s, hierarchical 2 s, flat-single 3 s; the archive applies 4 s.
  //   send at 5 s, receive from 0 s + offset on: late sender = 5 - offset
  auto t = TraceBuilder(2).node("a", {0}).node("b", {1});
  t.send(0, at(5), to(1)).recv(1, at(0), leave(6), from(0));
  for (const double time : {0.0, 10.0}) {
    t.clock_offset(0, time, 0).clock_offset(1, time, 4_s);
  }
  const auto entry = [](int moment, const char* scheme, long long at, long long offset) {
    return std::to_string(moment) + " 1 0 0 " + scheme + " inside " + std::to_string(at) + " " +
           std::to_string(offset) + " 10 10 10 1 10 1";
  };
  auto& clocks = t.model().process_properties;
  clocks[0]["LATECOMER::CLOCK"] = "0";
  clocks[1]["LATECOMER::CLOCK"] = "1";
  clocks[1]["LATECOMER::CLOCK::0"] =
      entry(0, "f", 0, 1_s) + ";" + entry(0, "h", 1, 2_s) + ";" + entry(0, "s", 2, 3_s);
  clocks[1]["LATECOMER::CLOCK::1"] = entry(1, "f", 9_s, 1_s) + ";" + entry(1, "h", 9_s, 2_s);
  CHECK(analyze(t).metric("mpi_latesender").total() == 1_s);
  using enum latecomer::sync::Scheme;
  for (const auto& [scheme, wait] :
       {std::pair(kFlat, 4_s), std::pair(kHierarchical, 3_s), std::pair(kFlatSingle, 2_s)}) {
    replay::Options options;
    options.correction.scheme = scheme;
    const auto report = analyze(t, options);
    CHECK(report.metric("mpi_latesender").total() == wait);
    CHECK(report.extras()["clocks"]["scheme"] == latecomer::sync::name(scheme));
  }
  clocks[1].erase("LATECOMER::CLOCK::0");
  replay::Options options;
  options.correction.scheme = kFlatSingle;
  CHECK_THROWS_WITH(analyze(t, options),
                    Catch::Contains("no measurements of the clocks by the scheme flat-single (it "
                                    "holds: flat, hierarchical)"));
}

TEST_CASE("a trace without violations is not touched") {
  auto t = TraceBuilder(2);
  t.send(0, at(1), to(1)).recv(1, at(0), leave(2), from(0));
  const auto report = analyze(t);
  CHECK(report.extras()["clocks"]["steps"].empty());
  CHECK_FALSE(report.extras()["clocks"].contains("events_moved"));
}

TEST_CASE("the latency comes from the messages where nobody says it") {
  // Message from 0 to 1: 5 s - 3 s, with a receiver that waits since 1 s. Back: 10 s - 9 s. The
  // latency is half of 2 + 1 = 1.5 s. A message that was not waited for (receive enters after the
  // send) does not count: 11 -> 12.
  auto t = TraceBuilder(2).node("a", {0}).node("b", {1});
  t.send(0, at(3), to(1)).recv(1, at(1), leave(5), from(0));
  t.send(1, at(9), to(0)).recv(0, at(8), leave(10), from(1));
  t.send(0, at(11), to(1)).recv(1, at(11.5), leave(12), from(0));
  const auto report = analyze(t);
  CHECK(report.extras()["clocks"]["latency"]["metahost"] == 1.5);
}

TEST_CASE("latencies as people write them") {
  replay::CorrectionOptions options;
  CHECK(replay::read_latencies("1.5us", options));
  CHECK(*options.latency_inside == Approx(1.5e-6));
  CHECK_FALSE(options.latency_between);
  CHECK(replay::read_latencies("100ns,2ms", options));
  CHECK(*options.latency_between == Approx(2e-3));
  for (const char* text : {"", "1", "us", "1us,", "1us,2us,3us", "-1us", "1us 2us", "nan"}) {
    CHECK_FALSE(replay::read_latencies(text, options));
  }
}

TEST_CASE("random programs with clocks that are off: nothing is too early afterwards") {
  for (unsigned seed = 0; seed < 30; ++seed) {
    std::mt19937 random(seed);
    const int ranks = 2 + static_cast<int>(random() % 4);
    TraceBuilder t(ranks);
    for (int r = 0; r < ranks; ++r) t.node("n" + std::to_string(r), {r});
    std::vector<double> now(static_cast<std::size_t>(ranks), 1), off, drift;
    for (int r = 0; r < ranks; ++r) {
      off.push_back(static_cast<double>(random() % 100) * 1e-3);
      drift.push_back(1 + static_cast<double>(random() % 100) * 1e-4);
    }
    const auto shown = [&](std::size_t r) { return now[r] * drift[r] + off[r]; };
    for (int s = 0; s < 60; ++s) {
      const std::size_t a = random() % now.size();
      const std::size_t b = (a + 1 + random() % (now.size() - 1)) % now.size();
      if (random() % 5 == 0) {
        double latest = 0;
        std::vector<double> begin;
        for (std::size_t r = 0; r < now.size(); ++r) {
          now[r] += static_cast<double>(random() % 100) * 1e-3;
          begin.push_back(shown(r));
          latest = std::max(latest, now[r]);
        }
        for (std::size_t r = 0; r < now.size(); ++r) {
          now[r] = latest + 1e-3;
          t.collective(static_cast<int>(r), "MPI_Allreduce", at(begin[r]), leave(shown(r)), sent(8),
                       received(8));
        }
        continue;
      }
      now[a] += static_cast<double>(random() % 300) * 1e-3;
      t.send(static_cast<int>(a), at(shown(a)), to(static_cast<int>(b)), bytes(8));
      const double begin = shown(b);
      now[b] = std::max(now[b], now[a]) + 1e-3;
      t.recv(static_cast<int>(b), at(begin), leave(shown(b)), from(static_cast<int>(a)), bytes(8));
    }
    replay::Options options;
    options.correction.latency_inside = 1e-3;
    const auto report = analyze(t, options);
    const auto& clocks = report.extras()["clocks"];
    if (clocks["steps"].empty()) continue;
    const auto& last = clocks["steps"].back();
    INFO(clocks.dump());
    CHECK(last["messages"].get<int>() + last["collectives"].get<int>() == 0);
    CHECK(report.metric("mpi_latesender").total() >= 0);
  }
}
