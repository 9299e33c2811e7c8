// SPDX-License-Identifier: BSD-3-Clause
// The controlled logical clock over all processes of the analysis: jumps travel to everybody, the
// room that receives leave to their sends travels back to the senders.
#include "analyzer/replay/correction.hpp"

#include <algorithm>
#include <map>

#include "analyzer/replay/clock_condition.hpp"
#include "analyzer/replay/message_drift.hpp"
#include "analyzer/replay/retime.hpp"
#include "sync/advance.hpp"
#include "sync/solver.hpp"

namespace latecomer::replay {
namespace {

using sync::Advance;
using sync::Decay;
using sync::Shift;
using sync::Slack;
using sync::Ticks;

// gamma = 0.999; if shifts then run away, 0.99, then 0.9, which stands.
constexpr std::array<Decay, 3> kDecays = {1000, 100, 10};
constexpr Ticks kLimit = Ticks{1} << 50;  // of a shift; only contradictions reach it

// What the analysis processes find together.
struct Forward {
  std::vector<Shift> shifts;  // of every process, the same everywhere
  Decay decay = 0;
  Ticks largest_shift = 0, largest_jump = 0;
  bool gave_up = false;
};

// Least shifts for one gamma. The next round begins only where somebody learned something.
Forward solve(const ClockCondition& condition, const sync::Topology& topology, Decay decay,
              parallel::Processes& processes) {
  sync::Solver solver(topology, condition.channels, condition.groups, decay, kLimit);
  for (;;) {
    const auto jumps = solver.propagate();
    parallel::Packer pack;
    for (const auto& jump : jumps) pack.put(jump);
    const auto found = processes.all_gather(pack.take());
    bool any = false;
    for (std::size_t p = 0; p < found.size(); ++p) {
      any = any || !found[p].empty();
      if (static_cast<int>(p) == processes.rank()) continue;
      std::vector<sync::Jump> others;
      for (parallel::Unpacker in(found[p]); !in.done();) others.push_back(in.get<sync::Jump>());
      solver.learn(others);
    }
    if (!any) break;
  }
  Forward out;
  out.shifts = solver.shifts();
  out.decay = decay;
  out.gave_up = processes.max(solver.gave_up() ? 1 : 0) != 0;
  for (const auto& shift : out.shifts) {
    shift.for_each([&](Ticks at, Ticks size) {
      out.largest_shift = std::max(out.largest_shift, size);
      out.largest_jump = std::max(out.largest_jump, shift.at(at) - shift.at(at - 1));
    });
  }
  return out;
}

// The intervals before the jumps of a process in which its events may be advanced, merged.
class Stretches {
 public:
  explicit Stretches(const Shift& shift) {
    std::vector<std::pair<Ticks, Ticks>> all;
    shift.for_each([&](Ticks at, Ticks) {
      const Ticks size = shift.at(at) - shift.at(at - 1);
      if (size > 0) all.emplace_back(at - Advance::kStretch * size, at);
    });
    std::ranges::sort(all);
    for (const auto& [from, to] : all) {
      if (!merged_.empty() && from <= merged_.back().second) {
        merged_.back().second = std::max(merged_.back().second, to);
      } else {
        merged_.emplace_back(from, to);
      }
    }
  }
  [[nodiscard]] bool hold(Ticks t) const {
    const auto after =
        std::ranges::upper_bound(merged_, t, {}, [](const auto& stretch) { return stretch.first; });
    return after != merged_.begin() && t < std::prev(after)->second;
  }
  [[nodiscard]] bool empty() const { return merged_.empty(); }

