// SPDX-License-Identifier: BSD-3-Clause
// Corrects times step by step. Each step is judged by the violations that it leaves.
#include "analyzer/clocks/correction.hpp"

#include <algorithm>
#include <map>

#include "analyzer/clocks/clock_condition.hpp"
#include "analyzer/clocks/logical_clock.hpp"
#include "analyzer/clocks/message_drift.hpp"
#include "analyzer/clocks/retime.hpp"

namespace latecomer::replay {
namespace {

using sync::Ticks;

// True if a step is an improvement. The logical clock moves each event that is too early by that
// much, and the events around it. Its work therefore depends on the sum of violations, not on their
// number. If the sum falls below half, new pairs may be too early: most of them by next to nothing,
// as the drift is estimated window by window. Otherwise nothing may be worse than before.
//
//   before   1135 pairs, together 900 us, at most 9 us
//   after    1137 pairs, together 400 us             used, and the note says why
//   after    1137 pairs, together 600 us             not used
//   after    1100 pairs, together 600 us, at most 9  used
bool is_better(const sync::Violations& after, const sync::Violations& before) {
  if (after.sum < before.sum / 2) return true;
  return after.sum < before.sum && after.largest <= before.largest &&
         after.total().all() <= before.total().all();
}

// Applies a correction to all times of a condition.
void apply(CorrectedTimes& corrected, ClockCondition& condition) {
  for (auto& c : condition.channels) {
    for (auto& m : c.messages) {
      m.sent = corrected(c.source, m.sent);
      m.received = corrected(c.target, m.received);
    }
  }
  for (auto& group : condition.groups) {
    for (std::size_t at = 0; at < group.parts.size(); at += group.members.size()) {
      for (std::size_t i = 0; i < group.members.size(); ++i) {
        auto& part = group.parts[at + i];
        part.enter = corrected(group.members[i], part.enter);
        part.exit = corrected(group.members[i], part.exit);
      }
    }
  }
}

// The first event of each hosted process, corrected.
std::map<std::uint32_t, Ticks> first_events(const trace::Definitions& definitions,
                                            const std::vector<trace::LocationEvents>& mine,
                                            CorrectedTimes& corrected) {
  std::map<std::uint32_t, Ticks> starts;
  for (const auto& events : mine) {
    if (events.events == 0) continue;
    const std::uint32_t process = definitions.locations[events.location].process;
    const Ticks start = corrected(process, events.first);
    const auto [it, fresh] = starts.try_emplace(process, start);
    it->second = std::min(it->second, start);
  }
  return starts;
}

// Moves the events of all hosted locations and sums up what was moved.
void retime_all(const trace::Definitions& definitions, std::vector<trace::LocationEvents>& mine,
                CorrectedTimes& corrected, Correction& out, parallel::Processes& processes) {
  Retimed total;
  for (auto& events : mine) {
    const std::uint32_t process = definitions.locations[events.location].process;
    if (corrected.identity(process)) continue;
    total += retime(events, corrected, process);
  }
  out.moved = true;
  out.events_moved = processes.sum(total.moved);
  out.largest_shift = processes.max(total.largest_shift);
  out.largest_growth = processes.max(total.largest_growth);
  out.interval_distortion = static_cast<double>(processes.max(total.distortion_ppm)) * 1e-6;
}

}  // namespace

// Steps: count violations; try the drift of messages; then the logical clock, if any are left.
// Times in `mine` are moved only once, at the end, by the composition of all accepted steps.
Correction correct_times(const trace::Definitions& definitions, const Partition& partition,
                         const sync::Topology& topology, const SharedClocks& clocks,
                         TimeCorrection most, std::vector<trace::LocationEvents>& mine,
                         MatchedMessages& messages, parallel::Processes& processes) {
  Correction out;
  const std::size_t metahosts = std::max<std::size_t>(1, definitions.metahosts.size());
  const auto count = [&](const ClockCondition& condition, auto&& corrected) {
    return count_violations(condition, topology, metahosts, processes, corrected);
  };
  const auto as_it_is = [](std::uint32_t, Ticks t) { return t; };
  auto condition = collect_clock_condition(definitions, mine, messages, partition, processes);
  const bool raw = most == TimeCorrection::kNone;
  out.steps.push_back({raw ? "none" : "linear", count(condition, as_it_is)});
  const auto left = [&] { return out.steps.back().violations.total().all(); };
  if (left() == 0) return {};  // what was suspected is not so
  if (most <= TimeCorrection::kLinear) return out;

  // The drift that messages show is used only if it improves the times.
  auto drift = find_message_drift(condition, topology, clocks, processes);
  if (!drift.empty()) {
    CorrectedTimes better(drift, clocks.clock_of, {});
    apply(better, condition);
    auto found = count(condition, as_it_is);
    const auto& before = out.steps.back().violations;
    if (is_better(found, before)) {
      out.steps.push_back({"messages", std::move(found)});
    } else {
      drift.clear();
      condition = {};  // collected again, since a copy of the old times would need too much memory
      condition = collect_clock_condition(definitions, mine, messages, partition, processes);
    }
  }
  const bool logical = left() != 0 && most == TimeCorrection::kClc;
  if (drift.empty() && !logical) return out;
  std::vector<sync::TimeMap> maps;
  if (logical) {
    CorrectedTimes so_far(drift, clocks.clock_of, {});
    auto clock =
        find_logical_clock(condition, topology, partition, first_events(definitions, mine, so_far),
                           out.steps.back().violations.sum, processes);
    out.decay = clock.decay;
    out.jumps = clock.jumps;
    out.largest_jump = clock.largest_jump;
    out.avalanche = clock.avalanche;
    out.contradiction = clock.contradiction;
    maps = std::move(clock.maps);
    // No violation is left unless constraints contradict each other. The count decides.
    out.steps.push_back(
        {"clc", count(condition, [&](std::uint32_t p, Ticks t) { return maps[p](t); })});
  }
  condition = {};
  out.times = std::make_unique<CorrectedTimes>(std::move(drift), clocks.clock_of, std::move(maps));
  retime_all(definitions, mine, *out.times, out, processes);
  messages.retime(*out.times);
  return out;
}

}  // namespace latecomer::replay
