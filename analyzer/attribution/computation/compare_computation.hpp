// SPDX-License-Identifier: BSD-3-Clause
// Compares the sampled lines and the blocking calls of those that made others wait with those of
// the ones that waited, over the stretches of their delays.
#pragma once

#include <vector>

#include "analyzer/attribution/computation/computation_parts.hpp"
#include "analyzer/attribution/delay_cost_booking.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/computation.hpp"

namespace latecomer::replay {

// A delay compares the time that its cause spent at a call path with that of the waiter, since both
// were last in step. So the lines to blame are those in which the cause spent more time than the
// waiter in that stretch, not those in which it spent most:
//
//   line      cause   waiter   longer
//   a.c:10      4.0      4.1        -
//   a.c:20      3.0      1.0      2.0
//
// What was told of each stretch counts as much as the delay costs, so all seconds are parts of the
// delay costs. A time t by n samples of one weight has the standard error t / sqrt(n). Several may
// wait for the same stretch, which adds no samples. So n is at most the number of samples that the
// cause has in this line. A line counts as longer if it is longer by twice the standard error of
// the difference.
//
// The largest delay costs of single locations are compared, at most LongerComputation::kMostRows.
// Call it after book_delay_reasons(). The same on every process. Collective.
[[nodiscard]] std::vector<report::LongerComputation> compare_computation(
    const Booking& booking, const ComputationParts& parts, const DelayParts& delays,
    parallel::Processes& processes);

}  // namespace latecomer::replay
