// SPDX-License-Identifier: BSD-3-Clause
// The controlled logical clock, forward: single jumps by hand, random programs against a direct
// pass.
#include "sync/solver.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "tests/sync/random_program.hpp"

using namespace latecomer::sync;

namespace {

// The definition, event by event in causal order.
std::vector<Shift> direct(const Program& program, Decay decay) {
  std::vector<Shift> shifts(program.topology.node.size(), Shift(decay));
  for (const auto& e : program.events) {
    if (e.kind == Event::kReceive) {
      const auto& m = program.messages[e.index];
      const Ticks bound =
          m.sent + shifts[m.source].at(m.sent) + program.topology.minimum(m.source, m.target);
      shifts[e.process].raise(e.time, bound - e.time);
    } else if (e.kind == Event::kExit) {
      const auto& all = program.operations[e.index].participants;
      Ticks bound = kNoBound;
      for (const auto& p : all) {
        if (p.process == e.process && program.operations[e.index].prefix) break;
        if (p.process == e.process || !p.sends) continue;
        bound = std::max(bound, p.enter + shifts[p.process].at(p.enter) +
                                    program.topology.minimum(p.process, e.process));
      }
      if (all[e.process].receives && bound != kNoBound) {
        shifts[e.process].raise(e.time, bound - e.time);
      }
    }
  }
  return shifts;
}

}  // namespace

TEST_CASE("a jump decays by 1 - gamma") {
  Shift shift(10);
  // decay 10, jump to 6 at 100: 6 - (C - 100) / 10
  CHECK(shift.raise(100, 6));
  CHECK(shift.at(99) == 0);
  CHECK(shift.at(100) == 6);
  CHECK(shift.at(110) == 5);
  CHECK(shift.at(130) == 3);
  CHECK(shift.at(160) == 0);
  CHECK_FALSE(shift.raise(110, 5));
  CHECK(shift.raise(110, 7));
  CHECK(shift.at(100) == 6);
  CHECK(shift.at(120) == 6);
}

TEST_CASE("a message that comes too early moves its receive and what follows") {
  // latency 20: send at 100, receive at 90 -> 120, a jump of 30. The receiver sends at 95:
  // shift 30 - 5/1000 -> 30, so 125, to be received at 145 instead of 110: a jump of 35.
  Solver solver(one_node_each(2, 20), 1000, 1000000);
  solver.add(Message{0, 1, 100, 90});
  solver.add(Message{1, 0, 95, 110});
  CHECK(solver.violations() == 2);
  const auto jumps = solver.propagate();
  CHECK(solver.violations() == 0);
  CHECK(solver.shifts()[1].at(90) == 30);
  CHECK(solver.shifts()[1].at(89) == 0);
  CHECK(solver.shifts()[0].at(110) == 35);
  CHECK(solver.shifts()[0].at(100) == 0);
  CHECK(jumps.size() == 2);
}

TEST_CASE("without violations nothing changes") {
  Solver solver(one_node_each(2, 20), 1000, 1000000);
  solver.add(Message{0, 1, 100, 120});
  CHECK(solver.violations() == 0);
  CHECK(solver.propagate().empty());
  CHECK(solver.shifts()[1].empty());
}

TEST_CASE("contradictory constraints end at the limit") {
  // Both receives lie before both sends at equal times: each pushes the other for ever.
  Solver solver(one_node_each(2, 20), 1000, 5000);
  solver.add(Message{0, 1, 100, 100});
  solver.add(Message{1, 0, 100, 100});
  (void)solver.propagate();
  CHECK(solver.gave_up());
}

TEST_CASE("random programs: least solution, the same as a direct pass, however it is spread") {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t processes = 2 + random() % 6;
    const auto program = random_program(random, processes, 120);
    const Decay decay = seed % 2 == 0 ? 1000 : 10;
    const auto expected = direct(program, decay);

    std::vector<Solver> parts;
    for (int i = 0; i < 3; ++i) parts.emplace_back(program.topology, decay, Ticks{1} << 40);
    for (const auto& m : program.messages) parts[random() % 3].add(m);
    for (const auto& operation : program.operations) parts[random() % 3].add(operation);
    for (bool more = true; more;) {
      more = false;
      for (auto& part : parts) {
        const auto jumps = part.propagate();
        more = more || !jumps.empty();
        for (auto& other : parts) {
          if (&other != &part) other.learn(jumps);
        }
      }
    }
    for (auto& part : parts) {
      CHECK(part.violations() == 0);
      CHECK_FALSE(part.gave_up());
      for (const auto& e : program.events) {
        REQUIRE(part.shifts()[e.process].at(e.time) == expected[e.process].at(e.time));
      }
    }
  }
}
