// SPDX-License-Identifier: BSD-3-Clause
// OMPT, the interface of OpenMP's runtimes for tools, as far as it is used here (OpenMP 5.0 to 5.2,
// "OMPT Interface"). The names are shorter than those of the standard; the numbers are its own.
#pragma once

#include <cstdint>

namespace latecomer::openmp::ompt {

// What a tool keeps for a team, a task or itself; 0 at first.
union Data {
  std::uint64_t value;
  void* pointer;
};

using Callback = void (*)();
using Lookup = Callback (*)(const char* function);
using SetCallback = int (*)(int event, Callback callback);

struct StartResult {
  int (*initialize)(Lookup lookup, int device, Data* tool);  // 0: the tool does not want to run
  void (*finalize)(Data* tool);
  Data tool;
};

enum class Event : int {
  kParallelBegin = 3,
  kParallelEnd = 4,
  kTaskCreate = 5,
  kTaskSchedule = 6,
  kImplicitTask = 7,
  kMutexReleased = 17,
  kWork = 20,
  kSyncRegion = 23,
  kMutexAcquire = 26,
  kMutexAcquired = 27,
};

enum class Scope : int { kBegin = 1, kEnd = 2 };

enum class Sync : int {
  kBarrier = 1,
  kImplicit = 2,  // at the end of any construct; later runtimes say which
  kExplicit = 3,
  kImplementation = 4,  // a barrier of a reduction; any barrier in a program of GCC
  kTaskWait = 5,
  kTaskGroup = 6,
  kImplicitWorkshare = 8,
  kImplicitParallel = 9,
};

enum class Work : int {
  kLoop = 1,
  kSections = 2,
  kSingle = 3,  // by the thread that executes it; others report 4
  kWorkshare = 5,
  kDistribute = 6,
  kTaskLoop = 7,
  kScope = 8,
  kFirstLoop = 10,  // loops by their schedules
  kLastLoop = 13
};

enum class Mutex : int { kCritical = 5, kOrdered = 7 };

// Why a thread stops to execute a task.
enum class Status : int { kComplete = 1, kCancel = 3, kDetach = 4 };

// Flags of parallel regions and of tasks.
inline constexpr int kByProgram = 0x1;      // the thread that makes the team calls the region
inline constexpr int kLeague = 0x40000000;  // of a `teams` construct
inline constexpr int kInitialTask = 0x1;
inline constexpr int kExplicitTask = 0x4;
inline constexpr int kUndeferredTask = 0x08000000;
inline constexpr int kUntiedTask = 0x10000000;

}  // namespace latecomer::openmp::ompt
