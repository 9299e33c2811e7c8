// SPDX-License-Identifier: BSD-3-Clause
// Idle threads of OpenMP: their records. analyzer/waits/thread_waits.cpp finds the times.
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

using enum Drawing::Kind;

// Threads idle outside a parallel region (or, if `limited`, beside one that has fewer threads).
Drawing idle(bool limited) {
  return {{"thread 0", "thread 1", "thread 2"},
          {{0, 0, 30, kWork, "alone"},
           {0, 30, 64, kWork, "team of 2"},
           {0, 64, 100, kWork, "team of 3"},
           {1, 0, 30, limited ? kCall : kWait, "idle"},
           {1, 30, 64, kWork, ""},
           {1, 64, 100, kWork, ""},
           {2, 0, 30, limited ? kCall : kWait, "idle"},
           {2, 30, 64, limited ? kWait : kCall, "not in it"},
           {2, 64, 100, kWork, ""}},
          {},
          {{30, "fork"}, {64, "fork"}}};
}

}  // namespace

FollowedWait idle_threads_state() {
  return {
      .metric =
          Metric{.name = "omp_idle_threads",
                 .display = "Idle threads",
                 .parent = "time",
                 .unit = Unit::kSeconds,
                 .description = "Time in which threads of OpenMP had nothing to do.",
                 .explanation =
                     "While the master works alone its other threads idle. Their time is charged "
                     "to the master's call paths, so these are where more parallelism would help.\n"
                     "What to try: put parallel constructs around the call paths with the largest "
                     "values; overlap MPI calls of the master with work of the others.\n",
                 .formula = "time outside of teams, at the call path where the master is",
                 .advice = "Let more threads work in the call paths shown."},
      .order = 340,
      .waiting = true,
      .polling = 0,
      .causes = OwnCauses{.delay = "delay_ompidle"},
      .drawing = idle(false),
  };
}

OtherWait limited_parallelism_state() {
  return {
      .metric =
          Metric{.name = "omp_limited_parallelism",
                 .display = "Limited parallelism",
                 .parent = "omp_idle_threads",
                 .unit = Unit::kSeconds,
                 .description =
                     "Idle time while the master was in a parallel region with fewer threads.",
                 .explanation =
                     "The team was smaller than the number of threads that the process has: a "
                     "num_threads clause, or a limit.\n"
                     "What to try: larger teams, if the work is large enough for them.\n",
                 .formula = "the part of it in which the master is in a parallel region",
                 .advice = "Let more threads take part in the parallel regions shown."},
      .order = 350,
      .waiting = false,
      .polling = 0,
      .caused_like = std::nullopt,
      .drawing = idle(true),
  };
}

}  // namespace latecomer::patterns
