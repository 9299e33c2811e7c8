// SPDX-License-Identifier: BSD-3-Clause
// Task Starvation: its records.
#include "patterns/waits/task_starvation.hpp"

#include <string>
#include <utility>

#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

Metric starvation(std::string name, std::string parent, const std::string& where) {
  return {
      .name = std::move(name),
      .display = "Task Starvation",
      .parent = std::move(parent),
      .unit = Unit::kSeconds,
      .description = "Time threads had no task " + where +
                     " of OpenMP while other threads of their team executed tasks.",
      .explanation =
          "All threads of the team have come to the barrier, and execute tasks there. A thread "
          "that finds none waits for the last task of the others. From the creation of a task to "
          "its begin the thread does not wait: that is the time to organize tasks.\n"
          "Typical causes: tasks of unequal size, of which a large one begins last; fewer tasks "
          "than threads; tasks that are created late, by other tasks.\n"
          "What to try: begin with the largest tasks (priority clause, or create them first); "
          "divide large tasks; create tasks earlier.\n",
      .formula =
          "time without a task, from the latest enter of the team to the end of the last "
          "task of another thread",
      .advice = "Begin with the largest tasks, or divide them.",
  };
}

Drawing at_the_barrier() {
  return {{"thread 0", "thread 1", "thread 2"},
          {{0, 0, 20, kWork, "task"},
           {0, 20, 38, kWork, "task"},
           {0, 38, 80, kWait, "no task"},
           {0, 80, 88, kCall, ""},
           {0, 88, 100, kWork, ""},
           {1, 0, 24, kWork, "task"},
           {1, 24, 80, kWork, "a large task"},
           {1, 80, 88, kCall, ""},
           {1, 88, 100, kWork, ""},
           {2, 0, 30, kWork, "task"},
           {2, 30, 80, kWait, "no task"},
           {2, 80, 88, kCall, ""},
           {2, 88, 100, kWork, ""}},
          {},
          {{80, "the last task ends"}}};
}

}  // namespace

FollowedWait omp_ibarrier_starvation_state() {
  return {
      .metric = starvation("omp_ibarrier_starvation", "omp_ibarrier", "at implicit barriers"),
      .order = 312,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_omptask"},
      .drawing = at_the_barrier(),
  };
}

OtherWait omp_ebarrier_starvation_state() {
  return {
      .metric = starvation("omp_ebarrier_starvation", "omp_ebarrier", "at explicit barriers"),
      .order = 302,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kTaskStarvation,
      .short_names = {"omptask"},
      .drawing = at_the_barrier(),
  };
}

FollowedWait omp_taskwait_starvation_state() {
  return {
      .metric =
          Metric{.name = "omp_taskwait_starvation",
                 .display = "Wait for Tasks",
                 .parent = "omp_taskwait",
                 .unit = Unit::kSeconds,
                 .description = "Time threads waited in taskwait constructs for tasks that other "
                                "threads executed.",
                 .explanation =
                     "A thread goes on from a taskwait when the tasks that it created have ended, "
                     "or from the end of a taskgroup. Meanwhile it executes tasks. It waits while "
                     "it has none. Which tasks it waits for is not recorded: the last one of "
                     "another thread that ended before the thread went on is taken for it.\n"
                     "Typical causes: tasks of unequal size; fewer tasks than threads.\n"
                     "What to try: create more and smaller tasks before the taskwait; depend "
                     "clauses instead of a taskwait for all.\n",
                 .formula = "time without a task, from the enter to the end of the last task of "
                            "another thread",
                 .advice = "Divide large tasks, or wait for fewer of them."},
      .order = 316,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_omptaskwait"},
      .drawing = Drawing{{"thread 0", "thread 1"},
                         {{0, 0, 24, kWork, ""},
                          {0, 24, 44, kWork, "task"},
                          {0, 44, 78, kWait, "waits"},
                          {0, 78, 100, kWork, ""},
                          {1, 0, 26, kCall, ""},
                          {1, 26, 78, kWork, "task"},
                          {1, 78, 100, kCall, ""}},
                         {},
                         {{24, "taskwait"}}},
  };
}

}  // namespace latecomer::patterns
