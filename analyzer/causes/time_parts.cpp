// SPDX-License-Identifier: BSD-3-Clause
// Sorts what was told by call path.
#include "analyzer/causes/time_parts.hpp"

namespace latecomer::causes {
namespace {

using trace::StretchCounter;
using trace::Ticks;

// Sums wrap around in damaged archives only.
std::int64_t amount(std::uint64_t sum) {
  return std::max<std::int64_t>(0, static_cast<std::int64_t>(sum));
}

}  // namespace

TimeParts::TimeParts(const trace::LocationEvents& events, const trace::Definitions& definitions) {
  const auto& samples = events.sample_times;
  const auto& stretches = events.stretches;
  if (samples.empty() && stretches.empty()) return;
  index_.assign(events.time.size(), trace::kNone);
  for (const auto& one : samples) {
    // A sample whose period is not known tells nothing of times.
    const auto clock =
        one.clock == trace::kNone ? trace::SampleClock() : definitions.sample_clocks[one.clock];
    const std::uint64_t in_kernel = clock.in_kernel ? clock.period : 0;
    if (clock.period == 0) continue;
    node(events.sampled[one.place].node)
        .samples.add(one.time, {clock.period - in_kernel, in_kernel});
  }
  for (const auto& one : stretches) {
    const auto value = static_cast<std::uint64_t>(one.value);
    Node& to = node(one.node);
    switch (one.counter) {
      case StretchCounter::kPreempted:
        to.without_core.add(one.time, {value, 0});
        break;
      case StretchCounter::kBlocked:
        to.without_core.add(one.time, {0, value});
        break;
      case StretchCounter::kInstructions:
        to.instructions.add(one.time, {value});
        break;
      case StretchCounter::kNone:
        break;
    }
  }
  for (std::size_t s = 0, c = 0; s < samples.size() || c < stretches.size();) {
    const bool is_sample =
        c == stretches.size() || (s < samples.size() && samples[s].time <= stretches[c].time);
    all_.add(is_sample ? samples[s].time : stretches[c].time, {});
    is_sample ? ++s : ++c;
  }
}

TimeParts::Node& TimeParts::node(std::uint32_t number) {
  if (number >= index_.size()) index_.resize(number + std::size_t{1}, trace::kNone);
  if (index_[number] == trace::kNone) {
    index_[number] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  return nodes_[index_[number]];
}

TimePart TimeParts::of(const Node& node, Ticks from, Ticks to) {
  TimePart part;
  if (from >= to) return part;
  if (!node.without_core.empty()) {
    const auto sums =
        node.without_core.between(node.without_core.until(from), node.without_core.until(to));
    part.preempted = amount(sums[0]);
    part.blocked = amount(sums[1]);
  }
  if (!node.samples.empty()) {
    const auto first = node.samples.until(from), last = node.samples.until(to);
    const auto sums = node.samples.between(first, last);
    part.user = amount(sums[0]);
    part.kernel = amount(sums[1]);
    part.samples = static_cast<std::int64_t>(last - first);
  }
  if (!node.instructions.empty()) {
    part.instructions = amount(
        node.instructions.between(node.instructions.until(from), node.instructions.until(to))[0]);
  }
  return part;
}

}  // namespace latecomer::causes
