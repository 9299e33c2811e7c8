// SPDX-License-Identifier: BSD-3-Clause
// Takes the round with the smallest round trip, once others confirm that it is about the smallest.
#include "sync/offset.hpp"

#include <cmath>
#include <utility>
#include <vector>

namespace latecomer::sync {
namespace {

// Number of round trips up to `bound`; counted again whenever the best one changes.
int count_within(const std::vector<Nanoseconds>& round_trips, double bound) {
  int count = 0;
  for (const Nanoseconds trip : round_trips) count += static_cast<double>(trip) <= bound ? 1 : 0;
  return count;
}

// Mean and deviation over undisturbed rounds: those of at most twice the best round trip.
void describe(std::vector<Nanoseconds> round_trips, Offset& result) {
  std::erase_if(round_trips, [&](Nanoseconds trip) { return trip > 2 * result.round_trip; });
  const auto count = static_cast<double>(round_trips.size());
  double sum = 0, squares = 0;
  for (const Nanoseconds trip : round_trips) sum += static_cast<double>(trip) / 2;
  const double mean = sum / count;
  for (const Nanoseconds trip : round_trips) {
    const double distance = static_cast<double>(trip) / 2 - mean;
    squares += distance * distance;
  }
  result.mean = std::llround(mean);
  result.deviation = std::llround(std::sqrt(squares / count));
}

}  // namespace

Offset measure_offset(const std::function<Round()>& ping_pong, const Limits& limits) {
  std::vector<Nanoseconds> round_trips;
  Round best = ping_pong();
  const Nanoseconds begin = best.sent;
  Round last = best;
  bool settled = false;
  for (;;) {
    round_trips.push_back(last.round_trip());
    if (last.round_trip() < best.round_trip()) best = last;
    const auto rounds = static_cast<int>(round_trips.size());
    // Timers have a resolution; the 1 makes a round trip of 0 confirmable.
    const double close = limits.closeness * static_cast<double>(best.round_trip()) + 1;
    const bool short_enough = limits.smallest_seen == 0 ||
                              static_cast<double>(best.round_trip()) <=
                                  limits.closeness * static_cast<double>(limits.smallest_seen) + 1;
    settled = short_enough && count_within(round_trips, close) > limits.confirmations;
    if (rounds >= limits.fewest && settled) break;
    if (rounds >= limits.most || last.received - begin > limits.time) break;
    last = ping_pong();
  }
  Offset result;
  result.remote = best.remote;
  result.round_trip = best.round_trip();
  result.offset = best.sent + best.round_trip() / 2 - best.remote;
  result.error = (best.round_trip() + 1) / 2;
  result.rounds = static_cast<int>(round_trips.size());
  result.settled = settled;
  describe(std::move(round_trips), result);
  return result;
}

}  // namespace latecomer::sync
