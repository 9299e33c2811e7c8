// SPDX-License-Identifier: BSD-3-Clause
// Wait at Barrier of threads: its records.
#include "patterns/waits/thread_barrier_wait.hpp"

#include <string>
#include <utility>

#include "patterns/drawings/shapes.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

Metric barrier_wait(std::string name, std::string parent, const std::string& which,
                    const std::string& causes) {
  return {
      .name = std::move(name),
      .display = "Wait at Barrier",
      .parent = std::move(parent),
      .unit = Unit::kSeconds,
      .description = "Time threads waited in " + which +
                     " barriers of OpenMP for the last thread of their team.",
      .explanation =
          "No thread of a team leaves a barrier before all have entered it. The time from a "
          "thread's own entry to that of the last one is lost, except for what it executes of "
          "tasks meanwhile.\n" +
          causes,
      .formula = "min(latest enter of the team, own leave) - own enter - time in tasks until then",
      .advice = "Give the threads of the loop or region before the barrier equal work.",
  };
}

}  // namespace

FollowedWait omp_ebarrier_wait_state() {
  return {
      .metric =
          barrier_wait("omp_ebarrier_wait", "omp_ebarrier", "explicit",
                       "Typical causes: parts of the program between two barriers take some "
                       "threads longer than others.\n"
                       "What to try: even out the work; leave out barriers that nothing needs; let "
                       "neighbors synchronize with each other instead of all with all.\n"),
      .order = 300,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_ompbarrier", .split = "", .chain = ""},
      .drawing = of_threads(one_call("the barrier")),
  };
}

OtherWait omp_ibarrier_wait_state() {
  return {
      .metric = barrier_wait(
          "omp_ibarrier_wait", "omp_ibarrier", "implicit",
          "Implicit barriers stand at the end of parallel regions, loops, sections, and single "
          "constructs.\n"
          "Typical causes: iterations of a loop that cost unequally; a single construct that all "
          "others wait for; MPI called by one thread of the team.\n"
          "What to try: schedule(dynamic) or schedule(guided) for loops of unequal iterations; "
          "nowait where the next loop does not need the results of this one.\n"),
      .order = 310,
      .waiting = true,
      .polling = 0,
      .caused_like = WaitKind::kThreadBarrier,
      .short_names = {"ompbarrier"},
      .drawing = of_threads(one_call("the barrier")),
  };
}

}  // namespace latecomer::patterns
