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
    kTaskWait,
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
  // Number of teams, acquisitions, wakes or rounds before. Of a barrier or a wait for tasks: its
  // last Call, which is a moment at its end if there may be others in it.
  std::uint32_t number = 0;
  std::uint32_t paradigm = 0;  // paradigm of a lock
  Ticks tasks = 0;             // time of tasks executed inside of a barrier or a wait for tasks
  Kind kind = Kind::kFork;
};

// A task of OpenMP, as other tracers name it: the team's communicator (the archive's id), the
// thread that created it, and the number of its tasks before.
struct TaskName {
  std::uint32_t comm = 0, thread = 0, number = 0;
  friend auto operator<=>(const TaskName&, const TaskName&) = default;
};
struct TaskCreation {
  TaskName name;
  Ticks time = 0;
};
// A thread executed a task of OpenMP, from the enter of its Call to the leave of its last one.
struct TaskVisit {
  static constexpr Ticks kUnknown = INT64_MIN;
  std::uint32_t call = 0;
  std::uint32_t last = 0;           // a moment at its end if other calls are in it, else `call`
  std::uint32_t name = 0xffffffff;  // index in task_names, if known
  Ticks created = kUnknown;         // the thread may have waited for this
};

// All of one location.
struct ThreadEvents {
  std::vector<ThreadEvent> thread_events;
  std::vector<TaskVisit> tasks;  // in the order of their ends
  std::vector<TaskName> task_names;
  std::vector<TaskCreation> task_creations;  // by this thread
  // A Call without length after all others. Waits of a thread after its last call belong to it.
  std::uint32_t rest = 0xffffffff;
};

}  // namespace latecomer::trace
