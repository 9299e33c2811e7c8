// SPDX-License-Identifier: BSD-3-Clause
// Shortest times per pair of clocks and window of the run, gathered by everybody.
#include "analyzer/replay/message_drift.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "sync/drift.hpp"

namespace latecomer::replay {
namespace {

using sync::ShortestTime;
using sync::Ticks;

// Windows of the run: so many that each has this many messages for each clock, within limits.
constexpr std::int64_t kMessages = 150;
constexpr std::int64_t kFewest = 4, kMost = 256;

struct Windows {
  std::uint32_t count = 1;
  Ticks width = 1;
  [[nodiscard]] std::uint32_t of(Ticks t) const {
    return static_cast<std::uint32_t>(std::clamp<Ticks>(t / width, 0, count - 1));
  }
};

class Shortest {
 public:
  void add(std::uint32_t from, std::uint32_t to, std::uint32_t window, Ticks time) {
    const auto [it, fresh] = times_.try_emplace({window, from, to}, time);
    if (!fresh) it->second = std::min(it->second, time);
  }
  [[nodiscard]] std::vector<ShortestTime> list() const {
    std::vector<ShortestTime> out;
    for (const auto& [key, time] : times_) {
      out.push_back({std::get<1>(key), std::get<2>(key), std::get<0>(key), time});
    }
    return out;
  }

 private:
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, Ticks> times_;
};

void add_channel(const sync::Channel& channel, std::uint32_t from, std::uint32_t to,
                 const Windows& windows, Shortest& shortest) {
  std::uint32_t window = 0;
  Ticks time = INT64_MAX;
  for (const auto& m : channel.messages) {
    const std::uint32_t now = windows.of(m.sent);
    if (now != window && time != INT64_MAX) {
      shortest.add(from, to, window, time);
      time = INT64_MAX;
    }
    window = now;
    time = std::min(time, m.received - m.sent);
  }
  if (time != INT64_MAX) shortest.add(from, to, window, time);
}

// An operation bounds the clocks by its last sender, which everybody waits for, and by everybody
// that a single receiver waits for.
void add_group(const sync::OperationGroup& group, const std::vector<std::uint32_t>& clock_of,
               const Windows& windows, Shortest& shortest) {
  struct Times {
    Ticks enter = INT64_MIN, exit = INT64_MAX;  // last of the senders, first of the receivers
  };
  std::map<std::uint32_t, Times> clocks;
  for (std::size_t o = 0; o < group.size(); ++o) {
    if (group.prefix[o]) continue;
    const auto parts = group.operation(o);
    clocks.clear();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      auto& times = clocks[clock_of[group.members[i]]];
      if (parts[i].sends) times.enter = std::max(times.enter, parts[i].enter);
      if (parts[i].receives) times.exit = std::min(times.exit, parts[i].exit);
    }
    auto last = clocks.begin();
    for (auto it = clocks.begin(); it != clocks.end(); ++it) {
      if (it->second.enter > last->second.enter) last = it;
    }
    const auto receivers =
        std::ranges::count_if(clocks, [](const auto& c) { return c.second.exit != INT64_MAX; });
    const auto bound = [&](const auto& from, const auto& to) {
      const Ticks enter = from.second.enter;
      if (from.first == to.first || enter == INT64_MIN) return;
      shortest.add(from.first, to.first, windows.of(enter), to.second.exit - enter);
    };
    for (const auto& to : clocks) {
      if (to.second.exit == INT64_MAX) continue;
      if (receivers > 1) {
        bound(*last, to);
      } else {
        for (const auto& from : clocks) bound(from, to);
      }
    }
  }
}

}  // namespace

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

  Shortest shortest;
  for (const auto& c : condition.channels) {
    const auto from = clock_of[c.source], to = clock_of[c.target];
    if (from != to) add_channel(c, from, to, windows, shortest);
  }
  for (const auto& g : condition.groups) add_group(g, clock_of, windows, shortest);
  parallel::Packer pack;
  for (const auto& s : shortest.list()) pack.put(s);
  shortest = {};
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto s = in.get<ShortestTime>();
      shortest.add(s.from, s.to, s.window, s.time);
    }
  }
  std::vector<std::uint32_t> process_of(clocks);  // any one that reads the clock
  for (std::uint32_t p = 0; p < clock_of.size(); ++p) process_of[clock_of[p]] = p;
  return sync::estimate_drift(shortest.list(), shared.measured, windows.count, windows.width,
                              [&](std::uint32_t from, std::uint32_t to) {
                                return topology.minimum(process_of[from], process_of[to]);
                              });
}

}  // namespace latecomer::replay
