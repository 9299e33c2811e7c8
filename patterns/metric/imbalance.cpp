// SPDX-License-Identifier: BSD-3-Clause
// Computational imbalance: its entries in the metric tree.
#include "patterns/metric/imbalance.hpp"

namespace latecomer::patterns {

std::vector<Metric> imbalance_metrics() {
  constexpr auto s = Unit::kSeconds;
  return {
      {"imbalance", "Computational imbalance", "", s,
       "How far the computation of each process or thread is from the average, by call path.",
       "For each call path the time that a location computes there itself is compared with the "
       "average of all locations; the difference counts, whether above or below. It shows where "
       "work is spread unevenly even if no process waits for it directly. Two uneven call paths "
       "may even each other out: then there is imbalance here, but no waiting.\n"
       "What to try: look at Overload first, and compare with Delay costs, which tell how much "
       "waiting an uneven call path really caused.\n",
       "|own computation - average computation of all locations|, per call path"},
      {"imbalance_above", "Overload", "imbalance", s,
       "Computation beyond the average of all processes and threads.",
       "The locations that do more than the average in a call path, with what they do more. In sum "
       "it is as large as Underload.\n"
       "What to try: move work from these processes to those with Underload in the same call "
       "path.\n",
       "own computation - average computation of all locations, if positive"},
      {"imbalance_above_single", "Single participant", "imbalance_above", s,
       "Overload in call paths that only one process or thread ever enters.",
       "Serial parts: one location works, all others could help but are not asked to.\n"
       "What to try: let all take part in it, or do it on all instead of distributing the "
       "result.\n",
       "Overload, if no other location visits the call path"},
      {"imbalance_below", "Underload", "imbalance", s,
       "Computation that is missing to the average of all processes and threads.",
       "The locations that do less than the average in a call path, with what they do less: what "
       "they could take over from others.\n"
       "What to try: give these processes more of the work of the call path.\n",
       "average computation of all locations - own computation, if positive"},
      {"imbalance_below_bypass", "Non-participation", "imbalance_below", s,
       "Underload of processes and threads that never enter the call path.",
       "The part of Underload that is there because a location does not take part at all, as in "
       "programs with masters and workers, or with coupled parts.\n"
       "What to try: if the parts are meant to be different, give the part that others wait for "
       "more processes; if not, let all take part.\n",
       "Underload, if the location never visits the call path"},
      {"imbalance_below_singularity", "Singularity", "imbalance_below_bypass", s,
       "Non-participation in call paths that only one process or thread enters.",
       "What the others leave to the single participant. It is the other side of Single "
       "participant.\n"
       "What to try: let all take part in it.\n",
       "Non-participation, if just one location visits the call path"},
  };
}

}  // namespace latecomer::patterns
