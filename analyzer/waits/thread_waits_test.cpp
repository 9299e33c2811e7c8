// SPDX-License-Identifier: BSD-3-Clause
// OpenMP threads as Score-P records them: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/thread_words.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

const path kRegion{"solve/!$omp parallel @program.c:3"};

}  // namespace

TEST_CASE("threads: a worker goes on at the call path of the fork") {
  const auto report = analyze(one_region());
  CHECK(report.metric("visits").at(rank(0, 0), kRegion) == 1);
  CHECK(report.metric("visits").at(rank(0, 1), kRegion) == 1);
  CHECK(report.call_paths().size() == 4);
  // The master spends 11 - 3 - 4 = 4 in the region and 8 in solve, thread 1 spends 11 - 5 - 1 = 5.
  CHECK(report.metric("comp").at(rank(0, 0), kRegion) == 4_s);
  CHECK(report.metric("comp").at(rank(0, 1), kRegion) == 5_s);
}

TEST_CASE("threads: management is what lies between fork, region, and join") {
  const auto report = analyze(one_region());
  // Master: 3 - 2 = 1 and 13 - 11 = 2.   Thread 1: 5 - 2 = 3 and 13 - 11 = 2.
  CHECK(report.metric("omp_fork").at(rank(0, 0), kRegion) == 1_s);
  CHECK(report.metric("omp_fork").at(rank(0, 1), kRegion) == 3_s);
  CHECK(report.metric("omp_management").at(rank(0, 0), kRegion) == 3_s);
  CHECK(report.metric("omp_management").at(rank(0, 1), kRegion) == 5_s);
  // The master's 20 are those 3, the region's 8, and 20 - 11 = 9 of solve.
  CHECK(report.metric("comp").at(rank(0, 0), path("solve")) == 9_s);
  CHECK(report.metric("comp").at(rank(0, 1), path("solve")) == 0);
}

TEST_CASE("threads: whoever is in no team idles where the master is") {
  const auto report = analyze(one_region());
  // Thread 1: 0..2 and 13..20 in solve.
  CHECK(report.metric("omp_idle_threads").at(rank(0, 1), path("solve")) == 9_s);
  CHECK(report.metric("omp_idle_threads").total() == 9_s);
  CHECK(report.metric("omp_limited_parallelism").total() == 0);
  // Every thread lasts as long as the run.
  CHECK(report.metric("time").at(rank(0, 0)) == 20_s);
  CHECK(report.metric("time").at(rank(0, 1)) == 20_s);
  CHECK(report.metric("execution").at(rank(0, 1)) == 11_s);
}

TEST_CASE("threads: at the end of a region they wait for the last one") {
  const auto report = analyze(one_region());
  // The master waits 9 - 6 = 3, the last one does not wait.
  CHECK(report.metric("omp_ibarrier_wait").at(rank(0, 0)) == 3_s);
  CHECK(report.metric("omp_ibarrier_wait").total() == 3_s);
  CHECK(report.metric("omp_ebarrier_wait").total() == 0);
  CHECK(report.metric("omp_ibarrier").total() == 5_s);
  CHECK(report.metric("omp_synchronization").total() == 5_s);
  CHECK(report.metric("omp_time").total() == 13_s);  // with management 8
  CHECK(report.extras()["statistics"]["omp_ibarrier_wait"]["count"] == 1);
}

TEST_CASE("threads: barriers of a team are matched in their order, tasks there are no waiting") {
  // Two explicit barriers: enters 2 and 3, then 6 and 4. While thread 1 is in the second one, it
  // executes a task 5..5.5. Waits: master 3 - 2 = 1, thread 1: 6 - 4 - 0.5 = 1.5
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  fork(t, 0, 0);
  for (const Place who : {Place(0), worker}) {
    begin(t, who, 0);
    t.enter(who, kParallel, at(0));
  }
  visit(t, 0, kBarrier, 2, 3);
  visit(t, 0, kBarrier, 6, 7);
  visit(t, worker, kBarrier, 3, 3);
  t.enter(worker, kBarrier, at(4));
  visit(t, worker, "!$omp task @program.c:7", 5, 5.5);
  t.leave(worker, kBarrier, at(7));
  for (const Place who : {Place(0), worker}) {
    t.leave(who, kParallel, at(8));
    end(t, who, 8);
  }
  join(t, 0, 8);
  const auto report = analyze(t);
  CHECK(report.metric("omp_ebarrier_wait").at(rank(0, 0)) == 1_s);
  CHECK(report.metric("omp_ebarrier_wait").at(rank(0, 1)) == 1.5_s);
  CHECK(report.metric("omp_ebarrier").total() == 4.5_s);  // 1 + 1, 0 + 3 without the task
  CHECK(report.metric("comp").at(path("!$omp task @program.c:7")) == 0.5_s);
}

