// SPDX-License-Identifier: BSD-3-Clause
// Metrics of the whole time, and of time outside MPI.
#include "patterns/metric/metric_tables.hpp"

namespace latecomer::patterns {

std::vector<Metric> time_metrics() {
  constexpr auto s = Unit::kSeconds;
  return {
      {"time", "Time", "", s, "Time of all processes and threads, from their start to their end.",
       "The sum over all processes and threads of the time that was recorded: with 4 processes "
       "that run for 10 s it is 40 s. Everything below shows where that time went.\n"
       "What to try: open the tree along the largest parts. Much time under Computation asks for a "
       "look at the program's own code, much under MPI for a look at the wait states below it.\n"},
      {"execution", "Execution", "time", s, "Time without the overhead of the measurement.",
       "All time except what the measurement itself took for larger tasks such as writing its "
       "buffer to disk. Parts of it that belong neither to computation nor to MPI are spent on "
       "organizing threads (barriers, locks, creation of threads).\n"},
      {"comp", "Computation", "execution", s, "Time in the program's own code.",
       "Time outside MPI and outside of thread synchronization: the program's own code, and all "
       "libraries that are not recorded. If the run was sampled, the call tree has the functions "
       "in "
       "which it was spent, and latecomer show --computation lists them.\n"
       "What to try: compare the processes. If some compute much longer than others, the others "
       "wait for them in the next communication: even out the work. If all compute equally long, "
       "only faster code or more processes help.\n"},
      {"overhead", "Overhead", "time", s,
       "Time the measurement took for larger tasks, such as writing its buffer to disk.",
       "Time in which the program stood still because the measurement was busy, for example "
       "writing recorded events to a file. The small cost of each single recorded event is not in "
       "it. Other processes may have waited meanwhile: wait states next to large overhead are an "
       "effect of the measurement.\n"
       "What to try: a larger buffer, a filter that leaves out small functions which are called "
       "often, or recording only a part of the run.\n"},
  };
}

}  // namespace latecomer::patterns
