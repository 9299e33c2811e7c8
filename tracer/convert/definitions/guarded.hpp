// SPDX-License-Identifier: BSD-3-Clause
// Steps between collective operations: even a lack of memory must not leave other processes
// waiting.
#pragma once

#include <exception>
#include <string>

#include "archive/result.hpp"

namespace latecomer::convert {

// Does the work unless there is already a problem; an exception becomes a problem.
template <typename F>
void guarded(Status& status, F&& work) {
  if (!status) return;
  try {
    work();
  } catch (const std::exception& error) {
    status = Problem{"cannot write the archive: " + std::string(error.what()), ""};
  }
}

}  // namespace latecomer::convert
