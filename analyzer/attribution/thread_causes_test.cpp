// SPDX-License-Identifier: BSD-3-Clause
// Causes of waits between threads: traces of a few lines, the arithmetic, the exact numbers.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/replay/thread_words.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer::test;

namespace {

const path kTeamRegion{kParallel};

// A parallel region in which all threads have the same times, except that thread i enters the
// implicit barrier at `enters[i]`.
void region(TraceBuilder& t, double from, double to, std::initializer_list<double> enters) {
  fork(t, 0, from);
  std::uint32_t thread = 0;
  for (const double enter : enters) {
    const auto who = thread_of(0, thread++);
    begin(t, who, from);
    t.enter(who, kParallel, at(from));
    visit(t, who, kEnd, enter, to);
    t.leave(who, kParallel, at(to));
    end(t, who, to);
  }
  join(t, 0, to);
}

// A thread enters or leaves a team that a member of a team has made.
void inner(TraceBuilder& t, Place who, bool begins, double time) {
  constexpr std::uint32_t kInner = kTeam + 1;
  t.raw(who, at(time), [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    begins ? OTF2_EvtWriter_ThreadTeamBegin(w, nullptr, at, kInner)
           : OTF2_EvtWriter_ThreadTeamEnd(w, nullptr, at, kInner);
  });
}

// Thread 1 is in a team that no thread forked.
void unforked(TraceBuilder& t, double from, double to) {
  const auto worker = thread_of(0, 1);
  begin(t, worker, from);
  visit(t, worker, kParallel, from, to);
  end(t, worker, to);
}

}  // namespace

TEST_CASE("thread causes: the last one at a barrier") {
  // Since the fork at 2 thread 1 was 3 on its way into the region and 4 in it (until 9), the master
  // 1 and 3 (until 6): 7 - 4 = 3 longer, as long as the master waits.
  const auto report = analyze(one_region());
  CHECK(report.metric("delay_ompbarrier").at(rank(0, 1), kTeamRegion) == 3_s);
  CHECK(report.metric("delay_ompbarrier_aggregate").total() == 3_s);
}

TEST_CASE("thread causes: idle threads cost what the master does alone") {
  // Thread 1 idles 0..2, while the master is in solve. From 13 on it idles for the master: since
  // the barrier's end at 10 the master was 1 in the region and 9 in solve, thread 1 1 and 1. The
  // master was 8 longer in solve, which explains the 20 - 13 = 7 of idling.
  const auto report = analyze(one_region());
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("solve")) == 9_s);
  CHECK(report.metric("delay_ompidle_aggregate").total() == 9_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  CHECK(report.metric("delay_omp").total() == 12_s);
  CHECK(report.metric("delay").total() == 12_s);
}

TEST_CASE("thread causes: the base counts from the last barrier, and only up to forks") {
  // Three threads; regions 2..4 with the barrier at 3..4, and 8..9. Idle: 2 * (0..2, 4..8, 9..10).
  // The compatible rules: 2 * 2 before the first, and 2 * (8 - 4) since the barrier's end.
  auto t = TraceBuilder(1);
  t.enter(0, "solve", at(0));
  region(t, 2, 4, {3, 3, 3});
  region(t, 8, 9, {8, 8, 8});
  t.leave(0, "solve", at(10));
  const auto report = analyze(t);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("solve")) == 14_s);
  CHECK(report.metric("delay_ompidle").total() == 14_s);
  CHECK(report.metric("omp_idle_threads").total() == 14_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  const auto base = analyze(t, compatible());
  CHECK(base.metric("delay_ompidle").at(rank(0, 0), path("solve")) == 12_s);
  CHECK(base.metric("delay_ompidle").total() == 12_s);
  CHECK(base.metric("delay_unknown").total() == 2_s);
}

TEST_CASE("thread causes: with the base the join is the master's own time") {
  // The team ends at 4, but is joined at 5: idle 5..8; with the compatible rules 4..8.
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  t.enter(0, "solve", at(0));
  fork(t, 0, 0);
  for (const Place who : {Place(0), worker}) {
    begin(t, who, 0);
    t.enter(who, kParallel, at(0));
    visit(t, who, kEnd, 3, 4);
    t.leave(who, kParallel, at(4));
    end(t, who, 4);
  }
  join(t, 0, 5);
  region(t, 8, 9, {8, 8});
  t.leave(0, "solve", at(9));
  CHECK(analyze(t).metric("delay_ompidle").total() == 3_s);
  CHECK(analyze(t, compatible()).metric("delay_ompidle").total() == 4_s);
}

