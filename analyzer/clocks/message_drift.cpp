// SPDX-License-Identifier: BSD-3-Clause
// Shortest times per pair of clocks and window of the run, gathered on all processes.
#include "analyzer/clocks/message_drift.hpp"

#include <algorithm>

#include "analyzer/clocks/shortest_times.hpp"
#include "sync/drift.hpp"

namespace latecomer::replay {
namespace {

using sync::Ticks;

// The run is divided into so many windows that each has this many messages per clock, within
// limits.
constexpr std::int64_t kMessages = 150;
constexpr std::int64_t kFewest = 4, kMost = 256;

// Adds the shortest time per window. Messages of a channel come in the order of sending, so windows
// do not alternate.
void add_channel(const sync::Channel& channel, std::uint32_t from, std::uint32_t to,
                 const Windows& windows, ShortestTimes& shortest) {
  std::uint32_t window = 0;
  Ticks time = INT64_MAX;
  const auto end_window = [&] {
    if (time != INT64_MAX) shortest.add({from, to, window, time});
    time = INT64_MAX;
  };
  for (const auto& m : channel.messages) {
    if (!windows.holds(window, m.sent)) {
      end_window();
      window = windows.of(m.sent);
    }
    time = std::min(time, m.received - m.sent);
  }
  end_window();
}

// An operation bounds the clocks in two ways. All receivers wait for its last sender. A single
// receiver waits for every sender.
void add_group(const sync::OperationGroup& group, const std::vector<std::uint32_t>& clock_of,
               const Windows& windows, ShortestTimes& shortest) {
  struct Times {
    std::uint32_t clock = 0;
    Ticks enter = INT64_MIN, exit = INT64_MAX;  // latest of the senders, earliest of the receivers
  };
  std::vector<Times> clocks;  // ascending
  for (const auto member : group.members) clocks.push_back({clock_of[member]});
  std::ranges::sort(clocks, {}, &Times::clock);
  const auto same = std::ranges::unique(clocks, {}, &Times::clock);
  clocks.erase(same.begin(), same.end());
  std::vector<std::size_t> place;  // per member
  for (const auto member : group.members) {
    const auto at = std::ranges::lower_bound(clocks, clock_of[member], {}, &Times::clock);
    place.push_back(static_cast<std::size_t>(at - clocks.begin()));
  }
  for (std::size_t o = 0; o < group.size(); ++o) {
    if (group.prefix[o]) continue;
    for (auto& times : clocks) times = {times.clock};
    const auto parts = group.operation(o);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto& times = clocks[place[i]];
      if (parts[i].sends) times.enter = std::max(times.enter, parts[i].enter);
      if (parts[i].receives) times.exit = std::min(times.exit, parts[i].exit);
    }
    const auto last = std::ranges::max_element(clocks, {}, &Times::enter);
    const auto receivers =
        std::ranges::count_if(clocks, [](const Times& c) { return c.exit != INT64_MAX; });
    const std::uint32_t window = windows.of(last->enter);
    const auto bound = [&](const Times& from, const Times& to) {
      if (from.clock == to.clock || from.enter == INT64_MIN) return;
      shortest.add({from.clock, to.clock, &from == &*last ? window : windows.of(from.enter),
                    to.exit - from.enter});
    };
    for (const auto& to : clocks) {
      if (to.exit == INT64_MAX) continue;
      if (receivers > 1) {
        bound(*last, to);
      } else {
        for (const auto& from : clocks) bound(from, to);
      }
    }
  }
}

}  // namespace

// The run is divided into windows. The shortest times of messages between each pair of clocks are
// found per window; from these sync::estimate_drift() computes the functions.
std::vector<sync::PiecewiseLinear> find_message_drift(const ClockCondition& condition,
                                                      const sync::Topology& topology,
                                                      const SharedClocks& shared,
                                                      parallel::Processes& processes) {
  const auto& clock_of = shared.clock_of;
  const auto clocks = static_cast<std::uint32_t>(shared.measured.size());
  if (clocks < 2) return {};
  std::int64_t messages = 0;
  Ticks end = 0;
  for (const auto& c : condition.channels) {
    if (clock_of[c.source] == clock_of[c.target] || c.messages.empty()) continue;
    messages += std::ssize(c.messages);
    end = std::max(end, c.messages.back().sent);
  }
  for (const auto& g : condition.groups) {
    messages += static_cast<std::int64_t>(g.size());
    if (g.size() > 0) end = std::max(end, g.operation(g.size() - 1)[0].enter);
  }
  messages = processes.sum(messages);
  end = processes.max(end);
  Windows windows;
  windows.count =
      static_cast<std::uint32_t>(std::clamp(messages / (kMessages * clocks), kFewest, kMost));
  windows.width = end / windows.count + 1;

  ShortestTimes shortest;
  for (const auto& c : condition.channels) {
    const auto from = clock_of[c.source], to = clock_of[c.target];
    if (from != to) add_channel(c, from, to, windows, shortest);
  }
  for (const auto& g : condition.groups) add_group(g, clock_of, windows, shortest);
  shortest.gather(processes);
  std::vector<std::uint32_t> process_of(clocks);  // any process that reads the clock
  for (std::uint32_t p = 0; p < clock_of.size(); ++p) process_of[clock_of[p]] = p;
  return sync::estimate_drift(shortest.list(), shared.measured, windows.count, windows.width,
                              [&](std::uint32_t from, std::uint32_t to) {
                                return topology.minimum(process_of[from], process_of[to]);
                              });
}

}  // namespace latecomer::replay
