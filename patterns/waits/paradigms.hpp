// SPDX-License-Identifier: BSD-3-Clause
// Says which kinds of regions and records a trace has. Metrics of others are not computed.
#pragma once

#include "patterns/waits/wait_state_list.hpp"

namespace latecomer::patterns {

// Kinds of regions or records in a trace, besides MPI, for which there are metrics.
struct Paradigms {
  bool openmp = false, pthread = false;
  bool tests = false;         // MPI_Test and the like
  bool files = false;         // records of MPI-IO
  bool kernel = false;        // records of what the kernel did
  bool samples = false;       // samples of the computation
  bool instructions = false;  // a counter of instructions besides

  [[nodiscard]] static constexpr Paradigms all() {
    return {.openmp = true,
            .pthread = true,
            .tests = true,
            .files = true,
            .kernel = true,
            .samples = true,
            .instructions = true};
  }

  [[nodiscard]] constexpr bool have(WaitFamily family) const {
    if (family == WaitFamily::kOpenMp) return openmp;
    if (family == WaitFamily::kPthread) return pthread;
    return family != WaitFamily::kFiles || files;
  }
};

}  // namespace latecomer::patterns
