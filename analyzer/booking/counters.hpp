// SPDX-License-Identifier: BSD-3-Clause
// Metrics of the counters of a trace.
#pragma once

#include <string>
#include <vector>

#include "analyzer/booking/booking.hpp"

namespace latecomer::replay {

// The unique name of the metric of a counter. Those of what the kernel did are in the table of
// metrics; others are made from the name of the counter:
//
//   page faults         page_faults
//   PAPI_TOT_INS        counter_papi_tot_ins
//
// Empty if the values of the counter cannot be added up.
[[nodiscard]] std::string metric_of_counter(const trace::Counter& counter);

// True if the trace tells what the kernel did.
[[nodiscard]] bool has_kernel_counters(const trace::Definitions& definitions);

// Metrics for counters that are not in the table; counters with equal names are one metric.
[[nodiscard]] std::vector<patterns::Metric> counter_metrics(const trace::Definitions& definitions);

// Books what was counted. Times without a core are parts of the computing time, which is booked
// already; what exceeds it is left out.
void book_counters(Booking& booking);

// Ticks in which a hosted location had no core at a call path of the global call tree, as far as
// they are booked.
[[nodiscard]] trace::Ticks time_without_core(const Booking& booking, std::size_t location,
                                             std::uint32_t call_path);

}  // namespace latecomer::replay
