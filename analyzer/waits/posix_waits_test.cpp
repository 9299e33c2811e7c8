// SPDX-License-Identifier: BSD-3-Clause
// POSIX threads: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>

#include "tests/replay/thread_words.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

const Place kWorker = thread_of(0, 1);

// ThreadCreate, ThreadBegin, ThreadWait, ThreadEnd of the thread with number 1.
template <typename Event>
void thread(TraceBuilder& t, Place who, double time, Event event) {
  t.raw(who, at(time), [event](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    event(w, nullptr, at, OTF2_UNDEFINED_COMM, 1);
  });
}
// The parameter `which` (0: wakes, 1: woken, 2: round) with object 7.
void parameter(TraceBuilder& t, Place who, double time, std::uint32_t which, std::uint64_t number) {
  t.raw(who, at(time), [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    OTF2_EvtWriter_ParameterUnsignedInt(w, nullptr, at, kFirstThreadParameter + which,
                                        7 | number << 32);
  });
}
void mutex(TraceBuilder& t, Place who, double time, bool acquire, std::uint32_t order) {
  t.raw(who, at(time), [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    acquire ? OTF2_EvtWriter_ThreadAcquireLock(w, nullptr, at, OTF2_PARADIGM_PTHREAD, 5, order)
            : OTF2_EvtWriter_ThreadReleaseLock(w, nullptr, at, OTF2_PARADIGM_PTHREAD, 5, order);
  });
}

// The master creates a thread at 1 and joins it from 4 on. It runs from 2 to 9 in `work`.
TraceBuilder one_thread() {
  auto t = TraceBuilder(1);
  t.enter(0, "pthread_create", at(1));
  thread(t, 0, 1, OTF2_EvtWriter_ThreadCreate);
  t.leave(0, at(2));
  t.enter(0, "pthread_join", at(4));
  thread(t, 0, 10, OTF2_EvtWriter_ThreadWait);
  t.leave(0, at(10));
  thread(t, kWorker, 2, OTF2_EvtWriter_ThreadBegin);
  visit(t, kWorker, "work", 2, 9);
  thread(t, kWorker, 9, OTF2_EvtWriter_ThreadEnd);
  return t;
}

}  // namespace

TEST_CASE("POSIX threads: a join waits for the end of the thread") {
  // The thread ends at 9: 9 - 4 = 5. The rest of the call, 10 - 9 = 1, is no wait.
  const auto report = analyze(one_thread());
  CHECK(report.metric("pthread_join_wait").at(rank(0, 0), path("pthread_join")) == 5_s);
  CHECK(report.metric("pthread_join_wait").total() == 5_s);
  CHECK(report.metric("pthread_join").total() == 6_s);
  CHECK(report.metric("pthread_management").total() == 7_s);  // with 1 in pthread_create
  CHECK(report.metric("comp").at(rank(0, 1), path("work")) == 7_s);
}

