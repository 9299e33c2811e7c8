// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's teams of threads, barriers and locks.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// A record of threads. Only thread libraries that were recorded have them.
struct ThreadEvent {
  enum class Kind : std::uint8_t {
    kFork,
    kJoin,
    kTeamBegin,
    kTeamEnd,
    kParallel,  // a parallel region
    kBarrier,
    kAcquire,  // a lock
    kRelease
  };
  Ticks time = 0;
  // Call of the parallel region, of the barrier, or that requests or releases the lock.
  std::uint32_t call = 0xffffffff;
  std::uint32_t node = 0;      // call path that made the team
  std::uint32_t id = 0;        // communicator of the team (the archive's id), or lock
  std::uint32_t number = 0;    // number of teams before, or of the acquisition of the lock
  std::uint32_t paradigm = 0;  // paradigm of a lock
  Ticks tasks = 0;             // time of tasks executed inside of a barrier
  Kind kind = Kind::kFork;
};

// All of one location.
struct ThreadEvents {
  std::vector<ThreadEvent> thread_events;
  // A Call without length after all others. Waits of a thread after its last call belong to it.
  std::uint32_t rest = 0xffffffff;
};

}  // namespace latecomer::trace