TEST_CASE("threads: a lock is waited for until its holder before releases it") {
  // Holder 1: master 1..5.   Holder 2: thread 1 asks at 2, gets it at 6: 5 - 2 = 3.   Holder 3: the
  // master asks at 8, when it is free.
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  const auto hold = [&](Place who, double ask, double get, double give, std::uint32_t order) {
    t.enter(who, kCritical, at(ask));
    lock(t, who, get, true, order);
    lock(t, who, give, false, order);
    t.leave(who, kCritical, at(give));
  };
  hold(0, 1, 1, 5, 1);
  hold(0, 8, 8, 9, 3);
  hold(worker, 2, 6, 7, 2);
  const auto report = analyze(t);
  CHECK(report.metric("omp_lock_contention_critical").at(rank(0, 1)) == 3_s);
  CHECK(report.metric("omp_lock_contention_critical").total() == 3_s);
  CHECK(report.metric("omp_critical").total() == 10_s);  // 4 + 1 + 5
}

TEST_CASE("threads: those that a team leaves out are limited parallelism") {
  // Threads 1 and 2. The first team 1..2 has both. The second team 4..9 is without thread 2; the
  // master's region in it is 4..9.
  auto t = TraceBuilder(1);
  t.enter(0, "solve", at(0));
  fork(t, 0, 1);
  for (const Place who : {Place(0), thread_of(0, 1), thread_of(0, 2)}) {
    begin(t, who, 1);
    visit(t, who, kParallel, 1, 2);
    end(t, who, 2);
  }
  join(t, 0, 2);
  fork(t, 0, 4);
  for (const Place who : {Place(0), thread_of(0, 1)}) {
    begin(t, who, 4);
    visit(t, who, kParallel, 4, 9);
    end(t, who, 9);
  }
  join(t, 0, 9);
  t.leave(0, "solve", at(10));
  const auto report = analyze(t);
  // Thread 1 idles 0..1, 2..4, 9..10; thread 2 also 4..9.
  CHECK(report.metric("omp_idle_threads").at(rank(0, 1)) == 4_s);
  CHECK(report.metric("omp_idle_threads").at(rank(0, 2)) == 9_s);
  CHECK(report.metric("omp_limited_parallelism").at(rank(0, 2), kRegion) == 5_s);
  CHECK(report.metric("omp_limited_parallelism").total() == 5_s);
  CHECK(report.metric("time").at(rank(0, 2)) == 10_s);
}

TEST_CASE("threads: records that fit nothing harm nobody") {
  auto t = TraceBuilder(2);
  join(t, 0, 1);
  end(t, 0, 2);
  begin(t, thread_of(1, 1), 1);  // of a team that no thread made; it never ends
  t.enter(thread_of(1, 1), kParallel, at(2)).enter(thread_of(1, 1), kBarrier, at(3));
  lock(t, 1, 4, true, 9);
  lock(t, 1, 5, false, 0);
  const auto report = analyze(t);
  CHECK(report.metric("omp_synchronization").total() >= 0);
  CHECK(report.metric("omp_ebarrier_wait").total() == 0);
}

TEST_CASE(
    "threads: messages of one channel match in the order of time, whichever thread has them") {
  // Rank 0 sends from thread 1 at 1, from thread 0 at 5. Rank 1 receives in thread 1 from 0 on,
  // then in thread 0 from 3 on. Waits: 1 - 0 = 1 and 5 - 3 = 2; thread by thread they would be 5
  // and 0.
  auto t = TraceBuilder(2);
  t.send(0, at(5), leave(6), to(1)).send(thread_of(0, 1), at(1), leave(2), to(1));
  t.recv(1, at(3), leave(6), from(0)).recv(thread_of(1, 1), at(0), leave(2), from(0));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").at(rank(1, 1)) == 1_s);
  CHECK(report.metric("mpi_latesender").at(rank(1, 0)) == 2_s);
}

TEST_CASE("threads: collective operations of a communicator match in the order of time") {
  // Rank 0 has barriers at 1..3 and 5..6. Rank 1 does the first one in thread 1 at 3, the second in
  // thread 0 at 5. Rank 0 waits 3 - 1 = 2.
  auto t = TraceBuilder(2);
  t.collective(0, "MPI_Barrier", at(1), leave(3)).collective(0, "MPI_Barrier", at(5), leave(6));
  t.collective(1, "MPI_Barrier", at(5), leave(6));
  t.collective(thread_of(1, 1), "MPI_Barrier", at(3), leave(3));
  const auto report = analyze(t);
  CHECK(report.metric("mpi_barrier_wait").at(rank(0)) == 2_s);
  CHECK(report.metric("mpi_barrier_wait").total() == 2_s);
}

TEST_CASE("threads: without their records there are no metrics of theirs") {
  auto t = TraceBuilder(2).send(0, at(1), leave(2), to(1)).recv(1, at(0), leave(4), from(0));
  const auto report = analyze(t);
  CHECK_FALSE(report.has_metric("omp_time"));
  CHECK_FALSE(report.has_metric("omp_idle_threads"));
  CHECK_FALSE(report.has_metric("pthread_time"));
}
