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
    kRelease,
    kCreate,  // a POSIX thread
    kBegin,   // it began, or ended, on this location
    kEnd,
    kWait,   // for its end
    kWakes,  // lets threads go on that wait for an object
    kWoken,  // went on after that
    kRound   // arrived at a barrier of POSIX threads
  };
  Ticks time = 0;
  // Call of the parallel region, of the barrier, or that requests or releases the lock.
  std::uint32_t call = 0xffffffff;
  std::uint32_t node = 0;  // call path that made the team
  // Communicator of the team (the archive's id), lock, thread, or object.
  std::uint32_t id = 0;
  std::uint32_t number = 0;    // of teams, acquisitions, wakes or rounds before
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