 private:
  std::vector<std::pair<Ticks, Ticks>> merged_;
};

// Room of the sends in those intervals, sent to the hosts of the senders: per process, by time.
std::map<std::uint32_t, std::vector<Slack>> exchange_slacks(const ClockCondition& condition,
                                                            const sync::Topology& topology,
                                                            const Partition& partition,
                                                            const Forward& forward,
                                                            parallel::Processes& processes) {
  std::vector<Stretches> stretches;
  for (const auto& shift : forward.shifts) stretches.emplace_back(shift);
  const auto corrected = [&](std::uint32_t p, Ticks t) { return t + forward.shifts[p].at(t); };
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  const auto put = [&](std::uint32_t process, Ticks at, Ticks latest) {
    auto& pack = packs[static_cast<std::size_t>(partition.host_of(process))];
    pack.put(process);
    pack.put(Slack{at, latest - corrected(process, at)});
  };
  for (const auto& c : condition.channels) {
    if (stretches[c.source].empty()) continue;
    const Ticks minimum = topology.minimum(c.source, c.target);
    for (const auto& m : c.messages) {
      if (stretches[c.source].hold(m.sent)) {
        put(c.source, m.sent, corrected(c.target, m.received) - minimum);
      }
    }
  }
  std::vector<Ticks> exits;
  for (const auto& group : condition.groups) {
    sync::GroupBounds bounds(topology, group.members);
    for (std::size_t o = 0; o < group.size(); ++o) {
      const auto parts = group.operation(o);
      bool any = false;
      for (std::size_t i = 0; i < parts.size() && !any; ++i) {
        any = parts[i].sends && stretches[group.members[i]].hold(parts[i].enter);
      }
      if (!any) continue;
      exits.resize(parts.size());
      for (std::size_t i = 0; i < parts.size(); ++i) {
        exits[i] = corrected(group.members[i], parts[i].exit);
      }
      const auto latest = bounds.latest_enters(parts, group.prefix[o], exits);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        if (latest[i] == sync::GroupBounds::kNoLimit) continue;
        if (stretches[group.members[i]].hold(parts[i].enter)) {
          put(group.members[i], parts[i].enter, latest[i]);
        }
      }
    }
  }
  std::vector<parallel::Bytes> out;
  for (auto& pack : packs) out.push_back(pack.take());
  std::map<std::uint32_t, std::vector<Slack>> slacks;
  for (const auto& bytes : processes.exchange(std::move(out))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto process = in.get<std::uint32_t>();
      slacks[process].push_back(in.get<Slack>());
    }
  }
  for (auto& [process, list] : slacks) {
    std::ranges::sort(list, {}, [](const Slack& s) { return std::pair(s.at, s.room); });
  }
  return slacks;
}

// Gamma control: until no avalanche, with the last gamma in any case.
Forward solve_controlled(const ClockCondition& condition, const sync::Topology& topology,
                         Correction& out, parallel::Processes& processes) {
  Forward forward;
  for (const Decay decay : kDecays) {
    forward = solve(condition, topology, decay, processes);
    out.avalanche = forward.largest_shift > forward.largest_jump;
    if (!out.avalanche) break;
  }
  out.decay = forward.decay;
  out.largest_jump = forward.largest_jump;
  out.contradiction = forward.gave_up;
  for (const auto& shift : forward.shifts) shift.for_each([&](Ticks, Ticks) { ++out.jumps; });
  return forward;
}

// All times of a pair as other functions have them.
template <typename Corrected>
void apply(Corrected&& corrected, ClockCondition& condition) {
  for (auto& c : condition.channels) {
    for (auto& m : c.messages) {
      m.sent = corrected(c.source, m.sent);
      m.received = corrected(c.target, m.received);
    }
  }
  for (auto& group : condition.groups) {
    for (std::size_t i = 0; i < group.parts.size(); ++i) {
      auto& part = group.parts[i];
      const std::uint32_t process = group.members[i % group.members.size()];
      part.enter = corrected(process, part.enter);
      part.exit = corrected(process, part.exit);
    }
  }
}

// The functions of one process, one after the other.
class Corrections {
 public:
  Corrections(std::vector<sync::PiecewiseLinear> drift, const std::vector<std::uint32_t>& clock_of,
              Forward forward, std::map<std::uint32_t, std::vector<Slack>> slacks)
      : drift_(std::move(drift)),
        clock_of_(clock_of),
        forward_(std::move(forward)),
        slacks_(std::move(slacks)) {}

