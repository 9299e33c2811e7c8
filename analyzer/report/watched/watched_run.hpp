// SPDX-License-Identifier: BSD-3-Clause
// Makes a report of the statistics of a run that was watched.
#pragma once

#include "analyzer/report/algebra/combine.hpp"
#include "tracer/watch/view/watch_report.hpp"

namespace latecomer::report {

// A report with a column for each rank that was watched, in seconds:
//
//   time of an MPI call           as measured, at its call path
//   time outside MPI              at the root: where in the program is not known
//   wait states                   at the call path of the MPI call that waited
//   visits                        number of MPI calls
//
// Call sites of the same functions are one call path, as in the analysis of a trace. Time between
// records that were lost is in no value. Notes name what is missing; a report that lacks ranks or
// records is partial.
[[nodiscard]] Combined report_of(const watch::WatchReport& run);

}  // namespace latecomer::report
