// SPDX-License-Identifier: BSD-3-Clause
// Adds up the shares of samples by call path.
#include "analyzer/attribution/computation/computation_parts.hpp"

#include <algorithm>

#include "analyzer/booking/counters.hpp"
#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

// A time of so many periods has a sample, except once in eight thousand times.
constexpr double kSurePeriods = 9;

// Seconds of processor time per sample that are possible where no sample tells the period.
constexpr double kLongestPeriod = 0.1;

}  // namespace

ComputationParts::ComputationParts(const Booking& booking, const ComputationShares& shares)
    : booking_(booking),
      computation_(booking.metrics.id("comp")),
      instructions_(booking.metrics.id(metric_of_instructions(booking.definitions))),
      all_are_sampled_(!booking.definitions.properties.contains(layout::kPropertySamplesRefused) &&
                       !booking.definitions.properties.contains(layout::kPropertySamplesBySignals)),
      sampled_(booking.mine.size()) {
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    const auto& sampled = booking.mine[l].sampled;
    for (std::size_t i = 0; i < sampled.size(); ++i) {
      Sampled& sums = sampled_[l][booking.tree.from_local[sampled[i].node]];
      sums.on += shares.of(l)[i];
      sums.in_kernel += shares.in_kernel(l, i);
    }
  }
  // Samples of the fastest clock come first.
  std::uint64_t shortest = 0;
  for (const auto& clock : booking.definitions.sample_clocks) {
    if (clock.period != 0 && (shortest == 0 || clock.period < shortest)) shortest = clock.period;
  }
  const bool is_known =
      !std::ranges::all_of(booking.definitions.sample_clocks, &trace::SampleClock::is_blocked);
  shortest_period_ = (is_known ? 1e-9 * static_cast<double>(shortest) : kLongestPeriod) *
                     static_cast<double>(booking.definitions.ticks_per_second);
}

ComputationParts::Values ComputationParts::at(std::size_t location, std::uint32_t call_path) const {
  const auto value = [&](MetricId metric) -> std::int64_t {
    return metric == patterns::MetricTree::kNone ? 0 : booking_.value(metric, location, call_path);
  };
  Values parts{};
  parts[kTime] = value(computation_);
  parts[kPreempted] = value(booking_.map.preempted);
  parts[kBlocked] = value(booking_.map.blocked);
  parts[kFaults] = value(booking_.map.page_faults);
  parts[kInstructions] = value(instructions_);
  if (const auto found = sampled_[location].find(call_path); found != sampled_[location].end()) {
    parts[kOn] = found->second.on;
    parts[kInKernel] = found->second.in_kernel;
    return parts;
  }
  // A short time may have no sample by chance.
  const trace::Ticks rest = parts[kTime] - parts[kPreempted] - parts[kBlocked];
  if (static_cast<double>(rest) < kSurePeriods * shortest_period_) parts[kOn] = rest;
  return parts;
}

}  // namespace latecomer::replay