TEST_CASE("thread causes: who lets the master wait lets its threads idle") {
  // Rank 1 works 1..8 and sends. The master of rank 0 waits 3..8 for that in a call until 9,
  // between two regions. Thread 1 idles 0..2, 3..9, and 10..13. Late sender: work is 7 longer, so 5
  // are its costs. 5 of the 6 that thread 1 idled meanwhile come from the wait, so they are costs
  // of work, too. The master itself causes the rest: 2, 1, and 3.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}});
  region(t, 2, 3, {3, 3});
  t.recv(0, at(3), leave(9), from(1));
  region(t, 9, 10, {10, 10});
  t.enter(1, "work", at(1)).leave(1, at(8));
  t.send(1, at(8), to(0));
  t.finalize({{11, 13}, {11, 13}});
  const auto report = analyze(t);
  CHECK(report.metric("omp_idle_threads").total() == 11_s);
  CHECK(report.metric("delay_latesender").at(rank(1), path("work")) == 5_s);
  CHECK(report.metric("delay_ompidle_longterm").at(rank(1), path("work")) == 5_s);
  CHECK(report.metric("delay_ompidle_longterm").total() == 5_s);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("MPI_Init")) == 1_s);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("MPI_Finalize")) == 2_s);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("MPI_Recv")) == 1_s);
  CHECK(report.metric("delay_ompidle").total() == 6_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  // Waits of processes are divided into direct and indirect ones, waits of threads are not.
  CHECK(report.metric("waitstates_direct_vs_indirect").total() == 5_s);
  CHECK(report.metric("waitstates_propagating_vs_terminal").total() == 5_s);
  CHECK(report.metric("mpi_wait_propagating_ls").at(rank(0)) == 5_s);
}

TEST_CASE("thread causes: who holds a lock makes others late for a barrier") {
  // Thread 0 works 0..1 and has the lock 1..6. Thread 1 works 0..3, asks for it at 3, has it at 6,
  // releases it at once and is in "again" 6..8. Thread 2 works 0..4. They enter the barrier at 6,
  // 8, and 4. Lock: thread 0 was in "inside" for 5, longer than the wait of 3 of thread 1, which is
  // its costs. Thread 2 waits 4. Since the fork thread 1 was 2 longer in "again", and waited 3: 2 /
  // 5 of 4 are costs of "again", 3 / 5 go to "inside". Thread 0 waits 2; since its lock thread 1
  // was 2 in "again".
  auto t = TraceBuilder(1);
  fork(t, 0, 0);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    begin(t, thread_of(0, thread), 0);
    t.enter(thread_of(0, thread), kParallel, at(0));
  }
  visit(t, 0, "work", 0, 1);
  t.enter(0, kCritical, at(1));
  lock(t, 0, 1, true, 1);
  visit(t, 0, "inside", 1, 6);
  lock(t, 0, 6, false, 1);
  t.leave(0, kCritical, at(6));
  const auto one = thread_of(0, 1), two = thread_of(0, 2);
  visit(t, one, "work", 0, 3);
  t.enter(one, kCritical, at(3));
  lock(t, one, 6, true, 2);
  lock(t, one, 6, false, 2);
  t.leave(one, kCritical, at(6));
  visit(t, one, "again", 6, 8);
  visit(t, two, "work", 0, 4);
  visit(t, 0, kEnd, 6, 8);
  visit(t, one, kEnd, 8, 8);
  visit(t, two, kEnd, 4, 8);
  for (std::uint32_t thread = 0; thread < 3; ++thread) {
    t.leave(thread_of(0, thread), kParallel, at(8));
    end(t, thread_of(0, thread), 8);
  }
  join(t, 0, 8);
  const auto report = analyze(t);
  CHECK(report.metric("delay_omplock").at(rank(0, 0), path("inside")) == 3_s);
  CHECK(report.metric("delay_omplock_aggregate").total() == 3_s);
  CHECK(report.metric("delay_ompbarrier").at(rank(0, 1), path("again")) == 3.6_s);
  CHECK(report.metric("delay_ompbarrier").total() == 3.6_s);
  CHECK(report.metric("delay_ompbarrier_longterm").at(rank(0, 0), path("inside")) == 2.4_s);
  CHECK(report.metric("delay_unknown").total() == 0);
  // The compatible rules do not follow locks: the 3 that thread 1 waited there count as its own. It
  // is 2 + 3 longer than thread 2 and 2 + 2 + 3 longer than thread 0: enough for the 4 and 2 that
  // they wait. 2 / 7 of 2 are rounded down twice, 3 / 7 once.
  const auto base = analyze(t, compatible());
  CHECK(base.metric("delay_omplock_aggregate").total() == 0);
  CHECK(base.metric("delay_unknown").total() == 3_s);
  CHECK(base.metric("delay_ompbarrier").total() == 5'999'999'999);
}

