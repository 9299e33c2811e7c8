// SPDX-License-Identifier: BSD-3-Clause
// Lock Contention of threads: its entries in the metric tree.
#include "patterns/waits/thread_lock_contention.hpp"

#include <string>

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
          "The thread that got the lock before had not released it when this one asked "
          "for it. The time until that release is charged to the call path that "
          "asked.\n"
          "Typical causes: much work under the lock; one lock for many independent "
          "things; a lock taken in the innermost loop.\n"
          "What to try: " +
          advice + "\n",
      .formula = "min(release by the holder before, own acquisition) - enter of the call",
      .advice = "Do less while the lock is held, or take it less often.",
  };
}

}  // namespace

Metric omp_critical_contention_metric() {
  return contention("omp_lock_contention_critical", "omp_critical", "at critical sections",
                    "give critical sections that have nothing to do with each other names of "
                    "their own; a reduction or atomic instead; collect per thread and combine "
                    "once.");
}

Metric omp_lock_contention_metric() {
  return contention("omp_lock_contention_api", "omp_lock_api", "for locks of OpenMP",
                    "a lock per object instead of one for all; collect per thread and combine "
                    "once.");
}

Metric pthread_mutex_contention_metric() {
  return contention("pthread_lock_contention_mutex_lock", "pthread_lock_api",
                    "for mutexes of POSIX threads",
                    "a mutex per object instead of one for all; read-write locks; collect per "
                    "thread and combine once.");
}

Metric pthread_condition_contention_metric() {
  return contention("pthread_lock_contention_conditional", "pthread_conditional",
                    "for the mutex after a condition of POSIX threads was signalled",
                    "signal one thread instead of all; release the mutex before signalling.");
}

}  // namespace latecomer::patterns
