// SPDX-License-Identifier: BSD-3-Clause
// Threads without a task: traces of a few lines, the arithmetic, the exact numbers.
#include "analyzer/waits/task_waits.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <vector>

#include "tests/replay/thread_words.hpp"
#include "tests/support/analyze.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

constexpr const char* kTask = "!$omp task @program.c:7";
constexpr const char* kOther = "!$omp task @program.c:8";
constexpr const char* kTaskWait = "!$omp taskwait @program.c:9";

struct Task {
  double from = 0, to = 0;
  const char* region = kTask;
};
// A thread in a region 0..`end`, with a barrier at its end from `enter` on and tasks in it.
void member(TraceBuilder& t, Place who, double enter, double end_of_all, std::vector<Task> tasks) {
  begin(t, who, 0);
  t.enter(who, kParallel, at(0)).enter(who, kEnd, at(enter));
  for (const auto& [from, to, region] : tasks) visit(t, who, region, from, to);
  t.leave(who, kEnd, at(end_of_all)).leave(who, kParallel, at(end_of_all));
  end(t, who, end_of_all);
}

// Records of Score-P: thread 0 of the team creates a task, or a thread goes on with that task.
void creates(TraceBuilder& t, Place who, double time, std::uint32_t number) {
  t.raw(who, at(time), [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    OTF2_EvtWriter_ThreadTaskCreate(w, nullptr, at, kTeam, 0, number);
  });
}
void begins(TraceBuilder& t, Place who, double time, std::uint32_t number) {
  t.raw(who, at(time), [=](OTF2_EvtWriter* w, OTF2_TimeStamp at) {
    OTF2_EvtWriter_ThreadTaskSwitch(w, nullptr, at, kTeam, 0, number);
  });
}

// Events of a location with these tasks, in the order of their ends.
trace::LocationEvents with_tasks(const std::vector<std::pair<trace::Ticks, trace::Ticks>>& tasks) {
  trace::LocationEvents events;
  for (const auto& [begin, end] : tasks) {
    const auto call = static_cast<std::uint32_t>(events.calls.size());
    events.calls.push_back({begin, end, 0, false});
    events.tasks.push_back({.call = call, .last = call});
  }
  return events;
}

}  // namespace

TEST_CASE("tasks inside of tasks are no tasks of their own") {
  // 1..9 contains 2..3 and 4..8, which contains 5..6. Then there are 9..9 and 10..12.
  const auto events = with_tasks({{2, 3}, {5, 6}, {4, 8}, {1, 9}, {9, 9}, {10, 12}});
  const replay::TaskCreations none;
  const auto outer = [&](trace::Ticks from, trace::Ticks to) {
    std::vector<std::pair<trace::Ticks, trace::Ticks>> found;
    for (const auto& task : replay::tasks_in(events, none, from, to)) {
      found.emplace_back(task.begin, task.end);
    }
    return found;
  };
  using Found = std::vector<std::pair<trace::Ticks, trace::Ticks>>;
  CHECK(outer(0, 20) == Found{{1, 9}, {9, 9}, {10, 12}});
  CHECK(outer(2, 8) == Found{{2, 3}, {4, 8}});
  CHECK(outer(5, 7) == Found{{5, 6}});
  CHECK(outer(13, 20).empty());
  CHECK(replay::last_task_in(events, 0, 8) == 2);
  CHECK(replay::last_task_in(events, 8, 8) == trace::kNone);
  const auto all = replay::tasks_in(events, none, 0, 20);
  CHECK(replay::time_in(all, 5, 11) == 5);  // 5..9 and 10..11
}

