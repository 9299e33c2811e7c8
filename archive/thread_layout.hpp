// SPDX-License-Identifier: BSD-3-Clause
// Names of what archives and logs say about threads, beside those in layout.hpp.
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::layout {

// Program or library with a runtime of OpenMP inside, which cannot be recorded.
inline constexpr const char* kPropertyOpenMpInside = "LATECOMER::OPENMP::STATIC";
// Names of the runtimes of OpenMP of processes that had several, with ", " between them, and the
// number of these processes.
inline constexpr const char* kPropertyOpenMpRuntimes = "LATECOMER::OPENMP::RUNTIMES";
inline constexpr const char* kPropertySeveralRuntimes = "LATECOMER::OPENMP::SEVERAL_RUNTIMES";
// With --threads off: number of processes with threads, and the most threads in one process, for
// all threads that the processes have had.
inline constexpr const char* kPropertyOffProcesses = "LATECOMER::THREADS_OFF::PROCESSES";
inline constexpr const char* kPropertyOffThreads = "LATECOMER::THREADS_OFF::THREADS";
// Number of threads that were made before MPI_Init and have no records; only if any.
inline constexpr const char* kPropertyEarlyThreads = "LATECOMER::THREADS_BEFORE_MPI";
// Number of waits of threads for objects without room in the table; only if any.
inline constexpr const char* kPropertyLostWaits = "LATECOMER::LOST::WAITS_OF_THREADS";
// Names of constructs of OpenMP that a filter left out and that the program has, separated by
// commas; if any.
inline constexpr const char* kPropertyConstructsLeftOut = "LATECOMER::CONSTRUCTS_LEFT_OUT";
// Circles of threads that waited for locks of each other when the run ended: their number, and who
// waited for whom, with "; " between them; only if any.
inline constexpr const char* kPropertyLockCircles = "LATECOMER::LOCK_CIRCLES";
inline constexpr const char* kPropertyLockCirclesWho = "LATECOMER::LOCK_CIRCLES::WHO";
// Property of a location: cores that a thread could use when it ended, or at the end of the run.
inline constexpr const char* kPropertyThreadCores = "LATECOMER::CORES";  // "0-3,8"
// Event ParameterUnsignedInt before the enter of a task of OpenMP that the thread had to wait for:
// how many ticks ago it was created. Without it the task was there when the thread asked for one.
inline constexpr const char* kParameterTaskAwaited = "LATECOMER::THREADS::TASK_AWAITED";
// Readers keep a property of a location with those of its process, under this name.
inline std::string property_of_location(std::uint64_t location, const std::string& name) {
  return name + " of location " + std::to_string(location);
}

// Lines of the log of a process.
inline constexpr const char* kLogOpenMpInside = "openmp_inside";      // name of a module
inline constexpr const char* kLogOpenMpRuntimes = "openmp_runtimes";  // names, if several
// With --threads off: number of threads that the process has had, including the first one.
inline constexpr const char* kLogThreadsOff = "threads_off";
inline constexpr const char* kLogConstructsLeftOut = "constructs_left_out";  // name of one
inline constexpr const char* kLogEarlyThreads = "early_threads";  // number without records

}  // namespace latecomer::layout
