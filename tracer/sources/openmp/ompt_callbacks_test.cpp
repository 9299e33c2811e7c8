// SPDX-License-Identifier: BSD-3-Clause
// What is recorded of the reports of a runtime, made up here.
#include "tracer/sources/openmp/ompt_callbacks.hpp"

#include <catch2/catch.hpp>

#include "tests/openmp/recorded_teams.hpp"
#include "tracer/sources/openmp/team.hpp"

using namespace latecomer::openmp::ompt;
using latecomer::test::recorded;
using latecomer::test::Step;

namespace {

// Places of the program; the regions of this test have no lines.
constexpr char kText[8] = {};
const void* place(int number) { return kText + number; }

// A team with `work` on its maker, thread 0, and nothing on its worker, thread 1.
struct TwoThreads {
  Data parallel{}, tasks[2]{};

  Step begins(std::size_t thread) {
    return {thread, [this, thread] {
              if (thread == 0) parallel_begin(nullptr, nullptr, &parallel, 2, 0, place(1));
              implicit_task(Scope::kBegin, &parallel, &tasks[thread], 2,
                            static_cast<unsigned>(thread), 0);
            }};
  }
  Step arrives(std::size_t thread) {
    return {thread, [this, thread] {
              sync_region(Sync::kImplicitParallel, Scope::kBegin, &parallel, &tasks[thread],
                          nullptr);
            }};
  }
  Step ends(std::size_t thread) {
    return {thread, [this, thread] {
              sync_region(Sync::kImplicitParallel, Scope::kEnd, nullptr, &tasks[thread], nullptr);
              implicit_task(Scope::kEnd, nullptr, &tasks[thread], 2, static_cast<unsigned>(thread),
                            0);
              if (thread == 0) parallel_end(&parallel, nullptr, 0, place(1));
            }};
  }
};

// The records of the maker of a team that does this.
std::string maker(const std::function<void()>& work) {
  TwoThreads team;
  return recorded(2, {team.begins(0),
                      team.begins(1),
                      {0, work},
                      team.arrives(1),
                      team.arrives(0),
                      team.ends(0),
                      team.ends(1)})[0];
}
// The same without the records of the team.
std::string in_team(const std::function<void()>& work) {
  const std::string begin = "fork begun! ", end = "arrived implicit barrier) parallel) ";
  const std::string all = maker(work);
  REQUIRE(all.starts_with(begin));
  REQUIRE(all.ends_with(end));
  return all.substr(begin.size(), all.size() - begin.size() - end.size());
}

}  // namespace

TEST_CASE("the thread that makes a team ends it for all") {
  TwoThreads team;
  const auto texts = recorded(2, {team.begins(0), team.begins(1), team.arrives(0), team.arrives(1),
                                  team.ends(0), team.ends(1)});
  CHECK(texts[0] == "fork begun! arrived implicit barrier) parallel) ");
  CHECK(texts[1] == "begun arrived ");
}

// As in OpenMP, a thread that works for a team again has ended its part in the one before.
TEST_CASE("a runtime that reports the end of a part late, or never") {
  TwoThreads first, second;
  const auto texts =
      recorded(2, {first.begins(0), first.begins(1), first.arrives(1), first.arrives(0),
                   first.ends(0), second.begins(0), second.begins(1), second.arrives(0),
                   second.arrives(1), second.ends(0)});
  CHECK(texts[1] == "begun arrived begun arrived ");
}

TEST_CASE("a team in a team") {
  Data parallel{}, task{};
  const std::string text = maker([&] {
    parallel_begin(nullptr, nullptr, &parallel, 1, 0, place(2));
    implicit_task(Scope::kBegin, &parallel, &task, 1, 0, 0);
    sync_region(Sync::kImplicitParallel, Scope::kBegin, &parallel, &task, nullptr);
    sync_region(Sync::kImplicitParallel, Scope::kEnd, nullptr, &task, nullptr);
    implicit_task(Scope::kEnd, nullptr, &task, 1, 0, 0);
    parallel_end(&parallel, nullptr, 0, place(2));
    sync_region(Sync::kExplicit, Scope::kBegin, nullptr, nullptr, place(3));
    sync_region(Sync::kExplicit, Scope::kEnd, nullptr, nullptr, place(3));
  });
  CHECK(text ==
        "fork begun! fork begun! arrived implicit barrier) parallel) (barrier barrier) "
        "arrived implicit barrier) parallel) ");
}