TEST_CASE("POSIX threads: the late thread bears the costs of the join") {
  // Both were in step at 1. Until 9 the thread was 1 on its way and 7 in `work`; the master was 1
  // in pthread_create and 2 outside, until 4. The 5 are charged to the thread.
  const auto report = analyze(one_thread());
  CHECK(report.metric("delay_pthreadjoin").total() == 5_s);
  CHECK(report.metric("delay_pthreadjoin").at(rank(0, 0)) == 0);
  CHECK(report.metric("delay_pthreadjoin").at(rank(0, 1), path("work")) > 4_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("POSIX threads: a signal ends the wait for a condition") {
  // Two waits from 1 on. Signal 3 comes at 4 and ends the first one: 4 - 1 = 3. Signal 4 at 6 ends
  // the wait from 5 on: 1. A wait from 8 to 9 ends without a signal.
  auto t = TraceBuilder(1);
  t.model().wake_ups = true;
  const auto wait = [&](double from, double to, int number) {
    t.enter(kWorker, "pthread_cond_wait", at(from));
    if (number != 0) parameter(t, kWorker, to, 1, static_cast<std::uint64_t>(number));
    t.leave(kWorker, at(to));
  };
  const auto signal = [&](double time, std::uint64_t number) {
    t.enter(0, "pthread_cond_signal", at(time));
    parameter(t, 0, time, 0, number);
    t.leave(0, at(time + 0.5));
  };
  t.enter(0, "work", at(0));
  signal(4, 3);
  signal(6, 4);
  t.leave(0, at(10));
  wait(1, 4.5, 3);
  wait(5, 7, 4);
  wait(8, 9, 0);
  const auto report = analyze(t);
  CHECK(report.metric("pthread_condition_wait").at(rank(0, 1), path("pthread_cond_wait")) == 4_s);
  CHECK(report.metric("pthread_condition_wait").total() == 4_s);
  CHECK(report.metric("pthread_conditional").total() == 7.5_s);  // 3.5 + 2 + 1 + 2 * 0.5
  CHECK(report.metric("delay_pthreadsignal_aggregate").total() +
            report.metric("delay_unknown").total() ==
        4_s);
}

TEST_CASE("POSIX threads: semaphores and read-write locks, each in its own metric") {
  // sem_wait 1..4, post at 3: 2. wrlock 5..9, unlock at 8: 3.
  auto t = TraceBuilder(1);
  t.model().wake_ups = true;
  t.enter(0, "work", at(0));
  t.enter(0, "sem_post", at(3));
  parameter(t, 0, 3, 0, 0);
  t.leave(0, at(3));
  t.enter(0, "pthread_rwlock_unlock", at(8));
  parameter(t, 0, 8, 0, 1);
  t.leave(0, at(8));
  t.leave(0, at(10));
  t.enter(kWorker, "sem_wait", at(1));
  parameter(t, kWorker, 4, 1, 0);
  t.leave(kWorker, at(4));
  t.enter(kWorker, "pthread_rwlock_wrlock", at(5));
  parameter(t, kWorker, 9, 1, 1);
  t.leave(kWorker, at(9));
  const auto report = analyze(t);
  CHECK(report.metric("pthread_semaphore_wait").at(rank(0, 1)) == 2_s);
  CHECK(report.metric("pthread_lock_contention_rwlock").at(rank(0, 1)) == 3_s);
  CHECK(report.metric("pthread_semaphore_wait").total() == 2_s);
  CHECK(report.metric("pthread_lock_contention_rwlock").total() == 3_s);
}

TEST_CASE("POSIX threads: a round of a barrier waits for its last thread") {
  // Round 0: enters 1 and 4: 3. Round 1: enters 8 and 6: 2.
  auto t = TraceBuilder(1);
  t.model().wake_ups = true;
  const auto round = [&](Place who, double from, double to, std::uint64_t number) {
    t.enter(who, "pthread_barrier_wait", at(from));
    parameter(t, who, from, 2, number);
    t.leave(who, at(to));
  };
  round(0, 1, 5, 0);
  round(0, 8, 8, 1);
  round(kWorker, 4, 5, 0);
  round(kWorker, 6, 9, 1);
  const auto report = analyze(t);
  CHECK(report.metric("pthread_barrier_wait").at(rank(0, 0)) == 3_s);
  CHECK(report.metric("pthread_barrier_wait").at(rank(0, 1)) == 2_s);
  CHECK(report.metric("pthread_barrier").total() == 8_s);  // 4 + 0, 1 + 3
}

TEST_CASE("POSIX threads: a mutex is waited for until its holder unlocks it") {
  // The master got the mutex without a record and unlocks it at 5, with records of both. Thread 1
  // asks at 2 and gets it at 6: 5 - 2 = 3.
  auto t = TraceBuilder(1);
  t.enter(0, "work", at(0));
  t.enter(0, "pthread_mutex_unlock", at(5));
  mutex(t, 0, 5, true, 0);
  mutex(t, 0, 5, false, 0);
  t.leave(0, at(5));
  t.leave(0, at(10));
  t.enter(kWorker, "pthread_mutex_lock", at(2));
  mutex(t, kWorker, 6, true, 1);
  t.leave(kWorker, at(6));
  t.enter(kWorker, "pthread_mutex_unlock", at(7));
  mutex(t, kWorker, 7, false, 1);
  t.leave(kWorker, at(7));
  const auto report = analyze(t);
  CHECK(report.metric("pthread_lock_contention_mutex_lock").at(rank(0, 1)) == 3_s);
  CHECK(report.metric("pthread_lock_contention_mutex_lock").total() == 3_s);
  CHECK(report.metric("pthread_lock_api").total() == 4_s);
}

TEST_CASE("POSIX threads: the time between two threads of a location is nobody's") {
  // Thread 1 runs 1..3, another one 6..8 in the same location.
  auto t = TraceBuilder(1);
  t.enter(0, "work", at(0)).leave(0, at(10));
  thread(t, kWorker, 1, OTF2_EvtWriter_ThreadBegin);
  visit(t, kWorker, "first", 1, 3);
  thread(t, kWorker, 3, OTF2_EvtWriter_ThreadEnd);
  thread(t, kWorker, 6, OTF2_EvtWriter_ThreadBegin);
  visit(t, kWorker, "second", 6, 8);
  thread(t, kWorker, 8, OTF2_EvtWriter_ThreadEnd);
  t.enter(0, "pthread_join", at(10)).leave(0, at(10));
  const auto report = analyze(t);
  CHECK(report.metric("comp").at(rank(0, 1)) == 4_s);
  CHECK(report.metric("time").at(rank(0, 1)) == 4_s);
}

TEST_CASE("POSIX threads: records that fit nothing harm nobody") {
  auto t = TraceBuilder(1);
  t.model().wake_ups = true;
  thread(t, 0, 1, OTF2_EvtWriter_ThreadWait);
  thread(t, 0, 2, OTF2_EvtWriter_ThreadEnd);
  thread(t, 0, 3, OTF2_EvtWriter_ThreadBegin);
  thread(t, 0, 3, OTF2_EvtWriter_ThreadBegin);
  parameter(t, 0, 4, 0, 1);
  parameter(t, 0, 4, 1, 1);
  parameter(t, 0, 4, 2, 1);
  t.enter(0, "pthread_join", at(5));
  parameter(t, 0, 5, 1, 1);
  parameter(t, 0, 5, 2, 9);
  mutex(t, 0, 5, true, 9);
  thread(t, 0, 6, OTF2_EvtWriter_ThreadWait);
  thread(t, kWorker, 6, OTF2_EvtWriter_ThreadCreate);
  const auto report = analyze(t);
  CHECK(report.metric("pthread_time").total() >= 0);
  CHECK(report.metric("pthread_join_wait").total() == 0);
}
