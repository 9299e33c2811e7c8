// SPDX-License-Identifier: BSD-3-Clause
// Lock Contention of threads: its records.
#include "patterns/waits/thread_lock_contention.hpp"

#include <string>
#include <utility>

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

Metric contention(std::string name, std::string parent, const std::string& where,
                  const std::string& advice) {
  return {
      .name = std::move(name),
      .display = "Lock Contention",
      .parent = std::move(parent),
      .unit = Unit::kSeconds,
      .description = "Time threads waited " + where + " while another thread held the lock.",
      .explanation =
          "The thread that got the lock before had not released it when this one asked for it. The "
          "time until that release is charged to the call path that asked.\n"
          "Typical causes: much work under the lock; one lock for many independent things; a lock "
          "taken in the innermost loop.\n"
          "What to try: " +
          advice + "\n",
      .formula = "min(release by the holder before, own acquisition) - enter of the call",
      .advice = "Do less while the lock is held, or take it less often.",
  };
}

}  // namespace

FollowedWait omp_critical_contention_state() {
  return {
      .metric = contention(
          "omp_lock_contention_critical", "omp_critical", "at critical sections",
          "give critical sections that have nothing to do with each other names of their own; a "
          "reduction or atomic instead; collect per thread and combine once."),
      .order = 320,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_omplock", .split = "", .chain = ""},
      .drawing = of_threads(lock("critical")),
  };
}

OtherWait omp_lock_contention_state() {
  return {
      .metric = contention(
          "omp_lock_contention_api", "omp_lock_api", "for locks of OpenMP",
          "a lock per object instead of one for all; collect per thread and combine once."),
      .order = 330,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kThreadLock,
      .drawing = of_threads(lock("set_lock")),
  };
}

FollowedWait pthread_mutex_contention_state() {
  return {
      .metric = contention("pthread_lock_contention_mutex_lock", "pthread_lock_api",
                           "for mutexes of POSIX threads",
                           "a mutex per object instead of one for all; read-write locks; collect "
                           "per thread and combine once."),
      .order = 360,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_pthreadlock", .split = "", .chain = ""},
      .drawing = of_threads(lock("lock")),
  };
}

OtherWait pthread_condition_contention_state() {
  return {
      .metric =
          contention("pthread_lock_contention_conditional", "pthread_conditional",
                     "for the mutex after a condition of POSIX threads was signalled",
                     "signal one thread instead of all; release the mutex before signalling."),
      .order = 370,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kMutex,
      .drawing = of_threads(lock("cond_wait")),
  };
}

}  // namespace latecomer::patterns
