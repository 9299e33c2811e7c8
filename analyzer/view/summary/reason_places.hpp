// SPDX-License-Identifier: BSD-3-Clause
// Names the places of reasons why ranks were late.
#pragma once

#include <string>

#include "analyzer/report/cube/read_cube.hpp"

namespace latecomer::view {

// The place that has most of a part of the metric `delay_reasons`:
//
//   delay_blocked     " in usleep (heat.c:12)"    the call in which ranks were blocked
//   delay_in_files    " (out.bin)"                the file with which they were busy
//
// "mostly" is added if it has less than nine tenths. Delay costs are divided in proportion to the
// times of a rank at the call path. Empty if no place has half of them, or none is known.
[[nodiscard]] std::string place_of_reason(report::Report& report, const std::string& metric);

}  // namespace latecomer::view
