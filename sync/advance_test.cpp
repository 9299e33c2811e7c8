// SPDX-License-Identifier: BSD-3-Clause
// Backward amortization: values computed by hand, and properties that hold for random programs.
#include "sync/advance.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "sync/solver.hpp"
#include "sync/time_map.hpp"
#include "sync/violations.hpp"
#include "tests/sync/random_program.hpp"
#include "tests/sync/solve.hpp"

using namespace latecomer::sync;

TEST_CASE("events before a jump are advanced by a line") {
  Shift shift(1000);
  shift.raise(1000, 4);
  const Advance advance(shift, 0, {});
  // The ramp has length 400: from 600 on, (C - 600) * 4 / 400, rounded down.
  CHECK(advance.at(600) == 0);
  CHECK(advance.at(700) == 1);
  CHECK(advance.at(899) == 2);
  CHECK(advance.at(900) == 3);
  CHECK(advance.at(999) == 3);
  CHECK(advance.at(1000) == 0);
  CHECK(advance.at(500) == 0);
}

TEST_CASE("the interval is shorter at the beginning of the trace") {
  Shift shift(1000);
  shift.raise(1000, 4);
  const Advance advance(shift, 900, {});
  // The ramp has length 100: (C - 900) * 4 / 100.
  CHECK(advance.at(900) == 0);
  CHECK(advance.at(950) == 2);
}

TEST_CASE("the line bends down to a send with less room") {
  Shift shift(1000);
  shift.raise(1000, 4);
  const std::vector<Slack> slacks = {{700, 9}, {800, 1}, {900, 9}};
  const Advance advance(shift, 0, slacks);
  // The shift rises in 600..800 from 0 to 1, in 800..1000 from 1 to 4.
  CHECK(advance.at(700) == 0);
  CHECK(advance.at(800) == 1);
  CHECK(advance.at(900) == 2);
  CHECK(advance.at(980) == 3);
}

TEST_CASE(
    "random programs: no violation is left, local order stays, clean traces stay as they are") {
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t processes = 2 + random() % 6;
    const auto program = random_program(random, processes, 150);
    const Decay decay = seed % 3 == 0 ? 10 : 1000;
    const auto channels = program.channels();
    const auto groups = program.groups();
    Solver solver(program.topology, channels, groups, decay, Ticks{1} << 40);
    const bool clean = !solve(solver);

    const auto forward = [&](std::uint32_t p, Ticks c) { return c + solver.shifts()[p].at(c); };
    std::vector<std::vector<Slack>> slacks(processes);
    for (const auto& m : program.messages) {
      const Ticks latest =
          forward(m.target, m.received) - program.topology.minimum(m.source, m.target);
      slacks[m.source].push_back({m.sent, latest - forward(m.source, m.sent)});
    }
    GroupBounds bounds(program.topology, groups[0].members);
    for (const auto& operation : program.operations) {
      std::vector<Ticks> exits;
      for (std::uint32_t p = 0; p < processes; ++p) {
        exits.push_back(forward(p, operation.parts[p].exit));
      }
      const auto limits = bounds.latest_enters(operation.parts, operation.prefix, exits);
      for (std::uint32_t p = 0; p < processes; ++p) {
        if (limits[p] == GroupBounds::kNoLimit) continue;
        const Ticks enter = operation.parts[p].enter;
        slacks[p].push_back({enter, limits[p] - forward(p, enter)});
      }
    }
    std::vector<Ticks> first(processes, INT64_MAX);
    for (const auto& e : program.events) first[e.process] = std::min(first[e.process], e.time);
    std::vector<Advance> advances;
    for (std::uint32_t p = 0; p < processes; ++p) {
      std::ranges::sort(slacks[p], {}, &Slack::at);
      advances.emplace_back(solver.shifts()[p], first[p], slacks[p]);
    }
    std::vector<TimeMap> maps;
    for (std::uint32_t p = 0; p < processes; ++p) {
      maps.emplace_back(solver.shifts()[p], advances[p].lines());
    }
    const auto corrected = [&](std::uint32_t p, Ticks c) {
      return forward(p, c) + advances[p].at(c);
    };

    CHECK(count_violations(program.topology, processes, channels, groups, corrected).total() ==
          ViolationCounts{});
    std::vector<Ticks> last(processes, INT64_MIN);
    for (const auto& e : program.events) {
      const Ticks now = corrected(e.process, e.time);
      REQUIRE(maps[e.process](e.time) == now);
      REQUIRE(now >= last[e.process]);
      REQUIRE(now >= e.time);
      if (clean) REQUIRE(now == e.time);
      last[e.process] = now;
    }
  }
}
