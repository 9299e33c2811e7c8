// SPDX-License-Identifier: BSD-3-Clause
// Shares by the method of the largest remainders.
#include "analyzer/attribution/computation/computation_shares.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "analyzer/booking/counters.hpp"
#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

__extension__ using Wide = unsigned __int128;

}  // namespace

using trace::SampledPlace;
using trace::Ticks;

std::vector<std::int64_t> divided(std::int64_t amount, std::span<const SampledPlace> places) {
  Wide all = 0;
  for (const auto& place : places) all += place.weight;
  std::vector<std::int64_t> shares(places.size());
  if (all == 0 || amount <= 0) return shares;
  std::vector<Wide> rests(places.size());
  std::int64_t left = amount;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Wide product = static_cast<Wide>(amount) * places[i].weight;
    shares[i] = static_cast<std::int64_t>(product / all);
    rests[i] = product % all;
    left -= shares[i];
  }
  std::vector<std::size_t> order(places.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t i) { return rests[i]; });
  for (std::size_t i = 0; left > 0; ++i, --left) ++shares[order[i]];
  return shares;
}

std::int64_t on_processor(std::int64_t time, std::uint64_t ticks_per_second,
                          std::span<const SampledPlace> places) {
  constexpr double kErrors = 3;
  constexpr Wide kNanoseconds = 1'000'000'000;
  Wide weight = 0;
  double variance = 0;  // in square ticks
  for (const auto& place : places) {
    weight += place.weight;
    const double per_nanosecond =
        static_cast<double>(ticks_per_second) / static_cast<double>(kNanoseconds);
    variance += place.squares * per_nanosecond * per_nanosecond;
  }
  const Wide ticks = weight * ticks_per_second / kNanoseconds;
  if (time <= 0 || weight == 0 || ticks >= static_cast<Wide>(time)) return time;
  const double rest = static_cast<double>(time) - static_cast<double>(ticks);
  return rest > kErrors * std::sqrt(variance) ? static_cast<std::int64_t>(ticks) : time;
}

bool kernel_is_rest(const Booking& booking) {
  const auto& properties = booking.definitions.properties;
  const auto refused = properties.find(layout::kPropertySamplesUserOnly);
  return booking.map.blocked != patterns::MetricTree::kNone && refused != properties.end() &&
         refused->second == std::to_string(booking.definitions.processes.size()) &&
         !properties.contains(layout::kPropertySwitchesLost) &&
         !properties.contains(layout::kPropertySamplesBySignals);
}

std::span<const SampledPlace> places_in(const trace::SampleEvents& events, std::uint32_t node) {
  const auto found = std::ranges::find(events.sampled, node, &SampledPlace::node);
  const auto end = std::find_if(found, events.sampled.end(),
                                [node](const SampledPlace& place) { return place.node != node; });
  return {found, end};
}

Ticks ComputationShares::in_kernel(std::size_t location, std::size_t place) const {
  const SampledPlace& of = booking_.mine[location].sampled[place];
  const Wide part = static_cast<Wide>(shares_[location][place]) * of.in_kernel;
  return of.weight == 0 ? 0 : static_cast<Ticks>(part / of.weight);
}

std::int64_t ComputationShares::variance(std::size_t location, std::size_t place) const {
  const SampledPlace& of = booking_.mine[location].sampled[place];
  if (of.weight == 0) return 0;
  const double units = static_cast<double>(shares_[location][place]) /
                       static_cast<double>(booking_.definitions.ticks_per_second) / kErrorUnit;
  const auto weight = static_cast<double>(of.weight);
  const double variance = units * units * (of.squares / weight / weight);
  return variance < static_cast<double>(kMostVariance)
             ? static_cast<std::int64_t>(std::ceil(variance))
             : kMostVariance;
}

ComputationShares::ComputationShares(const Booking& booking) : booking_(booking) {
  const MetricId computation = booking.metrics.id("comp");
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    const auto& sampled = booking.mine[l].sampled;
    auto& shares = shares_.emplace_back(sampled.size());
    auto& rest = rest_.emplace_back(0);
    for_each_call_path(sampled, [&](std::size_t first, std::span<const SampledPlace> places) {
      const auto call_path = booking.tree.from_local[places.front().node];
      const Ticks time =
          booking.value(computation, l, call_path) - time_without_core(booking, l, call_path);
      const Ticks on = on_processor(time, booking.definitions.ticks_per_second, places);
      // Outside of all functions the thread was not sampled yet, or not any more.
      if (call_path != 0) rest += time - on;
      const auto some = divided(on, places);
      std::ranges::copy(some, shares.begin() + static_cast<std::ptrdiff_t>(first));
    });
  }
}

void ComputationShares::book(Booking& booking) const {
  const MetricId computation = booking.metrics.id("comp");
  for (std::size_t l = 0; l < shares_.size(); ++l) {
    const auto& sampled = booking.mine[l].sampled;
    for (std::size_t i = 0; i < sampled.size(); ++i) {
      if (sampled[i].at == sampled[i].node) continue;
      booking.add_up(computation, l, sampled[i].node, -shares_[l][i]);
      booking.add_up(computation, l, sampled[i].at, shares_[l][i]);
    }
  }
}

}  // namespace latecomer::replay
