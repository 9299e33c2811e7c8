// SPDX-License-Identifier: BSD-3-Clause
// The times of messages that were waited for differ from the latency by the clocks' error only, and
// that has opposite signs in the two directions: it cancels in the sum.
#include "analyzer/replay/latencies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/trace/flat_index.hpp"
#include "archive/layout.hpp"
#include "sync/latency.hpp"

namespace latecomer::replay {
namespace {

using sync::LinkClass;
using sync::Ticks;

constexpr std::uint32_t kWindows = 64;

// Nodes in one direction, and the part of the run.
struct Direction {
  std::uint32_t from = 0, to = 0, window = 0;
  friend auto operator<=>(const Direction&, const Direction&) = default;
};
using Shortest = std::map<Direction, Ticks>;

void add(Shortest& shortest, const Direction& direction, Ticks time) {
  const auto [it, fresh] = shortest.try_emplace(direction, time);
  if (!fresh) it->second = std::min(it->second, time);
}

Shortest shortest_times(const sync::Topology& topology, Ticks length,
                        const std::vector<trace::LocationEvents>& mine,
                        const MatchedMessages& messages, parallel::Processes& processes) {
  std::vector<std::pair<Direction, Ticks>> own;
  trace::FlatIndex<trace::IntKey> index;
  const Ticks width = length / kWindows + 1;
  std::uint32_t window = 0;  // of the last message: mostly that of the next one
  messages.for_each(mine, [&](std::size_t l, const trace::Message& receive,
                              const SentMessage& send) {
    if (topology.link(send.source, send.target) == LinkClass::kNode) return true;
    if (mine[l].calls[receive.call].enter > send.time) return true;
    if (send.time < window * width || send.time - width >= window * width) {
      window = static_cast<std::uint32_t>(std::clamp<Ticks>(send.time / width, 0, kWindows - 1));
    }
    const Direction there{topology.node[send.source], topology.node[send.target], window};
    const Ticks time = receive.time - send.time;
    const auto next = static_cast<std::uint32_t>(own.size());
    const std::uint64_t nodes = (std::uint64_t{there.from} << 32) | there.to;
    const auto at = index.at({nodes * kWindows + window}, next);
    if (at == next) {
      own.emplace_back(there, time);
    } else {
      own[at].second = std::min(own[at].second, time);
    }
    return true;
  });
  parallel::Packer pack;
  for (const auto& [direction, time] : own) {
    pack.put(direction);
    pack.put(time);
  }
  Shortest shortest;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto direction = in.get<Direction>();
      add(shortest, direction, in.get<Ticks>());
    }
  }
  return shortest;
}

// The smallest latencies that the archive knows, in seconds: inside and between metahosts.
std::array<std::optional<double>, 2> known_latencies(const trace::Definitions& definitions) {
  std::array<std::optional<double>, 2> known;
  const auto it = definitions.properties.find(layout::kPropertyLatencies);
  if (it == definitions.properties.end()) return known;
  const auto latencies = sync::parse_latencies(it->second);
  if (!latencies) return known;
  for (const auto& latency : *latencies) {
    auto& smallest = known[latency.a == latency.b ? 0 : 1];
    const double seconds = static_cast<double>(latency.minimum) * 1e-9;
    if (!smallest || seconds < *smallest) smallest = seconds;
  }
  return known;
}

}  // namespace

bool read_latencies(const std::string& text, CorrectionOptions& options) {
  std::optional<double>* to[] = {&options.latency_inside, &options.latency_between};
  std::size_t number = 0;
  for (const char* at = text.data(); number < 2; ++number) {
    const char* end = text.data() + text.size();
    double value = 0;
    const auto [unit, error] = std::from_chars(at, end, value);
    if (error != std::errc() || !(value >= 0) || value > 1e12) return false;
    const char* stop = std::find(unit, end, ',');
    const std::string name(unit, stop);
    const double scale = name == "ns"   ? 1e-9
                         : name == "us" ? 1e-6
                         : name == "ms" ? 1e-3
                         : name == "s"  ? 1
                                        : 0;
    if (scale == 0) return false;
    *to[number] = value * scale;
    if (stop == end) return true;
    at = stop + 1;
  }
  return false;
}

sync::Topology find_topology(const trace::Definitions& definitions,
                             const CorrectionOptions& options,
                             const std::vector<trace::LocationEvents>& mine,
                             const MatchedMessages& messages, parallel::Processes& processes) {
  sync::Topology topology;
  for (const auto& process : definitions.processes) {
    topology.node.push_back(process.node);
    topology.metahost.push_back(process.metahost);
  }
  const auto ticks = [&](const std::optional<double>& seconds) -> std::optional<Ticks> {
    if (!seconds) return std::nullopt;
    return std::llround(*seconds * static_cast<double>(definitions.ticks_per_second));
  };
  const auto measured = known_latencies(definitions);
  const auto or_else = [](const auto& first, const auto& second) { return first ? first : second; };
  std::optional<Ticks> known[] = {Ticks{1}, ticks(or_else(options.latency_inside, measured[0])),
                                  ticks(or_else(options.latency_between, measured[1]))};
  const bool nodes = std::ranges::any_of(
      topology.node, [&](std::uint32_t node) { return node != topology.node.front(); });
  const bool ask = (!known[1] && nodes) || (!known[2] && definitions.metahosts.size() > 1);
  if (ask) {
    std::map<std::uint32_t, std::uint32_t> metahost_of;
    for (const auto& process : definitions.processes) metahost_of[process.node] = process.metahost;
    Ticks length = 0;
    for (const auto& events : mine) length = std::max(length, events.last);
    length = processes.max(length);
    const auto shortest = shortest_times(topology, length, mine, messages, processes);
    // The longer the windows, the more the clocks drift in between: only where traffic is sparse.
    for (std::uint32_t joined = 1; joined <= kWindows; joined *= 4) {
      Shortest wider;
      for (const auto& [there, time] : shortest) {
        add(wider, {there.from, there.to, there.window / joined}, time);
      }
      std::optional<Ticks> sums[3];
      for (const auto& [there, time] : wider) {
        const auto back = wider.find({there.to, there.from, there.window});
        if (back == wider.end()) continue;
        auto& sum = sums[metahost_of[there.from] == metahost_of[there.to] ? 1 : 2];
        sum = std::min(sum.value_or(INT64_MAX), time + back->second);
      }
      for (int c = 1; c < 3; ++c) {
        if (!known[c] && sums[c]) known[c] = *sums[c] / 2;
      }
    }
  }
  for (std::size_t c = 0; c < 3; ++c) {
    topology.latency[c] = std::max<Ticks>(1, known[c].value_or(1));
  }
  return topology;
}

}  // namespace latecomer::replay
