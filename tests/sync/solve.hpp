// SPDX-License-Identifier: BSD-3-Clause
// Runs a single solver that has all constraints.
#pragma once

#include "sync/solver.hpp"

namespace latecomer::sync {

// Propagates all jumps. False: there was nothing to move.
inline bool solve(Solver& solver) {
  bool moved = false;
  while (solver.pending()) moved = !solver.propagate().empty() || moved;
  return moved;
}

}  // namespace latecomer::sync
