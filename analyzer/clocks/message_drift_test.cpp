// SPDX-License-Identifier: BSD-3-Clause
// When the drift that messages show is used, although more pairs may be too early with it.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/analyze.hpp"

using namespace latecomer::test;
namespace replay = latecomer::replay;

namespace {

// Two nodes; latency 0. The last message is sent at 8: windows are [0, 2), [2, 4), [4, 6), [6, 8].
//
//   window 2   0 sends at 5.4, 1 receives at 5.2: too early by 0.2, so the clock of 1 is 0.2 behind
//   window 1   1 sends at 3.86 and at 3.9, 0 receives `slack` later: no bound is broken
//
// The clock of 1 is right in the middle of window 1, at 3. It is 0.2 behind from the middle of
// window 2 on, at 5. In between the error grows: 1 sent at 3.86 + 0.2 * 0.86 / 2 = 3.946, and at
// 3.9 + 0.09. Both were received earlier, by 0.086 - slack and 0.09 - slack: two are too early
// instead of one.
AnalyzedTrace two_nodes(double slack) {
  TraceBuilder t(2);
  t.node("a", {0}).node("b", {1});
  t.enter(0, "work", at(0)).leave(0, at(2));
  t.send(0, at(2.5), leave(2.6), to(1)).recv(1, at(3), leave(3.5), from(0));
  for (const double sent : {3.86, 3.9}) {
    t.send(1, at(sent), leave(sent + 1e-3), to(0));
    t.recv(0, at(sent + slack - 5e-3), leave(sent + slack), from(1));
  }
  t.send(0, at(5.4), leave(5.41), to(1)).recv(1, at(5.1), leave(5.2), from(0));
  t.send(1, at(5.5), leave(5.51), to(0)).recv(0, at(6), leave(6.5), from(1));
  t.send(0, at(8), leave(8.1), to(1)).recv(1, at(8.5), leave(9), from(0));
  replay::Options options;
  options.correction.latency_inside = 0;
  return analyze(t, options);
}

}  // namespace

TEST_CASE("drift step: left out where it makes more violations, and no less than half to do") {
  // Together 0.076 + 0.08 = 0.156, of 0.2 before: the sum and the largest are less, but there are
  // two violations instead of one.
  const auto report = two_nodes(0.01);
  const auto& steps = report.extras()["clocks"]["steps"];
  INFO(steps.dump());
  REQUIRE(steps.size() == 2);
  CHECK(steps[0]["name"] == "linear");
  CHECK(steps[0]["messages"] == 1);
  CHECK(steps[0]["sum"].get<double>() == Approx(0.2));
  CHECK(steps[1]["name"] == "clc");
  CHECK(steps[1]["messages"] == 0);
}

TEST_CASE("drift step: used where it leaves less than half to do, and says so if that are more") {
  // Together 0.026 + 0.03 = 0.056, of 0.2 before.
  const auto report = two_nodes(0.06);
  const auto& steps = report.extras()["clocks"]["steps"];
  INFO(steps.dump());
  REQUIRE(steps.size() == 3);
  CHECK(steps[1]["name"] == "messages");
  CHECK(steps[1]["messages"] == 2);
  CHECK(steps[1]["sum"].get<double>() == Approx(0.056));
  CHECK(steps[2]["messages"] == 0);
  std::string text;
  for (const auto& note : report.extras()["quality"]) {
    if (note["name"] == "clock_violations") text = note["text"];
  }
  CHECK_THAT(text,
             Catch::Contains("by the measured clocks, 2 after the drift of messages (more, but "
                             "together by 56 ms in place of 200 ms), 0 after the controlled "
                             "logical clock: "));
}
