// SPDX-License-Identifier: BSD-3-Clause
// Divides delay costs by the reasons for which those who caused them were late.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "analyzer/attribution/computation/computation_parts.hpp"
#include "analyzer/attribution/computation/instruction_shares.hpp"
#include "analyzer/attribution/delay_cost_booking.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// Parts of computing time that may be longer than on others.
enum class DelayReason : std::size_t { kComputed, kPreempted, kBlocked, kKernel, kOffCore, kCount };
using OfReasons = std::array<std::int64_t, static_cast<std::size_t>(DelayReason::kCount)>;

// Divides `cost` among reasons, in proportion to what is longer on the delayer than on others on
// average. `own` are the parts of its time, `all` the sums of these parts over `locations`
// locations. If that could not have caused half of the cost, even if all others waited for it, the
// cost is divided in proportion to the parts themselves. The result is whole ticks, whose sum is
// the cost.
//
//   own 8 1 0 0 0, all 10 1 6 0 0 of 3 locations    means of others 1 0 3, longer 7 1 -
//                                                   cost 16: 14 2 0 0 0
//                                                   cost 90, more than twice 8 times 2: 80 10 0 0 0
[[nodiscard]] OfReasons divided_cost(std::int64_t cost, const OfReasons& own, const OfReasons& all,
                                     std::int64_t locations);

// Divides a cost of time on a core by the samples in the stretches of its delays: cause minus
// waiter, outside of the kernel and in it. What samples do not account for, if it is clearly more
// than their error, was not on a core, or in the kernel if that is not sampled. None if the
// stretches have fewer than ten samples together.
//
//   cost 8 s, cause 9 s and 3 s in the kernel, waiter 3 s and 1 s    6 and 2 longer: 6 s and 2 s
[[nodiscard]] std::optional<OfReasons> divided_by_samples(std::int64_t cost,
                                                          const causes::ExcessParts& told,
                                                          std::uint64_t ticks_per_second,
                                                          bool rest_is_kernel);

// Compares instructions in the stretches of delays. None if either side has not counted any.
[[nodiscard]] std::optional<MoreOrSlower> compared_in_stretches(const causes::ExcessParts& told,
                                                                std::uint64_t ticks_per_second);

// Books the metrics `delay_reasons` of a sampled run, from what is known of the stretches of its
// delays. Where that is too little, `parts` of the whole run are compared. Call it after the delay
// costs are booked, and before the shares of samples are moved. Collective.
void book_delay_reasons(Booking& booking, const ComputationParts& parts, const DelayParts& delays,
                        parallel::Processes& processes);

}  // namespace latecomer::replay
