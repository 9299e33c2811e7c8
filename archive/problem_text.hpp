// SPDX-License-Identifier: BSD-3-Clause
// Text of a Problem for the user; names in it may come from anywhere.
#pragma once

#include <string>

#include "archive/printable.hpp"
#include "archive/result.hpp"

namespace latecomer {

// One line says what is wrong and one the next step, whatever they contain.
inline std::string problem_text(const Problem& problem) {
  return Problem{printable(problem.what), printable(problem.next), problem.status}.text();
}

}  // namespace latecomer
