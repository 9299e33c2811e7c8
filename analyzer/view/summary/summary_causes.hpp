// SPDX-License-Identifier: BSD-3-Clause
// Adds the causes of waiting to a summary: who made others wait, how, and what that would bring.
#pragma once

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/view/summary/report_sums.hpp"
#include "analyzer/view/summary/summary.hpp"

namespace latecomer::view {

// Values that cannot be read are a problem of `sums`.
void add_causes(report::Report& report, ReportSums& sums, Summary& summary);

}  // namespace latecomer::view