TEST_CASE("constructs that share work") {
  const auto text = [](Work kind) {
    return in_team([kind] {
      work(kind, Scope::kBegin, nullptr, nullptr, 1, place(2));
      work(kind, Scope::kEnd, nullptr, nullptr, 1, place(2));
    });
  };
  CHECK(text(Work::kLoop) == "(for for) ");
  CHECK(text(Work::kFirstLoop) == "(for for) ");
  CHECK(text(Work::kLastLoop) == "(for for) ");
  CHECK(text(Work::kSections) == "(sections sections) ");
  CHECK(text(Work::kSingle) == "(single single) ");
  CHECK(text(Work{4}).empty());  // the other threads at a `single`
  CHECK(text(Work::kWorkshare) == "(workshare workshare) ");
  CHECK(text(Work::kDistribute) == "(distribute distribute) ");
  CHECK(text(Work::kTaskLoop) == "(taskloop taskloop) ");
  CHECK(text(Work::kScope) == "(scope scope) ");
  CHECK(text(Work{99}).empty());
}

TEST_CASE("constructs in each other are left in order; those too deep are not recorded") {
  const std::string text = in_team([] {
    for (int i = 0; i < 10; ++i) {
      work(i % 2 == 0 ? Work::kSingle : Work::kTaskLoop, Scope::kBegin, nullptr, nullptr, 1,
           place(2));
    }
    for (int i = 10; i-- > 0;) {
      work(i % 2 == 0 ? Work::kSingle : Work::kTaskLoop, Scope::kEnd, nullptr, nullptr, 1,
           place(2));
    }
    work(Work::kSingle, Scope::kEnd, nullptr, nullptr, 1, place(2));  // never began
  });
  CHECK(text ==
        "(single (taskloop (single (taskloop (single (taskloop (single (taskloop "
        "taskloop) single) taskloop) single) taskloop) single) taskloop) single) ");
}

TEST_CASE("barriers of the runtime belong to the construct, except in programs of GCC") {
  const auto barrier = [](Sync kind) {
    return in_team([kind] {
      sync_region(kind, Scope::kBegin, nullptr, nullptr, place(4));
      sync_region(kind, Scope::kEnd, nullptr, nullptr, place(4));
    });
  };
  CHECK(barrier(Sync::kExplicit) == "(barrier barrier) ");
  CHECK(barrier(Sync::kImplicitWorkshare) == "(implicit barrier implicit barrier) ");
  CHECK(barrier(Sync::kImplementation) == "(implicit barrier implicit barrier) ");
  CHECK(barrier(Sync::kTaskWait) == "(taskwait taskwait) ");
  CHECK(barrier(Sync::kTaskGroup) == "(taskgroup taskgroup) ");
}

TEST_CASE("a task is a region of the thread that executes it") {
  Data outer{}, inner{}, implicit{};
  const std::string text = in_team([&] {
    task_create(nullptr, nullptr, &outer, kExplicitTask, 0, place(2));
    task_create(nullptr, nullptr, &inner, kExplicitTask, 0, place(3));
    task_schedule(&implicit, Status{7}, &outer);
    task_schedule(&outer, Status{7}, &inner);  // it waits for the inner one
    task_schedule(&inner, Status::kComplete, &outer);
    task_schedule(&outer, Status::kComplete, &implicit);
  });
  CHECK(text == "(task (task task) task) ");
}

TEST_CASE("tasks that are detached, cancelled or untied") {
  const auto ended = [](Status status) {
    Data task{}, implicit{};
    return in_team([&] {
      task_create(nullptr, nullptr, &task, kExplicitTask, 0, place(2));
      task_schedule(&implicit, Status{7}, &task);
      task_schedule(&task, status, &implicit);
      task_schedule(&task, Status{6}, nullptr);  // fulfilled later, by any thread
    });
  };
  CHECK(ended(Status::kDetach) == "(task task) ");
  CHECK(ended(Status::kCancel) == "(task task) ");
  Data task{}, implicit{};
  CHECK(in_team([&] {
          task_create(nullptr, nullptr, &task, kExplicitTask, 0, place(2));
          task_schedule(&task, Status::kCancel, &implicit);  // before it began
        }).empty());
  CHECK(in_team([&] {
          task_create(nullptr, nullptr, &task, kExplicitTask | kUntiedTask, 0, place(2));
          task_schedule(&implicit, Status{7}, &task);
          task_schedule(&task, Status::kComplete, &implicit);
        }).empty());
}

