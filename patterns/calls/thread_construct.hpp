// SPDX-License-Identifier: BSD-3-Clause
// Classifies regions that organize threads, as far as wait states need it.
#pragma once

#include <cstdint>
#include <string_view>

namespace latecomer::patterns {

// Constructs that wait states distinguish.
enum class ThreadConstruct : std::uint8_t {
  kNone,
  kParallel,         // a team of threads works
  kBarrier,          // explicit in the program
  kImplicitBarrier,  // at the end of a loop, a parallel region, ...
  kTask,             // an explicit task is executed
  kTaskWait,         // taskwait, or the end of a taskgroup
  kCritical,         // one thread at a time
  kLockApi,          // omp_set_lock and the like
  kMutex,            // pthread_mutex_lock and the like
  kCondition,        // pthread_cond_wait and the like
  kReadWriteLock,    // pthread_rwlock_rdlock and the like
  kSemaphore,        // sem_wait and the like
  kPosixBarrier,     // pthread_barrier_wait
  kThreadEnd,        // pthread_join and the like
};

// `paradigm` and `role` are CUBE's words.
[[nodiscard]] ThreadConstruct thread_construct(std::string_view name, std::string_view paradigm,
                                               std::string_view role);

}  // namespace latecomer::patterns
