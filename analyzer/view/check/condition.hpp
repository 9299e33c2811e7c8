// SPDX-License-Identifier: BSD-3-Clause
// Conditions of `latecomer check`: "mpi_latesender>+5%", "time<20s".
#pragma once

#include <string>

#include "archive/result.hpp"

namespace latecomer::view {

//   NAME > +5%     5 % more than the baseline         NAME > 5%     5 % of the metric time
//   NAME > +0.5s   half a second more than that       NAME > 0.5s   half a second
//   NAME < -5%     5 % less                           NAME > 100    so many
struct Condition {
  std::string text;      // as it was typed
  std::string metric;    // name as it was typed
  bool above = false;    // ">", else "<"
  bool change = false;   // the bound is a difference from the baseline (it has a sign)
  bool percent = false;  // in percent
  double bound = 0;      // percent as such; seconds, bytes or a number
  std::string unit;      // "sec", "bytes", or empty: none was said
};

// A usage Problem if it is none. `option` is for messages.
[[nodiscard]] Result<Condition> parse_condition(const std::string& text, const std::string& option);

}  // namespace latecomer::view
