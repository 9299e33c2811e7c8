// SPDX-License-Identifier: BSD-3-Clause
// The controlled logical clock, forward: single jumps by hand, random programs against a direct
// pass.
#include "sync/solver.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace latecomer::sync;

namespace {

Topology one_node_each(std::size_t processes, Ticks latency) {
  Topology t;
  for (std::uint32_t p = 0; p < processes; ++p) {
    t.node.push_back(p);
    t.metahost.push_back(p / 2);
  }
  t.latency = {1, latency, 2 * latency};
  return t;
}

// A random program on true time, seen through clocks that are off: the events of all processes in
// an order in which every send stands before its receives.
struct Event {
  enum Kind { kSend, kReceive, kEnter, kExit } kind;
  std::uint32_t process;
  Ticks time;         // as the process's clock shows it
  std::size_t index;  // of the message or operation
};
struct Program {
  Topology topology;
  std::vector<Message> messages;
  std::vector<Operation> operations;
  std::vector<Event> events;
};

Program random_program(std::mt19937& random, std::uint32_t processes, int steps) {
  Program out;
  out.topology = one_node_each(processes, 20);
  std::vector<Ticks> offset, now(processes, 1000), last(processes, -1);
  for (std::uint32_t p = 0; p < processes; ++p) offset.push_back(random() % 200);
  const auto event = [&](Event::Kind kind, std::uint32_t p, std::size_t index) {
    // Clocks drift by up to 1 %; times of one process differ, so their order is clear.
    Ticks shown = now[p] + offset[p] + now[p] * static_cast<Ticks>(p % 3) / 100;
    shown = std::max(shown, last[p] + 1);
    last[p] = shown;
    out.events.push_back({kind, p, shown, index});
    return shown;
  };
  for (int s = 0; s < steps; ++s) {
    const std::uint32_t a = random() % processes;
    std::uint32_t b = random() % processes;
    now[a] += random() % 300;
    if (random() % 8 != 0) {
      if (a == b) continue;
      const auto index = out.messages.size();
      Message m{a, b, 0, 0};
      m.sent = event(Event::kSend, a, index);
      now[b] = std::max(now[b], now[a] + out.topology.minimum(a, b)) + random() % 10 + 1;
      m.received = event(Event::kReceive, b, index);
      out.messages.push_back(m);
      continue;
    }
    const auto index = out.operations.size();
    Operation operation;
    const int type = static_cast<int>(random() % 4);
    operation.prefix = type == 3;
    for (std::uint32_t p = 0; p < processes; ++p) {
      now[p] += random() % 100;
      Participant part{p, type != 1 || p == a, type != 2 || p == a, 0, 0};
      part.enter = event(Event::kEnter, p, index);
      operation.participants.push_back(part);
    }
    Ticks latest = 0;
    for (const auto t : now) latest = std::max(latest, t);
    for (auto& part : operation.participants) {
      now[part.process] = latest + 2 * 20 + random() % 10;
      part.exit = event(Event::kExit, part.process, index);
    }
    out.operations.push_back(operation);
  }
  return out;
}

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
