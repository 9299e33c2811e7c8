// SPDX-License-Identifier: BSD-3-Clause
// The limits of a run: its critical path, its largest waits, and what causes most waiting.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/predicted_run.hpp"

namespace latecomer::predict {

// Sums over all locations; the same on every process.
struct Limits {
  std::vector<trace::Ticks> path;   // on the critical path, by call path
  std::vector<trace::Ticks> waits;  // kind of wait x call path
  std::vector<trace::Ticks> costs;  // waiting caused, by call path
  // The rank by call path: the one that caused most of it, of the largest causes only. kNone: not
  // known.
  std::vector<std::uint32_t> rank;
};

// Causes must be booked. Collective.
[[nodiscard]] Limits find_limits(const replay::Booking& booking, parallel::Processes& processes);

// The limits of the recorded and the changed run. Both have the call paths of `booking`.
[[nodiscard]] report::Prediction::Limits compare(const Limits& recorded, const Limits& changed,
                                                 const replay::Booking& booking);

}  // namespace latecomer::predict
