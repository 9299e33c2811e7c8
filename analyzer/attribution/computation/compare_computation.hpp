// SPDX-License-Identifier: BSD-3-Clause
// Compares the sampled lines of those that made others wait with the same lines elsewhere.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/attribution/computation/computation_parts.hpp"
#include "analyzer/attribution/computation/computation_shares.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/computation.hpp"

namespace latecomer::replay {

// A delay compares the time that its cause spent at a call path with that of the waiter. So the
// lines to blame are those in which the cause spent more time than others, not those in which it
// spent most:
//
//   line      rank 0   rank 1   rank 2   mean of others   longer
//   a.c:10       4.0      4.1      3.9              4.0      0.0
//   a.c:20       3.0      1.0      1.2              1.1      1.9
//
// Times are shares of the computing time by samples (ComputationShares). A time t by n samples
// of one weight has the standard error t / sqrt(n). A line counts as longer if it is longer by
// twice the standard error of the difference.
//
// The largest delay costs of single locations are compared, at most LongerComputation::kMostRows;
// call it after the delay costs are booked. The same on every process. Collective.
[[nodiscard]] std::vector<report::LongerComputation> compare_computation(
    const Booking& booking, const ComputationShares& shares, const ComputationParts& parts,
    parallel::Processes& processes);

}  // namespace latecomer::replay
