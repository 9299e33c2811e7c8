// SPDX-License-Identifier: BSD-3-Clause
// Divides the computing time of call paths among the places that were sampled in them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/trace/events/samples/sample_events.hpp"

namespace latecomer::replay {

// A line of a function at a call path of the global call tree. `source` is as in
// trace::SampledPlace.
struct LineKey {
  std::uint32_t call_path = 0, region = 0, source = 0;
  friend auto operator<=>(const LineKey&, const LineKey&) = default;
};

// Divides an amount of at least 0 among places in proportion to their weights. The shares are whole
// numbers, and their sum is the amount: each is rounded down, and the largest remainders get one
// more, the first among equals. Without places there are no shares.
//
//   amount 10, weights 3 3 1     4.28 4.28 1.43     4 4 1, and 1 for the last: 4 4 2
[[nodiscard]] std::vector<std::int64_t> divided(std::int64_t amount,
                                                std::span<const trace::SampledPlace> places);

// The part of `time` in which a location had a processor, as samples show it. Samples count
// processor time. The square of its standard error is the sum of the squared weights of all
// samples, so n samples of the same weight that stand for w have the error w / sqrt(n). If the time
// is longer than w by more than three errors, the rest was without a processor: asleep, waiting for
// a file or a lock, or without a free core. Otherwise all of it was on one. `places` are those of
// one call path; their weights are in nanoseconds.
//
//   time 12 s, 1000 samples of 10 ms    w 10 s, error 0.32 s    10 s
//   time 10.5 s, 1000 samples of 10 ms  w 10 s, error 0.32 s    10.5 s
[[nodiscard]] std::int64_t on_processor(std::int64_t time, std::uint64_t ticks_per_second,
                                        std::span<const trace::SampledPlace> places);

// True if processor time without samples is time in the kernel. Then all time without a core is
// known, and no process is sampled in the kernel.
[[nodiscard]] bool kernel_is_rest(const Booking& booking);

// The places that were sampled while a call path was open, which is a node of the location's own
// call tree.
[[nodiscard]] std::span<const trace::SampledPlace> places_in(const trace::SampleEvents& events,
                                                             std::uint32_t node);

// Places of one call path are neighbors. Calls f(first, places) for each call path, with the index
// of its first place.
template <typename F>
void for_each_call_path(std::span<const trace::SampledPlace> sampled, F&& f) {
  for (std::size_t first = 0, end = 0; first < sampled.size(); first = end) {
    while (end < sampled.size() && sampled[end].node == sampled[first].node) ++end;
    f(first, sampled.subspan(first, end - first));
  }
}

// The computing time of each sampled place of the hosted locations.
class ComputationShares {
 public:
  // Divides the computing time that is booked, so nothing of it may have been moved yet.
  explicit ComputationShares(const Booking& booking);

  // Ticks by place, as in trace::SampleEvents::sampled of a hosted location.
  [[nodiscard]] std::span<const trace::Ticks> of(std::size_t location) const {
    return shares_[location];
  }
  // Ticks of such a place in the kernel, as its samples say.
  [[nodiscard]] trace::Ticks in_kernel(std::size_t location, std::size_t place) const;
  // Square of the standard error of the place's ticks, in units of kErrorUnit squared. Whole
  // numbers, so that sums over processes do not depend on their order, rounded up. At most
  // kMostVariance.
  static constexpr double kErrorUnit = 1e-4;  // seconds
  static constexpr std::int64_t kMostVariance = std::int64_t{1} << 44;
  [[nodiscard]] std::int64_t variance(std::size_t location, std::size_t place) const;
  // Ticks of a hosted location for which neither samples nor the kernel account, at call paths that
  // have samples.
  [[nodiscard]] trace::Ticks rest(std::size_t location) const { return rest_[location]; }
  // Moves the shares from the open call paths to those of the samples.
  void book(Booking& booking) const;

 private:
  const Booking& booking_;
  std::vector<std::vector<trace::Ticks>> shares_;
  std::vector<trace::Ticks> rest_;
};

}  // namespace latecomer::replay
