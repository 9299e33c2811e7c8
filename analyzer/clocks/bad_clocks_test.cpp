// SPDX-License-Identifier: BSD-3-Clause
// Impossible clocks: the analysis finishes, with times that MPI allows or with a counted note.
#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

std::int64_t count_of(const AnalyzedTrace& report, const std::string& name) {
  for (const auto& note : report.extras()["quality"]) {
    if (note["name"] == name) return note["count"];
  }
  return 0;
}

std::int64_t left(const AnalyzedTrace& report) {
  const auto& steps = report.extras()["clocks"]["steps"];
  if (steps.empty()) return 0;
  return steps.back()["messages"].get<std::int64_t>() +
         steps.back()["collectives"].get<std::int64_t>();
}

// One message in each direction every 10 s. Each takes 1 s. The ranks are on different nodes.
TraceBuilder ping_pong(double rank_1_is_ahead = 0) {
  TraceBuilder t(2);
  t.node("a", {0}).node("b", {1});
  for (double s = 10; s < 100; s += 10) {
    const double there = s + rank_1_is_ahead;
    t.send(0, at(s), to(1)).recv(1, at(there), leave(there + 1), from(0));
    t.send(1, at(there + 2), to(0)).recv(0, at(s + 2), leave(s + 3), from(1));
  }
  return t;
}

}  // namespace

TEST_CASE("offsets with a drift of a half") {
  // The offset is 0 at 10 s and 40 s at 90 s: rank 1's times run 1.5 times as fast.
  auto t = ping_pong();
  t.clock_offset(0, 10.0, 0).clock_offset(0, 90.0, 0);
  t.clock_offset(1, 10.0, 0).clock_offset(1, 90.0, 40_s);
  const auto report = analyze(t);
  CHECK(count_of(report, "clock_violations") == 9);  // all messages from rank 1 to rank 0
  CHECK(left(report) == 0);
  CHECK_FALSE(report.partial());
}

TEST_CASE("deviations of offsets that are no numbers") {
  const auto with = [](double deviation) {
    auto t = ping_pong(2);
    t.clock_offset(0, 10.0, 0, deviation).clock_offset(0, 90.0, 0, deviation);
    t.clock_offset(1, 10.0, -2_s, deviation).clock_offset(1, 90.0, -2_s, deviation);
    return analyze(t).extras();
  };
  const auto expected = with(0);
  CHECK(expected["clocks"].is_object());
  for (const double deviation :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(),
        -std::numeric_limits<double>::infinity(), -1.0, std::numeric_limits<double>::max()}) {
    CHECK(with(deviation) == expected);
  }
}

TEST_CASE("offsets that turn time around") {
  // The offset shrinks by 200 s within 80 s: later events get earlier times. Events after the first
  // reversal are not read, and the report says so.
  auto t = ping_pong();
  t.clock_offset(0, 10.0, 0).clock_offset(0, 90.0, 0);
  t.clock_offset(1, 10.0, 300_s).clock_offset(1, 90.0, 100_s);
  const auto report = analyze(t);
  CHECK(report.partial());
  CHECK(count_of(report, "truncated_locations") == 1);
  CHECK(left(report) == 0);
}

TEST_CASE("two measurements at the same time") {
  // OTF2 refuses such offsets: times stay as the clock showed them, and the report says so.
  auto t = ping_pong();
  t.clock_offset(0, 10.0, 0).clock_offset(0, 90.0, 0);
  t.clock_offset(1, 10.0, 5_s).clock_offset(1, 10.0, 6_s);
  const auto report = analyze(t);
  CHECK(count_of(report, "unread_offsets") == 1);
  CHECK(left(report) == 0);
}

TEST_CASE("one measurement only, as a killed run of another tool may leave it") {
  auto t = ping_pong(-5);
  t.clock_offset(0, 10.0, 0).clock_offset(1, 10.0, 5_s);
  const auto report = analyze(t);
  CHECK(count_of(report, "clock_violations") == 9);  // not corrected by OTF2: 5 s early
  CHECK(left(report) == 0);
}

TEST_CASE("a clock that is off by more than the trace is long") {
  for (const double ahead : {-1e6, 1e6}) {  // eleven days
    TraceBuilder t(2);
    t.node("a", {0}).node("b", {1});
    const double zero = 4e9;  // because times must not be negative
    t.send(0, at(zero), to(1)).recv(1, at(zero + ahead), leave(zero + ahead + 1), from(0));
    t.send(1, at(zero + ahead + 2), to(0)).recv(0, at(zero + 2), leave(zero + 3), from(1));
    const auto report = analyze(t);
    CHECK(count_of(report, "clock_violations") == 1);
    CHECK(left(report) == 0);
    CHECK(report.metric("mpi_latesender").total() >= 0);
  }
}

TEST_CASE("a clock that was set back and stands still until it is right again") {
  // Rank 1's clock shows 20 s for everything that happens from 20 to 60 s. The measurement library
  // records it like that.
  TraceBuilder t(2);
  t.node("a", {0}).node("b", {1});
  for (double s = 10; s < 100; s += 10) {
    const auto shown = [](double time) { return time > 20 && time < 60 ? 20 : time; };
    t.send(0, at(s), to(1)).recv(1, at(shown(s)), leave(shown(s + 1)), from(0));
    t.send(1, at(shown(s + 2)), to(0)).recv(0, at(s + 2), leave(s + 3), from(1));
  }
  const auto report = analyze(t);
  CHECK(count_of(report, "clock_violations") > 0);
  // Receives whose answer was sent at the same time as the first send cannot be put right.
  CHECK(count_of(report, "clock_violations_left") == left(report));
}

TEST_CASE("events at equal times that need each other are counted, not chased") {
  // Both ranks receive and then send at 5 s, but each message takes at least a tick.
  TraceBuilder t(2);
  t.node("a", {0}).node("b", {1});
  t.recv(0, at(1), leave(5), from(1)).send(0, at(5), to(1));
  t.recv(1, at(1), leave(5), from(0)).send(1, at(5), to(0));
  const auto report = analyze(t);
  CHECK(report.extras()["clocks"]["contradiction"] == true);
  CHECK(left(report) > 0);
  CHECK(count_of(report, "clock_violations_left") == left(report));
}

TEST_CASE("metahosts with timers of different rates") {
  // Rank 1's timer runs 2 % fast and is 7 s ahead. It was measured when it showed the times for 10
  // and 90 s. After correction the messages take 1 s again.
  const auto shown = [](double time) { return time * 1.02 + 7; };
  TraceBuilder t(2);
  t.metahost(1, "one", {0}).metahost(2, "two", {1});
  for (double s = 10; s < 100; s += 10) {
    t.send(0, at(s), to(1)).recv(1, at(shown(s - 1)), leave(shown(s + 1)), from(0));
  }
  t.clock_offset(0, 0.0, 0).clock_offset(0, 100.0, 0);
  for (const double time : {10.0, 90.0}) {
    t.clock_offset(1, shown(time), Ticks(std::llround((time - shown(time)) * 1e9)));
  }
  const auto report = analyze(t);
  CHECK(report.extras()["clocks"]["steps"].empty());
  const auto waits = report.metric("mpi_latesender").at(rank(1));
  CHECK(std::abs(waits - 9_s) < 100);  // nine times 1 s, to the rounding
}
