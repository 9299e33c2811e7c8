// SPDX-License-Identifier: BSD-3-Clause
// The phases of a program: the parts of its main function, or of the function to which main leaves
// all the work.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// The phases, and the phase of every node.
struct ProgramPhases {
  std::vector<std::uint32_t> call_paths;  // in the order of the global tree; phase i + 1
  std::vector<std::uint8_t> of_node;      // phase by node of the global tree; 0: no phase
};

// Descends from the root as long as a single function outside MPI takes 5 % of all time or more.
// The functions below that are the phases. There are none if fewer than two are found, and at most
// 15, the longest ones. There are none if functions are known only at MPI calls. Collective; call
// it after times are booked.
[[nodiscard]] ProgramPhases find_phases(const Booking& booking, parallel::Processes& processes);

}  // namespace latecomer::replay