  // `locations` are those of the process.
  [[nodiscard]] ProcessTimes of(std::uint32_t process,
                                std::span<const trace::LocationEvents> locations) const {
    ProcessTimes times;
    if (!drift_.empty()) times.drift = drift_[clock_of_[process]];
    Ticks start = INT64_MAX;
    for (const auto& events : locations) {
      if (events.events > 0) start = std::min(start, times.drift(events.first));
    }
    times.logical = logical_clock(process, start);
    return times;
  }

 private:
  [[nodiscard]] sync::TimeMap logical_clock(std::uint32_t process, Ticks start) const {
    if (forward_.shifts.empty()) return {};
    const auto room = slacks_.find(process);
    const Advance advance(forward_.shifts[process], start,
                          room == slacks_.end() ? std::span<const Slack>() : room->second);
    return {forward_.shifts[process], advance};
  }

  std::vector<sync::PiecewiseLinear> drift_;  // per clock, or none
  const std::vector<std::uint32_t>& clock_of_;
  Forward forward_;
  std::map<std::uint32_t, std::vector<Slack>> slacks_;
};

}  // namespace

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
  auto condition = collect_clock_condition(definitions, mine, messages, processes);
  const bool raw = most == TimeCorrection::kNone;
  out.steps.push_back({raw ? "none" : "linear", count(condition, as_it_is)});
  const auto left = [&] { return out.steps.back().violations.total().all(); };
  if (left() == 0 || most <= TimeCorrection::kLinear) return out;

  // The drift that messages show is believed only where it makes the times better.
  auto drift = find_message_drift(condition, topology, clocks, processes);
  if (!drift.empty()) {
    const auto better = [&](std::uint32_t p, Ticks t) { return drift[clocks.clock_of[p]](t); };
    auto found = count(condition, better);
    const auto& before = out.steps.back().violations;
    if (found.sum < before.sum / 2 || (found.sum < before.sum && found.largest <= before.largest)) {
      out.steps.push_back({"messages", std::move(found)});
      apply(better, condition);
    } else {
      drift.clear();
    }
  }
  Forward forward;
  std::map<std::uint32_t, std::vector<Slack>> slacks;
  const bool logical = left() != 0 && most == TimeCorrection::kClc;
  if (logical) {
    forward = solve_controlled(condition, topology, out, processes);
    slacks = exchange_slacks(condition, topology, partition, forward, processes);
  }
  if (drift.empty() && !logical) return out;
  condition = {};

  const Corrections corrections(std::move(drift), clocks.clock_of, std::move(forward),
                                std::move(slacks));
  Retimed total;
  const auto process_of = [&](std::size_t l) {
    return definitions.locations[mine[l].location].process;
  };
  for (std::size_t first = 0; first < mine.size();) {
    std::size_t last = first;
    while (last < mine.size() && process_of(last) == process_of(first)) ++last;
    const auto locations = std::span(mine).subspan(first, last - first);
    const auto& times = out.times[process_of(first)] = corrections.of(process_of(first), locations);
    for (auto& events : locations) {
      if (!times.drift.knots().empty()) {
        total += retime(events, times);
      } else if (!times.identity()) {
        total += retime(events, times.logical);
      }
    }
    first = last;
  }
  out.moved = true;
  out.events_moved = processes.sum(total.moved);
  out.largest_shift = processes.max(total.largest_shift);
  out.largest_growth = processes.max(total.largest_growth);
  out.interval_distortion = static_cast<double>(processes.max(total.distortion_ppm)) * 1e-6;
  messages.refresh_times(mine, processes);
  if (logical) {
    condition = collect_clock_condition(definitions, mine, messages, processes);
    out.steps.push_back({"clc", count(condition, as_it_is)});
  }
  return out;
}

}  // namespace latecomer::replay
