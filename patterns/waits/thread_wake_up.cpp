// SPDX-License-Identifier: BSD-3-Clause
// Waits of POSIX threads for each other, except for mutexes: their records.
#include "patterns/waits/thread_wake_up.hpp"

#include <string>
#include <utility>

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

Metric wait(std::string name, std::string display, std::string parent, std::string description,
            std::string explanation, std::string formula, std::string advice) {
  return {.name = std::move(name),
          .display = std::move(display),
          .parent = std::move(parent),
          .unit = Unit::kSeconds,
          .description = std::move(description),
          .explanation = std::move(explanation),
          .formula = std::move(formula),
          .advice = std::move(advice)};
}

// Thread 1 waits in `call` until thread 0 acts.
Drawing one_other(const std::string& call, const std::string& act) {
  return {{"thread 0", "thread 1"},
          {{0, 0, 70, kWork, "still computes"},
           {0, 70, 76, kCall, act},
           {0, 76, 100, kWork, ""},
           {1, 0, 30, kWork, ""},
           {1, 30, 70, kWait, call},
           {1, 70, 80, kCall, ""},
           {1, 80, 100, kWork, ""}},
          {{0, 72, 1, 78}},
          {}};
}

}  // namespace

FollowedWait pthread_condition_wait_state() {
  return {
      .metric = wait(
          "pthread_condition_wait", "Wait for Signal", "pthread_conditional",
          "Time threads waited at conditions of POSIX threads until another thread signalled.",
          "The time from entering the call until the signal that woke the thread. What comes after "
          "it, until the thread has its mutex again, is not part of it.\n"
          "Typical causes: a thread of a pool has no work, since the thread that hands out work "
          "computes; a thread waits for the result of another one.\n"
          "What to try: hand out work earlier, or in smaller pieces; let the thread that waits do "
          "something else meanwhile. A thread that only serves others may wait all the time.\n",
          "min(time of the signal, own leave) - enter of the call",
          "Signal earlier, or give the waiting thread other work."),
      .order = 372,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_pthreadsignal"},
      .drawing = one_other("cond_wait", "signal"),
  };
}

FollowedWait pthread_rwlock_contention_state() {
  return {
      .metric = wait(
          "pthread_lock_contention_rwlock", "Lock Contention", "pthread_rwlock",
          "Time threads waited for read-write locks that other threads held.",
          "The time from entering the call until the last unlock by another thread before this one "
          "got the lock.\n"
          "Typical causes: much work under the lock; many readers that keep writers out.\n"
          "What to try: do less while the lock is held; a lock per object instead of one for all; "
          "copies of data that change rarely.\n",
          "min(time of the last unlock, own leave) - enter of the call",
          "Do less while the lock is held, or take it less often."),
      .order = 374,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_pthreadrwlock"},
      .drawing = of_threads(lock("wrlock")),
  };
}

FollowedWait pthread_semaphore_wait_state() {
  return {
      .metric =
          wait("pthread_semaphore_wait", "Wait for Post", "pthread_semaphore",
               "Time threads waited at semaphores until another thread posted.",
               "The time from entering the call until the post that let the thread go on.\n"
               "Typical causes: the thread that produces is slower than the one that consumes; a "
               "semaphore used as a lock is held for long.\n"
               "What to try: post earlier, or more than once; more producers.\n",
               "min(time of the post, own leave) - enter of the call",
               "Post earlier, or give the waiting thread other work."),
      .order = 376,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_pthreadpost"},
      .drawing = one_other("sem_wait", "post"),
  };
}

FollowedWait pthread_barrier_wait_state() {
  return {
      .metric = wait(
          "pthread_barrier_wait", "Wait at Barrier", "pthread_barrier",
          "Time threads waited in barriers of POSIX threads for the last thread.",
          "No thread leaves a barrier before as many have entered it as it was made for. The time "
          "from a thread's own entry to that of the last one is lost.\n"
          "Typical causes: parts of the program between two barriers take some threads longer than "
          "others.\n"
          "What to try: even out the work; leave out barriers that nothing needs.\n",
          "min(latest enter, own leave) - own enter",
          "Give the threads equal work before the barrier."),
      .order = 378,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_pthreadbarrier"},
      .drawing = of_threads(one_call("the barrier")),
  };
}

FollowedWait pthread_join_wait_state() {
  return {
      .metric = wait("pthread_join_wait", "Late Thread", "pthread_join",
                     "Time threads waited for the end of another thread that they joined.",
                     "The time from entering the call until the other thread ended.\n"
                     "Typical causes: the work of threads is uneven, so the first ones wait for "
                     "the last one; the thread that joins has nothing to do itself.\n"
                     "What to try: give the threads equal work; let the thread that joins take a "
                     "share of the work, too.\n",
                     "min(end of the other thread, own leave) - enter of the call",
                     "Even out the work of the threads, or work in the thread that joins."),
      .order = 380,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_pthreadjoin"},
      .drawing = one_other("join", "end"),
  };
}

}  // namespace latecomer::patterns
