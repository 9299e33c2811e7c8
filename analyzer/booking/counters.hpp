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
//   papi-tot-ins        counter_papi_tot_ins_2, after the one before
//
// Counters of equal names and units have one metric. Empty if the values of a counter cannot be
// added up. In the order of the counters.
[[nodiscard]] std::vector<std::string> metrics_of_counters(const trace::Definitions& definitions);

// The metric of the counter of instructions outside of the kernel, by the names of perf, PAPI and
// libpfm; empty: there is none.
[[nodiscard]] std::string metric_of_instructions(const trace::Definitions& definitions);

// True if the trace tells what the kernel did.
[[nodiscard]] bool has_kernel_counters(const trace::Definitions& definitions);

// True if the trace can tell why a computation was long. A run that hardly uses its processors has
// no samples, but the kernel's part is known.
[[nodiscard]] inline bool tells_of_computation(const trace::Definitions& definitions) {
  return definitions.has_samples() || has_kernel_counters(definitions);
}

// Metrics for counters that are not in the table.
[[nodiscard]] std::vector<patterns::Metric> counter_metrics(const trace::Definitions& definitions);

// Books what was counted. Times without a core are parts of the computing time, which is booked
// already; what exceeds it is left out.
void book_counters(Booking& booking);

// Ticks in which a hosted location had no core at a call path of the global call tree, as far as
// they are booked.
[[nodiscard]] trace::Ticks time_without_core(const Booking& booking, std::size_t location,
                                             std::uint32_t call_path);

}  // namespace latecomer::replay
