// SPDX-License-Identifier: BSD-3-Clause
// Defines the conditions of `latecomer check`: "mpi_latesender>+5%", "time<20s".
#pragma once

#include <string>

#include "archive/result.hpp"

namespace latecomer::view {

//   NAME > +5%     5 % more than the baseline            NAME > 5%     5 % of the metric time
//   NAME > +0.5s   0.5 s more than the baseline          NAME > 0.5s   half a second
//   NAME < -5%     5 % less than the baseline            NAME > 100    a number of occurrences
struct Condition {
  std::string text;      // text as typed
  std::string metric;    // name as typed
  bool above = false;    // ">"; otherwise "<"
  bool change = false;   // the bound is a difference from the baseline (has a sign)
  bool percent = false;  // the bound is in percent
  double bound = 0;      // percent, seconds, bytes or a number
  std::string unit;      // "sec", "bytes", or empty: none was given
};

// A usage Problem if `text` is not a condition. `option` is for messages.
[[nodiscard]] Result<Condition> parse_condition(const std::string& text, const std::string& option);

}  // namespace latecomer::view
