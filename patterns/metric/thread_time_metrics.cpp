// SPDX-License-Identifier: BSD-3-Clause
// Metrics of time for organizing threads, by class of region.
#include "patterns/metric/metric_tables.hpp"

namespace latecomer::patterns {
namespace {

// Fields of the tables: unique name, display name, parent, unit, description, explanation.

}  // namespace

std::vector<Metric> openmp_time_metrics() {
  return {
      {"omp_time", "OpenMP", "execution", Unit::kSeconds,
       "Time that organizing OpenMP threads takes.",
       "Creating teams, barriers, critical sections, locks. What runs inside of parallel regions "
       "and loops is computation.\n"
       "What to try: open the tree to see which of them dominates.\n"},
      {"omp_synchronization", "Synchronization", "omp_time", Unit::kSeconds,
       "Time in barriers, critical sections, locks, and the like.",
       "Not all of it is waiting: what other threads are known to be the cause of is in the wait "
       "states below it.\n"},
      {"omp_barrier", "Barrier", "omp_synchronization", Unit::kSeconds,
       "Time in barriers of OpenMP.",
       "Explicit ones stand in the program; implicit ones end parallel regions, loops, sections, "
       "and single constructs. Tasks that are executed there are not in it.\n"},
      {"omp_ebarrier", "Explicit", "omp_barrier", Unit::kSeconds,
       "Time in barriers that stand in the program.",
       "Waiting for the last thread and the last task, and the barrier's own time.\n"},
      {"omp_ibarrier", "Implicit", "omp_barrier", Unit::kSeconds,
       "Time in barriers at the end of parallel regions, loops, and other constructs.",
       "Waiting for the last thread and the last task, and the barrier's own time.\n"
       "What to try: nowait where what follows does not need the results.\n"},
      {"omp_critical", "Critical", "omp_synchronization", Unit::kSeconds,
       "Time at the entry and exit of critical and atomic constructs.",
       "Getting and releasing the lock. What is executed while it is held is computation.\n"},
      {"omp_lock_api", "Lock API", "omp_synchronization", Unit::kSeconds,
       "Time in calls for locks of OpenMP.", "omp_set_lock, omp_test_lock and the like.\n"},
      {"omp_ordered", "Ordered", "omp_synchronization", Unit::kSeconds,
       "Time at ordered constructs.",
       "Threads wait until the iterations before theirs have passed.\n"
       "What to try: smaller ordered parts, a schedule with chunks of one iteration.\n"},
      {"omp_taskwait", "Task Wait", "omp_synchronization", Unit::kSeconds,
       "Time in taskwait constructs.",
       "Waiting for child tasks; tasks that are executed there are not in it.\n"},
      {"omp_flush", "Flush", "omp_time", Unit::kSeconds, "Time in flush constructs.",
       "Making memory consistent between threads.\n"},
  };
}

std::vector<Metric> pthread_time_metrics() {
  return {
      {"pthread_time", "POSIX threads", "execution", Unit::kSeconds,
       "Time in calls of the POSIX threads library.",
       "Creating and joining threads, mutexes, conditions.\n"},
      {"pthread_management", "Management", "pthread_time", Unit::kSeconds,
       "Time in calls that create, join, or end threads.",
       "pthread_create, pthread_join and the like.\n"},
      {"pthread_join", "Join", "pthread_management", Unit::kSeconds,
       "Time in calls that wait for the end of a thread.", "pthread_join and the like.\n"},
      {"pthread_synchronization", "Synchronization", "pthread_time", Unit::kSeconds,
       "Time in calls for mutexes, conditions, read-write locks, semaphores and barriers.",
       "Getting and giving locks, and waiting. Of programs that Latecomer recorded, calls that do "
       "not "
       "wait are not in it.\n"},
      {"pthread_lock_api", "Mutex", "pthread_synchronization", Unit::kSeconds,
       "Time in calls for mutexes.", "pthread_mutex_lock and the like.\n"},
      {"pthread_conditional", "Condition", "pthread_synchronization", Unit::kSeconds,
       "Time in calls for conditions.", "pthread_cond_wait and the like.\n"},
      {"pthread_rwlock", "Read-write lock", "pthread_synchronization", Unit::kSeconds,
       "Time in calls for read-write locks.", "pthread_rwlock_rdlock and the like.\n"},
      {"pthread_semaphore", "Semaphore", "pthread_synchronization", Unit::kSeconds,
       "Time in calls for semaphores.", "sem_wait and the like.\n"},
      {"pthread_barrier", "Barrier", "pthread_synchronization", Unit::kSeconds,
       "Time in barriers of POSIX threads.",
       "pthread_barrier_wait: waiting for the last thread, and the barrier's own time.\n"},
  };
}

}  // namespace latecomer::patterns
