// SPDX-License-Identifier: BSD-3-Clause
// Estimates latencies. The time of a message that was waited for differs from the latency only by
// the clocks' error. That error has opposite signs in the two directions, so it cancels in the sum.
#include "analyzer/clocks/latencies.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/clocks/shortest_times.hpp"
#include "archive/layout.hpp"
#include "sync/latency.hpp"

namespace latecomer::replay {
namespace {

using sync::Ticks;

constexpr std::uint32_t kWindows = 64;

// Shortest times between nodes, over messages that were waited for.
ShortestTimes shortest_times(const sync::Topology& topology, Ticks length,
                             const std::vector<trace::LocationEvents>& mine,
                             const MatchedMessages& messages, parallel::Processes& processes) {
  ShortestTimes shortest;
  const Windows windows{kWindows, length / kWindows + 1};
  std::uint32_t window = 0, target = 0;  // values of the last message
  std::vector<Ticks> times(topology.node.size(), ShortestTimes::kNone);  // times to target
  std::vector<std::uint32_t> sources;                                    // sources with a time
  const auto put_down = [&] {
    for (const auto source : sources) {
      shortest.add({topology.node[source], topology.node[target], window,
                    std::exchange(times[source], ShortestTimes::kNone)});
    }
    sources.clear();
  };
  messages.for_each(mine,
                    [&](std::size_t l, const trace::Message& receive, const SentMessage& send) {
                      if (topology.node[send.source] == topology.node[send.target]) return true;
                      const Ticks time = receive.time - send.time;
                      if (!windows.holds(window, send.time) || send.target != target) {
                        put_down();
                        window = windows.of(send.time);
                        target = send.target;
                      }
                      Ticks& least = times[send.source];
                      // Few messages are shorter than all before, so few calls have to be read.
                      if (time >= least || mine[l].calls[receive.call].enter > send.time)
                        return true;
                      if (least == ShortestTimes::kNone) sources.push_back(send.source);
                      least = time;
                      return true;
                    });
  put_down();
  shortest.gather(processes);
  return shortest;
}

// The smallest latencies in the archive, in seconds: inside metahosts and between them.
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

// Unknown latencies are estimated from pairs of opposite messages in the same window of the run. If
// there are none, 4, 16 and 64 windows are joined.
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
  const auto unknown = [&] {
    return (!known[1] && nodes) || (!known[2] && definitions.metahosts.size() > 1);
  };
  if (unknown()) {
    std::map<std::uint32_t, std::uint32_t> metahost_of;
    for (const auto& process : definitions.processes) metahost_of[process.node] = process.metahost;
    Ticks length = 0;
    for (const auto& events : mine) length = std::max(length, events.last);
    length = processes.max(length);
    const auto shortest = shortest_times(topology, length, mine, messages, processes);
    // Longer windows contain more drift of the clocks, so they are used only where traffic is
    // sparse.
    for (std::uint32_t joined = 1; joined <= kWindows && unknown(); joined *= 4) {
      ShortestTimes wider;
      for (const auto& s : shortest.list()) wider.add({s.from, s.to, s.window / joined, s.time});
      std::optional<Ticks> sums[3];
      for (const auto& there : wider.list()) {
        const Ticks back = wider.find(there.to, there.from, there.window);
        if (back == ShortestTimes::kNone) continue;
        auto& sum = sums[metahost_of[there.from] == metahost_of[there.to] ? 1 : 2];
        sum = std::min(sum.value_or(INT64_MAX), there.time + back);
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
