// SPDX-License-Identifier: BSD-3-Clause
// A Problem for people: names in it come from anywhere.
#pragma once

#include <string>

#include "archive/printable.hpp"
#include "archive/result.hpp"

namespace latecomer {

// One line for what is wrong and one for the next step, whatever is in them.
inline std::string problem_text(const Problem& problem) {
  return Problem{printable(problem.what), printable(problem.next), problem.status}.text();
}

}  // namespace latecomer