TEST_CASE("task starvation: the last task is long") {
  // All are at the barrier from 2 on. Thread 0 executes 2..6, thread 1 3..15, thread 2 2..4 and
  // 5..8. The last task ends at 15: thread 0 waits 15 - 6 = 9, thread 2 15 - 8 = 7. From 4 to 5
  // and until 16 threads organize tasks. Nobody waits for the last thread: thread 1 came at 2, and
  // the others executed tasks from then on; thread 0 had come at 1: 1.
  auto t = TraceBuilder(1);
  fork(t, 0, 0);
  member(t, 0, 1, 16, {{2, 6}});
  join(t, 0, 16);
  member(t, thread_of(0, 1), 2, 16, {{3, 15, kOther}});
  member(t, thread_of(0, 2), 2, 16, {{2, 4}, {5, 8}});
  const auto report = analyze(t);
  const auto wait = report.metric("omp_ibarrier_starvation");
  CHECK(wait.at(rank(0, 0)) == 9_s);
  CHECK(wait.at(rank(0, 1)) == 0);
  CHECK(wait.at(rank(0, 2)) == 7_s);
  CHECK(report.metric("omp_ibarrier_wait").at(rank(0, 0)) == 1_s);
  CHECK(report.metric("omp_ibarrier_wait").total() == 1_s);
  // The barrier's own time: thread 0 15 - 4, thread 1 14 - 12, thread 2 14 - 5.
  CHECK(report.metric("omp_ibarrier").total() == 22_s);
  CHECK(report.metric("omp_ebarrier_starvation").total() == 0);
  CHECK(report.extras()["statistics"]["omp_ibarrier_starvation"]["count"] == 2);
  // Since 2 thread 1 was 1 in the barrier and 12 in its task, thread 0 4 in the other task. So the
  // excess is 1 and 12, of which 9 are explained: 9 / 13 of each. For thread 2, which was 1 in the
  // barrier and 5 in tasks until its wait of 7: 12 of 12, all of it.
  const auto costs = report.metric("delay_omptask");
  CHECK(costs.total() == 16_s);
  CHECK(costs.at(rank(0, 1)) == 16_s);
  CHECK(std::abs(costs.at(rank(0, 1), path(kOther)) - 15'307'692'308) <= 2);
  CHECK(report.metric("delay_omptask_longterm").total() == 0);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("task starvation: tasks after the arrival of the last one leave the wait for it alone") {
  // Explicit barrier: thread 0 comes at 1, thread 1 at 5, then thread 0 executes a task 6..20. It
  // waited 5 - 1 = 4; thread 1 waits 20 - 5 = 15.
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  fork(t, 0, 0);
  for (const Place who : {Place(0), worker}) {
    begin(t, who, 0);
    t.enter(who, kParallel, at(0));
  }
  t.enter(0, kBarrier, at(1));
  visit(t, 0, kTask, 6, 20);
  t.leave(0, kBarrier, at(20));
  visit(t, worker, kBarrier, 5, 20);
  for (const Place who : {Place(0), worker}) {
    t.leave(who, kParallel, at(21));
    end(t, who, 21);
  }
  join(t, 0, 21);
  const auto report = analyze(t);
  CHECK(report.metric("omp_ebarrier_wait").at(rank(0, 0)) == 4_s);
  CHECK(report.metric("omp_ebarrier_wait").total() == 4_s);
  CHECK(report.metric("omp_ebarrier_starvation").at(rank(0, 1)) == 15_s);
  CHECK(report.metric("omp_ebarrier_starvation").total() == 15_s);
  // The wait of 4 is for the region of thread 1; the other one for 14 of the task and 1 of the
  // barrier.
  CHECK(report.metric("delay_ompbarrier").at(rank(0, 1), path(kParallel)) == 4_s);
  CHECK(report.metric("delay_omptask").at(rank(0, 0), path(kTask)) == 14_s);
  CHECK(report.metric("delay_omptask").total() == 15_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("task starvation: a thread waits for the creation of its task") {
  // Both are at the barrier from 0 on. The task 0..10 of thread 1 creates two tasks at 8. Thread 0
  // begins the first one at 9, thread 1 the second one at 11: 8 without a task, and one to begin
  // it. Afterwards thread 1 waits from 13 to 16.
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  fork(t, 0, 0);
  for (const Place who : {Place(0), worker}) {
    begin(t, who, 0);
    t.enter(who, kParallel, at(0)).enter(who, kEnd, at(0));
  }
  begins(t, 0, 9, 2);
  visit(t, 0, kTask, 9, 16);
  t.enter(worker, kOther, at(0));
  creates(t, worker, 8, 2);
  creates(t, worker, 8, 3);
  t.leave(worker, kOther, at(10));
  begins(t, worker, 11, 3);
  visit(t, worker, kTask, 11, 13);
  for (const Place who : {Place(0), worker}) {
    t.leave(who, kEnd, at(16)).leave(who, kParallel, at(16));
    end(t, who, 16);
  }
  join(t, 0, 16);
  const auto report = analyze(t);
  CHECK(report.metric("omp_ibarrier_starvation").at(rank(0, 0)) == 8_s);
  CHECK(report.metric("omp_ibarrier_starvation").at(rank(0, 1)) == 3_s);
  CHECK(report.metric("delay_omptask").at(rank(0, 1), path(kOther)) == 8_s);
  // Thread 0, from 0 to 16: it waited 8, was 1 in the barrier and 7 in its task. Thread 1 was 10 in
  // the first task, 1 in the barrier and 2 in its task until its wait of 3. So 5 / 13 of that are
  // costs of the task of thread 0, and 8 / 13 of what that waited for.
  CHECK(std::abs(report.metric("delay_omptask").at(rank(0, 0), path(kTask)) - 1'153'846'154) <= 2);
  CHECK(std::abs(report.metric("delay_omptask_longterm").at(rank(0, 1), path(kOther)) -
                 1'846'153'846) <= 2);
  CHECK(std::abs(report.metric("delay_omptask_aggregate").total() - 11'000'000'000) <= 2);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("a wait for tasks ends with the last one of another thread") {
  // Thread 0 is in a taskwait 2..13 and executes a task 3..5. Thread 1 comes to the barrier at 2
  // and executes 2..13: thread 0 waits 13 - 5 = 8. Thread 0 is at the barrier at 15, so thread 1
  // waits 15 - 2 - 11 = 2 for it.
  auto t = TraceBuilder(1);
  fork(t, 0, 0);
  begin(t, 0, 0);
  t.enter(0, kParallel, at(0)).enter(0, kTaskWait, at(2));
  visit(t, 0, kTask, 3, 5);
  t.leave(0, kTaskWait, at(13)).enter(0, kEnd, at(15)).leave(0, kEnd, at(16));
  t.leave(0, kParallel, at(16));
  end(t, 0, 16);
  join(t, 0, 16);
  member(t, thread_of(0, 1), 2, 16, {{2, 13, kOther}});
  const auto report = analyze(t);
  CHECK(report.metric("omp_taskwait_starvation").at(rank(0, 0)) == 8_s);
  CHECK(report.metric("omp_taskwait_starvation").total() == 8_s);
  CHECK(report.metric("omp_taskwait").total() == 9_s);
  CHECK(report.metric("omp_ibarrier_wait").at(rank(0, 1)) == 2_s);
  CHECK(report.metric("delay_ompbarrier").at(rank(0, 0), path(kParallel)) == 2_s);
  CHECK(report.metric("omp_ibarrier_starvation").total() == 0);
  CHECK(report.metric("delay_omptaskwait_aggregate").total() == 8_s);
  CHECK(report.metric("delay_omptaskwait").at(rank(0, 1), path(kOther)) > 7_s);
  CHECK(report.metric("delay_unknown").total() == 0);
}

TEST_CASE("tasks that are cut off or name nothing harm nobody") {
  auto t = TraceBuilder(1);
  const auto worker = thread_of(0, 1);
  begins(t, 0, 0, 7);
  t.enter(0, kTaskWait, at(1)).leave(0, kTaskWait, at(2));
  fork(t, 0, 2);
  begin(t, 0, 2);
  t.enter(0, kParallel, at(2)).enter(0, kEnd, at(3)).enter(0, kTask, at(4));
  begin(t, worker, 2);
  t.enter(worker, kParallel, at(2)).enter(worker, kEnd, at(3));
  begins(t, worker, 4, 1);
  visit(t, worker, kTask, 4, 5);
  t.enter(worker, kTaskWait, at(6)).enter(worker, kTask, at(7));
  const auto report = analyze(t);
  CHECK(report.metric("omp_ibarrier_starvation").total() >= 0);
  CHECK(report.metric("delay").total() >= 0);
}
