// SPDX-License-Identifier: BSD-3-Clause
// Minimum latencies per pair of metahosts, and their text.
#include "sync/latency.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "sync/words.hpp"

namespace latecomer::sync {

std::vector<Latency> latencies(std::span<const Measurement> measurements,
                               const std::function<std::int64_t(ClockId)>& metahost_of) {
  std::map<std::pair<std::int64_t, std::int64_t>, Nanoseconds> smallest;
  for (const Measurement& m : measurements) {
    const auto [a, b] = std::minmax({metahost_of(m.child), metahost_of(m.partner)});
    const Nanoseconds half = m.found.round_trip / 2;
    const auto [place, is_new] = smallest.try_emplace({a, b}, half);
    if (!is_new) place->second = std::min(place->second, half);
  }
  std::vector<Latency> result;
  for (const auto& [pair, minimum] : smallest) {
    result.push_back({pair.first, pair.second, minimum});
  }
  return result;
}

std::string to_text(std::span<const Latency> latencies) {
  std::string text;
  for (const Latency& d : latencies) {
    if (!text.empty()) text += ';';
    text += d.a == d.b ? "inside " : "between ";
    if (d.a != d.b) text += std::to_string(d.a) + ' ';
    text += std::to_string(d.b) + ' ' + std::to_string(d.minimum);
  }
  return text;
}

std::optional<std::vector<Latency>> parse_latencies(std::string_view text) {
  std::vector<Latency> result;
  Words entries(text, ';');
  while (!text.empty() && entries.more()) {
    Words words(entries.word());
    const bool between = words.flag("inside", "between");
    Latency d;
    d.a = d.b = words.number<std::int64_t>();
    if (between) d.b = words.number<std::int64_t>();
    d.minimum = words.number<Nanoseconds>();
    if (!words.complete()) return {};
    result.push_back(d);
  }
  return result;
}

}  // namespace latecomer::sync
