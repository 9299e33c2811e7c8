// SPDX-License-Identifier: BSD-3-Clause
// Progress of this process in phases that take long.
#pragma once

#include <cstdint>
#include <functional>

namespace latecomer::replay {

// A phase, with the unit of its pieces.
enum class Work : std::uint8_t {
  kReading,       // counted in events
  kCauses,        // counted in waits
  kIdealNetwork,  // counted in MPI calls
};

// Called from time to time with the pieces of the work that are done and all pieces; may be empty.
using Progress = std::function<void(Work work, std::uint64_t done, std::uint64_t all)>;

}  // namespace latecomer::replay