TEST_CASE("thread causes: a lock without a team is compared since both were there") {
  // The master has the lock 1..5. Thread 1 comes at 2 and asks for it: 3 inside, compared with
  // nothing.
  auto t = TraceBuilder(1);
  t.enter(0, "before", at(0)).leave(0, at(1));
  t.enter(0, kCritical, at(1));
  lock(t, 0, 1, true, 1);
  lock(t, 0, 5, false, 1);
  t.leave(0, kCritical, at(5));
  t.enter(thread_of(0, 1), kCritical, at(2));
  lock(t, thread_of(0, 1), 5, true, 2);
  lock(t, thread_of(0, 1), 6, false, 2);
  t.leave(thread_of(0, 1), kCritical, at(6));
  const auto report = analyze(t);
  CHECK(report.metric("delay_omplock").at(rank(0, 0), path(kCritical)) == 3_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("thread causes: the critical path goes to the last thread and back to its master") {
  // MPI_Finalize is at 12. The barrier is complete when thread 1 enters it at 9. Thread 1 was
  // called at 2, was on its way until 4, and then in the region. Before 2 the path is on the
  // master.
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  t.init({{0, 1}});
  fork(t, 0, 2);
  begin(t, 0, 2);
  t.enter(0, kParallel, at(2));
  visit(t, 0, kEnd, 4, 10);
  t.leave(0, kParallel, at(10));
  end(t, 0, 10);
  join(t, 0, 10);
  begin(t, worker, 3);
  t.enter(worker, kParallel, at(4));
  visit(t, worker, kEnd, 9, 10);
  t.leave(worker, kParallel, at(10));
  end(t, worker, 10);
  t.finalize({{12, 13}});
  for (const auto& report : {analyze(t), analyze(t, compatible())}) {
    const auto path_of = report.metric("critical_path");
    CHECK(path_of.at(rank(0, 1), kTeamRegion) == 7_s);
    CHECK(path_of.at(rank(0, 1)) == 7_s);
    CHECK(path_of.at(rank(0, 0), path(kEnd)) == 1_s);
    CHECK(path_of.at(rank(0, 0), path("MPI_Init")) == 1_s);
    CHECK(path_of.at(rank(0, 0), path("program")) == 3_s);  // 1..2 and 10..12
    CHECK(path_of.total() == 12_s);
  }
}

TEST_CASE("thread causes: what others wait for in MPI may be a thread's delay") {
  // Rank 0: a region 1..9, where the master waits 2..9 for thread 1, then sends. Rank 1 waits 2..9
  // for that message. Since MPI_Init (0) rank 0 was 1 longer in the region and waited 7, rank 1 was
  // 1 in program. Costs of 7 / 8 are on the region of the master, and 49 / 8 are passed on to that
  // of thread 1, beside the 7 of the barrier itself.
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}});
  region(t, 1, 9, {2, 9});
  t.send(0, at(9), to(1));
  t.recv(1, at(2), leave(9.5), from(0));
  t.finalize({{10, 10}, {10, 10}});
  const auto report = analyze(t);
  CHECK(report.metric("mpi_latesender").total() == 7_s);
  CHECK(report.metric("delay_ompbarrier").at(rank(0, 1), kTeamRegion) == 7_s);
  CHECK(report.metric("delay_latesender").at(rank(0, 0), kTeamRegion) == 0.875_s);
  CHECK(report.metric("delay_latesender_longterm").at(rank(0, 1), kTeamRegion) == 6.125_s);
  CHECK(report.metric("mpi_wait_indirect_latesender").at(rank(1)) == 6.125_s);
}

