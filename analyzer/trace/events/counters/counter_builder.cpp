// SPDX-License-Identifier: BSD-3-Clause
// Differences of running sums.
#include "analyzer/trace/events/counters/counter_builder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <utility>

#include "archive/layout.hpp"

namespace latecomer::trace {
namespace {

constexpr std::uint8_t kInteger = 8, kUnsigned = 4, kReal = 10;  // OTF2_TYPE_INT64, UINT64, DOUBLE

// Rounds to an integer; numbers that are too large, as in damaged archives, become the largest.
std::int64_t rounded(double value) {
  constexpr double kMost = 9.2e18;
  return std::isnan(value) ? 0 : std::llround(std::clamp(value, -kMost, kMost));
}

bool counts_instructions(const Counter& counter) {
  constexpr std::array<std::string_view, 5> kNames = {
      "instructions", "PAPI_TOT_INS", "perf::INSTRUCTIONS", "perf::PERF_COUNT_HW_INSTRUCTIONS",
      "RETIRED_INSTRUCTIONS"};
  return counter.is_sum && !counter.is_time && !counter.is_bytes &&
         std::ranges::find(kNames, counter.name) != kNames.end();
}

}  // namespace

std::vector<StretchCounter> stretch_counters(const Definitions& definitions) {
  std::vector<StretchCounter> kinds;
  const auto instructions = std::ranges::find_if(definitions.counters, counts_instructions);
  for (const Counter& counter : definitions.counters) {
    StretchCounter& kind = kinds.emplace_back();
    if (!counter.is_sum) continue;
    if (counter.is_time) {
      if (counter.name == layout::kMetricPreempted) kind = StretchCounter::kPreempted;
      if (counter.name == layout::kMetricBlocked) kind = StretchCounter::kBlocked;
    } else if (counts_instructions(counter) && counter.name == instructions->name) {
      kind = StretchCounter::kInstructions;
    } else if (counter.name == layout::kMetricPageFaults) {
      kind = StretchCounter::kPageFaults;
    }
  }
  return kinds;
}

CounterBuilder::CounterBuilder(RegionBuilder& regions)
    : regions_(regions),
      kinds_(stretch_counters(regions.definitions())),
      running_(regions.definitions().counters.size()) {}

bool CounterBuilder::take(Event& event) {
  std::uint32_t id = 0;
  std::uint8_t count = 0;
  if (!event.take(id, count)) return false;
  const Definitions& d = regions_.definitions();
  const auto known = d.counter_class_ids.find(event.id(IdKind::kMetric, id));
  // Counters in calls change nothing there: several polls may be one visit.
  if (regions_.top_region().computation) {
    regions_.advance(event.time);
  } else {
    ++regions_.out().events;
  }
  time_ = event.time;
  for (std::size_t i = 0; i < count; ++i) {
    std::uint8_t type = 0;
    std::uint64_t bits = 0;
    if (!event.take(type, bits)) return false;
    if (known == kNone || i >= d.counter_classes[known].size()) continue;
    value(d.counter_classes[known][i], type, bits);
  }
  return true;
}

void CounterBuilder::value(std::uint32_t metric, std::uint8_t type, std::uint64_t bits) {
  if (metric == kNone || !regions_.definitions().counters[metric].is_sum ||
      (type != kInteger && type != kUnsigned && type != kReal))
    return;
  // The first value may be from any time before, as after a cut.
  const Running before = std::exchange(running_[metric], {true, bits});
  if (!before.begun) return;
  const auto node = regions_.top().node;
  const auto next = static_cast<std::uint32_t>(sums_.size());
  const auto at = index_.at({(std::uint64_t{node} << 32) | metric}, next);
  if (at == next) sums_.push_back({.node = node, .metric = metric});
  double more = 0;
  if (type == kReal) {
    more = std::bit_cast<double>(bits) - std::bit_cast<double>(before.bits);
    if (!std::isfinite(more)) return;
    sums_[at].real += more;
  } else {
    sums_[at].whole += bits - before.bits;
    more = static_cast<double>(static_cast<std::int64_t>(bits - before.bits));
  }
  if (kinds_[metric] == StretchCounter::kNone || !(more > 0)) return;
  const auto amount = rounded(more * regions_.definitions().counters[metric].scale);
  if (amount > 0) stretches_.push_back({time_, node, kinds_[metric], amount});
}

CounterEvents CounterBuilder::finish() {
  CounterEvents out;
  out.stretches = std::move(stretches_);
  const Definitions& d = regions_.definitions();
  for (const Sum& sum : sums_) {
    const double scale = d.counters[sum.metric].scale;
    const auto whole = static_cast<std::int64_t>(sum.whole);
    const bool is_exact = scale == 1 && sum.real == 0;
    out.counted.push_back(
        {sum.node, sum.metric,
         is_exact ? whole : rounded((static_cast<double>(whole) + sum.real) * scale)});
  }
  return out;
}

}  // namespace latecomer::trace
