// SPDX-License-Identifier: BSD-3-Clause
// Properties that hold after every correction of random programs. No violation is left. The order
// of each process's own events stays. Nothing changes where nothing is wrong. The result is the
// same for every number of processes. LATECOMER_RANDOM_PROGRAMS is the number of programs, instead
// of 1000 (250 on three and more processes).
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>

#include "analyzer/clocks/correction.hpp"
#include "analyzer/match/collectives.hpp"
#include "tests/replay/random_run.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

using sync::Ticks;

// All times of a location, in a fixed order of records.
std::vector<Ticks> times_of(const trace::LocationEvents& events) {
  std::vector<Ticks> out;
  for (const auto& send : events.sends) out.push_back(send.time);
  for (const auto& receive : events.receives) out.push_back(receive.time);
  for (const auto& own : events.collectives) out.insert(out.end(), {own.begin, own.end});
  for (const auto& step : events.window_events) out.push_back(step.time);
  for (const auto& call : events.calls) out.insert(out.end(), {call.enter, call.leave});
  for (const auto& poll : events.polls) out.insert(out.end(), {poll.enter, poll.leave});
  out.insert(out.end(), {events.first, events.last});
  return out;
}

struct Corrected {
  replay::Correction correction;
  std::vector<std::vector<Ticks>> before, after;  // of the own locations
  std::vector<trace::LocationEvents> mine;
  trace::CallTree tree{0};
};

Corrected correct(const RandomRun& run, parallel::Processes& processes) {
  Corrected out;
  const auto& definitions = run.definitions();
  const replay::Partition partition(definitions, processes.size());
  out.mine = run.read(partition.locations_of(definitions, processes.rank()), out.tree);
  replay::MatchedMessages messages(definitions, partition, out.mine, processes);
  REQUIRE(messages.unmatched().sends.empty());
  REQUIRE(messages.unmatched().receives.empty());
  replay::count_instances(definitions, out.mine, processes);
  for (const auto& events : out.mine) out.before.push_back(times_of(events));
  out.correction =
      replay::correct_times(definitions, partition, run.topology(), run.clocks(),
                            replay::TimeCorrection::kClc, out.mine, messages, processes);
  for (const auto& events : out.mine) out.after.push_back(times_of(events));
  return out;
}

std::int64_t hash_of(const Corrected& corrected) {
  std::uint64_t sum = 0;  // over locations: independent of their distribution
  for (std::size_t l = 0; l < corrected.mine.size(); ++l) {
    std::uint64_t h = corrected.mine[l].location;
    for (const Ticks t : corrected.after[l])
      h = (h ^ static_cast<std::uint64_t>(t)) * 0x100000001b3;
    // Processes differ in their call paths, so those are hashed in no order and identified by their
    // regions.
    for (std::size_t node = 0; node < corrected.mine[l].time.size(); ++node) {
      const auto time = static_cast<std::uint64_t>(corrected.mine[l].time[node]);
      h += time * (2 * corrected.tree.nodes()[node].region + 1) * 0x9e3779b97f4a7c15 >> 20;
    }
    sum += h & 0xffffffff;
  }
  return static_cast<std::int64_t>(sum);
}

Ticks time_at(const std::vector<trace::LocationEvents>& all, const Point& point) {
  const auto& events = all[point.process];
  switch (point.kind) {
    case Point::kSend:
      return events.sends[point.index].time;
    case Point::kReceive:
      return events.receives[point.index].time;
    case Point::kBegin:
      return events.collectives[point.index].begin;
    case Point::kStep:
      return events.window_events[point.index].time;
    case Point::kStepEnter:
      return events.calls[events.window_events[point.index].call].enter;
    case Point::kEnd:
      break;
  }
  return events.collectives[point.index].end;
}

// Number of broken guarantees, as the program knows them and not as the analyzer finds them. Needs
// all locations on one process.
std::int64_t broken(const RandomRun& run, const std::vector<trace::LocationEvents>& all) {
  return std::ranges::count_if(run.guarantees(), [&](const Guarantee& g) {
    return time_at(all, g.to) <
           time_at(all, g.from) + run.topology().minimum(g.from.process, g.to.process);
  });
}

void check_order(const Corrected& corrected) {
  for (std::size_t l = 0; l < corrected.mine.size(); ++l) {
    std::vector<std::pair<Ticks, Ticks>> times;
    for (std::size_t i = 0; i < corrected.before[l].size(); ++i) {
      times.emplace_back(corrected.before[l][i], corrected.after[l][i]);
    }
    std::ranges::sort(times);
    for (std::size_t i = 1; i < times.size(); ++i) {
      if (times[i].second < times[i - 1].second) FAIL_CHECK("order changed");
      if (times[i].first == times[i - 1].first && times[i].second != times[i - 1].second) {
        FAIL_CHECK("equal times differ");
      }
    }
  }
}

}  // namespace

TEST_CASE("property: what must hold after the correction of random programs") {
  parallel::Processes together(MPI_COMM_WORLD), alone(MPI_COMM_SELF);
  const char* wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  // Tests with more processes than cores take long on a small machine.
  const unsigned usual = together.size() <= 2 ? 1000 : 250;
  const unsigned programs = wanted == nullptr ? usual : static_cast<unsigned>(std::atoi(wanted));
  std::int64_t violated = 0, corrected_programs = 0, guarantees = 0;
  for (unsigned seed = 0; seed < programs; ++seed) {
    INFO("seed " << seed);
    const RandomRun run(seed, seed % 8 == 7);
    const auto parallel = correct(run, together);
    check_order(parallel);
    const auto& steps = parallel.correction.steps;
    if (!steps.empty()) {
      CHECK(steps.back().violations.total().all() == 0);
      CHECK_FALSE(parallel.correction.contradiction);
    }
    // One process analyzes all locations.
    const bool mine =
        seed % static_cast<unsigned>(together.size()) == static_cast<unsigned>(together.rank());
    std::int64_t hash = 0;
    if (mine) {
      const auto whole = correct(run, alone);
      hash = hash_of(whole);
      std::vector<std::uint32_t> everything;
      for (std::uint32_t l = 0; l < run.definitions().locations.size(); ++l)
        everything.push_back(l);
      const std::int64_t before = broken(run, run.read(everything));
      CHECK(broken(run, whole.mine) == 0);
      CHECK((before == 0) == steps.empty());
      if (before == 0) CHECK(whole.after == whole.before);
      if (seed % 8 == 7) CHECK(before == 0);
      violated += before;
      corrected_programs += before > 0 ? 1 : 0;
      guarantees += std::ssize(run.guarantees());
    }
    hash = together.sum(hash);
    CHECK(together.sum(hash_of(parallel)) == hash);
  }
  violated = together.sum(violated);
  corrected_programs = together.sum(corrected_programs);
  guarantees = together.sum(guarantees);
  INFO(violated << " of " << guarantees << " guarantees, " << corrected_programs << " programs");
  CHECK(corrected_programs > programs / 2);
  CHECK(violated > programs);
}