TEST_CASE("thread causes: a team whose maker is not known leaves idle time unexplained") {
  // Thread 1 is in a team 4..5 that no thread forked: idle 0..4 and, after it, 5..10 of the
  // master's.
  auto t = TraceBuilder(1);
  t.enter(0, "solve", at(0)).leave(0, at(10));
  unforked(t, 4, 5);
  const auto report = analyze(t);
  CHECK(report.metric("omp_idle_threads").total() == 9_s);
  CHECK(report.metric("delay_unknown").at(rank(0, 1)) == 4_s);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("solve")) == 5_s);
  CHECK(report.metric("delay").total() == 9_s);
}

TEST_CASE("thread causes: of a master whose trace ends early no more is told than there is") {
  // The master's events end at 10; thread 1 is in a team 20..25 that no thread forked: idle 0..10.
  auto t = TraceBuilder(1);
  t.enter(0, "solve", at(0)).leave(0, at(10));
  unforked(t, 20, 25);
  const auto report = analyze(t);
  CHECK(report.metric("omp_idle_threads").total() == 10_s);
  CHECK(report.metric("delay_unknown").total() == 10_s);
  CHECK(report.metric("delay").total() == 10_s);
}

TEST_CASE("thread causes: a thread of an inner team is not charged for what was before it idled") {
  // The master has setup 0..10 and a team 10..20 with thread 1, which makes a team 10..20 with
  // thread 2. Then the master has finish 20..30. Both threads idle 0..10 and 20..30.
  //
  // 0..10: thread 1 idles for setup. Thread 2's team was made by thread 1, which was waiting: setup
  // again. 20..30: since the fork the master was 10 longer than thread 1 in its region (thread 1
  // was in the inner one) and 10 in finish: half of 10 each. Thread 2 never met the master: its 10
  // are costs of finish.
  auto t = TraceBuilder(1);
  const auto one = thread_of(0, 1), two = thread_of(0, 2);
  visit(t, 0, "setup", 0, 10);
  fork(t, 0, 10);
  begin(t, 0, 10);
  visit(t, 0, kParallel, 10, 20);
  end(t, 0, 20);
  join(t, 0, 20);
  visit(t, 0, "finish", 20, 30);
  begin(t, one, 10);
  t.enter(one, kParallel, at(10));
  fork(t, one, 10);
  inner(t, one, true, 10);
  visit(t, one, kParallel, 10, 20);
  inner(t, one, false, 20);
  join(t, one, 20);
  t.leave(one, kParallel, at(20));
  end(t, one, 20);
  inner(t, two, true, 10);
  visit(t, two, kParallel, 10, 20);
  inner(t, two, false, 20);
  const auto report = analyze(t);
  CHECK(report.metric("omp_idle_threads").total() == 40_s);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("setup")) == 10_s);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), path("finish")) == 15_s);
  CHECK(report.metric("delay_ompidle").at(rank(0, 0), kTeamRegion) == 5_s);
  CHECK(report.metric("delay_ompidle").total() == 30_s);
  CHECK(report.metric("delay_ompidle_longterm").at(rank(0, 0), path("setup")) == 10_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("thread causes: the picture of a wait shows the thread that was waited for") {
  // The master waits 6..9 in a call until 10; a quarter of 4 is added on either side. Thread 1 was
  // in the region meanwhile.
  const auto report = analyze(one_region());
  const auto& one = report.extras()["statistics"]["omp_ibarrier_wait"]["worst"][0];
  CHECK(one["rank"] == 0);
  CHECK(one["thread"] == 0);
  CHECK(one["cause_rank"] == 0);
  CHECK(one["cause_thread"] == 1);
  const auto& d = report.definitions();
  const auto path = one["cause_call_path"].get<std::size_t>();
  CHECK(d.regions[d.call_paths[path].region].name == kParallel);
  const auto& timeline = one["timeline"];
  CHECK(timeline["from"].get<double>() == 5);
  REQUIRE(timeline["lanes"].size() == 2);
  CHECK(timeline["lanes"][1]["thread"] == 1);
  CHECK(timeline["lanes"][1]["waits"] == nlohmann::json::array());
  CHECK(timeline["lanes"][0]["waits"] == nlohmann::json{{1_s, 3_s, "omp_ebarrier_wait", 0, 1}});
}
