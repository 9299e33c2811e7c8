// SPDX-License-Identifier: BSD-3-Clause
// Classifies regions that organize threads.
#include "patterns/calls/thread_construct.hpp"

#include <string>

#include "patterns/calls/lower.hpp"

namespace latecomer::patterns {

ThreadConstruct thread_construct(std::string_view name, std::string_view paradigm,
                                 std::string_view role) {
  using enum ThreadConstruct;
  if (paradigm != "openmp" && paradigm != "pthread") return kNone;
  const std::string lowered = lower(name);
  const std::string_view call = lowered;
  if (paradigm == "pthread") {
    if (call.starts_with("pthread_mutex_") || call.starts_with("pthread_spin_") ||
        call.starts_with("mtx_")) {
      return kMutex;
    }
    if (call.starts_with("pthread_cond_") || call.starts_with("cnd_")) return kCondition;
    if (call.starts_with("pthread_rwlock_")) return kReadWriteLock;
    if (call.starts_with("pthread_barrier_")) return kPosixBarrier;
    if (call.starts_with("sem_")) return kSemaphore;
    const bool joins = (call.starts_with("pthread_") || call.starts_with("thrd_")) &&
                       call.substr(0, call.find(' ')).find("join") != call.npos;
    return joins ? kThreadEnd : kNone;
  }
  if (role == "parallel") return kParallel;
  if (role == "barrier") return kBarrier;
  if (role == "implicit barrier") return kImplicitBarrier;
  if (role == "task" || role == "untied task") return kTask;
  if (role == "taskwait") return kTaskWait;
  if (role == "critical" || role == "atomic") return kCritical;
  // A place may follow the name: "omp_set_lock @solver.c:12".
  const std::string_view function = call.substr(0, call.find(' '));
  return function.starts_with("omp_") && function.ends_with("_lock") ? kLockApi : kNone;
}

}  // namespace latecomer::patterns
