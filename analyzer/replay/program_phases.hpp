// SPDX-License-Identifier: BSD-3-Clause
// The phases of a program: the parts that its main function, or the one that does everything for
// it, consists of.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"

namespace latecomer::replay {

struct ProgramPhases {
  std::vector<std::uint32_t> call_paths;  // of the global tree, in its order; phase i + 1
  std::vector<std::uint8_t> of_node;      // phase by node of the global tree; 0: none of them
};

// From the root down as long as only one function that is none of MPI takes 5 % of the time of all
// or more; those below it are the phases: at least two, else there are none, and at most 15, the
// longest ones. None where functions are known at MPI calls only. Collective, after times are
// booked.
[[nodiscard]] ProgramPhases find_phases(const Booking& booking, parallel::Processes& processes);

}  // namespace latecomer::replay