// The release is reported when another thread may have the lock.
TEST_CASE("critical sections have the numbers of their holders") {
  TwoThreads team;
  const auto acquire = [](std::size_t thread) {
    return Step{thread, [] {
                  mutex_acquire(Mutex::kCritical, 0, 0, 4711, place(2));
                  mutex_acquired(Mutex::kCritical, 4711, place(2));
                }};
  };
  const auto release = [](std::size_t thread) {
    return Step{thread, [] { mutex_released(Mutex::kCritical, 4711, place(2)); }};
  };
  const auto texts =
      recorded(2, {team.begins(0), team.begins(1), acquire(0), acquire(1), release(0), release(1)});
  CHECK(texts[0] ==
        "fork begun! (critical got:0 (critical sblock critical sblock) rel:0 critical) ");
  CHECK(texts[1] == "begun (critical got:1 (critical sblock critical sblock) rel:1 critical) ");
}

TEST_CASE("teams that the functions for GCC make are left out") {
  Data parallel{}, task{};
  const auto texts =
      recorded(1, {{0, [&] {
                      latecomer::openmp::makes_team = true;
                      parallel_begin(nullptr, nullptr, &parallel, 1, 0, place(1));
                      latecomer::openmp::makes_team = false;
                      implicit_task(Scope::kBegin, &parallel, &task, 1, 0, 0);
                      work(Work::kLoop, Scope::kBegin, nullptr, nullptr, 1, place(2));
                      work(Work::kLoop, Scope::kEnd, nullptr, nullptr, 1, place(2));
                      implicit_task(Scope::kEnd, nullptr, &task, 1, 0, 0);
                      parallel_end(&parallel, nullptr, 0, place(1));
                    }}});
  CHECK(texts[0].empty());
}

TEST_CASE("reports without a team leave no record") {
  Data task{};
  const auto texts =
      recorded(1, {{0, [&] {
                      work(Work::kLoop, Scope::kEnd, nullptr, nullptr, 1, place(2));
                      sync_region(Sync::kExplicit, Scope::kEnd, nullptr, nullptr, place(2));
                      task_create(nullptr, nullptr, &task, kExplicitTask, 0, place(2));
                      task_schedule(&task, Status::kComplete, nullptr);
                      mutex_acquired(Mutex::kCritical, 1, place(2));
                      mutex_released(Mutex::kCritical, 1, place(2));
                      implicit_task(Scope::kEnd, nullptr, &task, 1, 0, 0);
                    }}});
  CHECK(texts[0].empty());
}

// The worker has arrived when the maker creates two tasks. It begins the first one when it was
// created after that, and the second one when it was there.
TEST_CASE("a report of a task that a thread had to wait for") {
  TwoThreads team;
  Data first{}, second{};
  const auto create = [&](Data& task, int flags) {
    task_create(nullptr, nullptr, &task, kExplicitTask | flags, 0, place(3));
  };
  const auto texts = recorded(2, {team.begins(0),
                                  team.begins(1),
                                  team.arrives(1),
                                  {0,
                                   [&] {
                                     create(first, 0);
                                     create(second, 0);
                                   }},
                                  {1,
                                   [&] {
                                     task_schedule(nullptr, Status{7}, &first);
                                     task_schedule(&first, Status::kComplete, &second);
                                     task_schedule(&second, Status::kComplete, nullptr);
                                     Data at_once{};
                                     create(at_once, kUndeferredTask);
                                     task_schedule(nullptr, Status{7}, &at_once);
                                     task_schedule(&at_once, Status::kComplete, nullptr);
                                   }},
                                  team.arrives(0),
                                  team.ends(0),
                                  team.ends(1)});
  CHECK(texts[1] == "begun arrived awaited (task task) (task task) (task task) ");
}
