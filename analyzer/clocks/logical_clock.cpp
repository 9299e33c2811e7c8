// SPDX-License-Identifier: BSD-3-Clause
// Three exchanges: jumps are sent to all processes; the room of sends, as their receivers know it,
// is sent back to the senders; the resulting corrections are sent to all processes.
#include "analyzer/clocks/logical_clock.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "sync/advance.hpp"
#include "sync/shift.hpp"
#include "sync/solver.hpp"

namespace latecomer::replay {
namespace {

using sync::Advance;
using sync::Decay;
using sync::Shift;
using sync::Slack;
using sync::Ticks;

// gamma = 0.999; if a shift then exceeds the largest jump, 0.99; then 0.9, which is used in any
// case.
constexpr std::array<Decay, 3> kDecays = {1000, 100, 10};
// Largest shift. Multiplied by the decay it fits into 64 bits.
constexpr Ticks kMost = Ticks{1} << 50;
constexpr Ticks kRounding = 1000;

// The result of the forward pass, found by all analysis processes together.
struct Forward {
  std::vector<Shift> shifts;  // shift of every process; the same on all analysis processes
  Decay decay = 0;
  Ticks largest_shift = 0, largest_jump = 0;
  bool gave_up = false;
};

// The least shifts for one gamma. Another round follows only if some process learned something.
Forward solve(const ClockCondition& condition, const sync::Topology& topology, Decay decay,
              Ticks limit, parallel::Processes& processes) {
  sync::Solver solver(topology, condition.channels, condition.groups, decay, limit);
  for (;;) {
    const auto jumps = solver.propagate();
    parallel::Packer pack;
    pack.put(solver.pending());
    for (const auto& jump : jumps) pack.put(jump);
    const auto found = processes.all_gather(pack.take());
    bool any = false;
    for (std::size_t p = 0; p < found.size(); ++p) {
      parallel::Unpacker in(found[p]);
      any = in.get<bool>() || !in.done() || any;
      if (static_cast<int>(p) == processes.rank()) continue;
      std::vector<sync::Jump> others;
      while (!in.done()) others.push_back(in.get<sync::Jump>());
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

// Merged intervals before the jumps of a process, in which its events may be advanced.
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
  // True if an interval contains `t`. Fast for times that mostly ascend.
  [[nodiscard]] bool hold(Ticks t) {
    if (t < low_ || t >= high_) find(t);
    return held_;
  }
  [[nodiscard]] bool empty() const { return merged_.empty(); }

 private:
  void find(Ticks t) {
    const auto after =
        std::ranges::upper_bound(merged_, t, {}, [](const auto& stretch) { return stretch.first; });
    low_ = INT64_MIN;
    high_ = after == merged_.end() ? INT64_MAX : after->first;
    held_ = false;
    if (after == merged_.begin()) return;
    const auto& [from, to] = *std::prev(after);
    held_ = t < to;
    low_ = held_ ? from : to;
    if (held_) high_ = to;
  }
  std::vector<std::pair<Ticks, Ticks>> merged_;
  Ticks low_ = 1, high_ = 0;  // all times in between have the same answer; empty at first
  bool held_ = false;
};

// Computes the room of the sends in those intervals and sends it to the hosts of the senders. The
// result has a list per process, sorted by time.
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
  std::map<std::uint32_t, std::vector<Slack>> slacks;
  for (const auto& bytes : processes.exchange(take_all(packs))) {
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

// Controls gamma: reduces it until there is no avalanche. The last gamma is used in any case.
Forward solve_controlled(const ClockCondition& condition, const sync::Topology& topology,
                         LogicalClock& out, Ticks limit, parallel::Processes& processes) {
  Forward forward;
  for (const Decay decay : kDecays) {
    forward = solve(condition, topology, decay, limit, processes);
    out.avalanche = forward.largest_shift > forward.largest_jump;
    if (!out.avalanche) break;
  }
  out.decay = forward.decay;
  out.largest_jump = forward.largest_jump;
  out.contradiction = forward.gave_up;
  for (const auto& shift : forward.shifts) shift.for_each([&](Ticks, Ticks) { ++out.jumps; });
  return forward;
}

// Sends the lines of all hosted processes to all analysis processes. Returns them per process.
std::vector<std::vector<Advance::Line>> share_lines(
    const Forward& forward, const std::map<std::uint32_t, Ticks>& starts,
    const std::map<std::uint32_t, std::vector<Slack>>& slacks, parallel::Processes& processes) {
  parallel::Packer pack;
  for (const auto& [process, start] : starts) {
    const auto room = slacks.find(process);
    const Advance advance(forward.shifts[process], start,
                          room == slacks.end() ? std::span<const Slack>() : room->second);
    const auto lines = advance.lines();
    if (lines.empty()) continue;
    pack.put(process);
    pack.put_all(std::span(lines));
  }
  std::vector<std::vector<Advance::Line>> all(forward.shifts.size());
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto process = in.get<std::uint32_t>();
      all[process] = in.get_all<Advance::Line>();
    }
  }
  return all;
}

}  // namespace

LogicalClock find_logical_clock(const ClockCondition& condition, const sync::Topology& topology,
                                const Partition& partition,
                                const std::map<std::uint32_t, Ticks>& starts, Ticks too_early,
                                parallel::Processes& processes) {
  LogicalClock out;
  const Ticks limit = too_early < 0 || too_early > kMost ? kMost : too_early + kRounding;
  const Forward forward = solve_controlled(condition, topology, out, limit, processes);
  const auto slacks = exchange_slacks(condition, topology, partition, forward, processes);
  auto lines = share_lines(forward, starts, slacks, processes);
  for (std::size_t p = 0; p < forward.shifts.size(); ++p) {
    out.maps.emplace_back(forward.shifts[p], std::move(lines[p]));
  }
  return out;
}

}  // namespace latecomer::replay
