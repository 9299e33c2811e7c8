// SPDX-License-Identifier: BSD-3-Clause
// How far this process is with what takes long.
#pragma once

#include <cstdint>
#include <functional>

namespace latecomer::replay {

enum class Work : std::uint8_t {
  kReading,       // events
  kCauses,        // waits
  kIdealNetwork,  // MPI calls
};

// Called now and then: pieces of the work that are done, and all; may be empty.
using Progress = std::function<void(Work work, std::uint64_t done, std::uint64_t all)>;

}  // namespace latecomer::replay
