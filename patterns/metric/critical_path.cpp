// SPDX-License-Identifier: BSD-3-Clause
// Metrics of the critical path and of the costs of its imbalance.
#include "patterns/metric/metric_tables.hpp"

namespace latecomer::patterns {

std::vector<Metric> critical_path_metrics() {
  constexpr auto s = Unit::kSeconds;
  return {
      {"critical_path", "Critical path", "", s,
       "The chain of activities that determined the run time; its length is the run time.",
       "Walking back from the end of the run: along a process as long as it did not wait, then on "
       "with the process that ended its wait. Only what is on this path decides how long the run "
       "takes.\n"
       "What to try: a call path with much time here and little under Critical path imbalance is "
       "worth being made faster. Time outside of the path can be saved without any effect.\n"},
      {"critical_path_imbalance", "Imbalance", "critical_path", s,
       "Time on the critical path beyond the average of all processes.",
       "For each call path what the critical path spends in it longer than a process does on the "
       "average: what perfect balance would save.\n"
       "What to try: even out the work of the call paths with the largest values; they give the "
       "largest gain for the run time.\n"},
      {"performance_impact", "Performance impact", "", s,
       "Time of all processes, by how it is related to the critical path.",
       "Run time of the critical path on every process: activities that are on it, waiting and "
       "idling that its imbalance costs, and activities beyond it.\n"},
      {"performance_impact_criticalpath", "Critical-path activities", "performance_impact", s,
       "Time of all processes that the critical path determines.",
       "What the activities on the critical path take on all processes, and what they cost the "
       "others.\n"},
      {"critical_path_activities", "Activity impact", "performance_impact_criticalpath", s,
       "Time that processes spend in the activities of the critical path.",
       "For each call path on the path the time of every process in it, at most the time that the "
       "path itself spends there.\n"},
      {"critical_imbalance_impact", "Imbalance impact", "performance_impact_criticalpath", s,
       "Time of other processes that is lost since the critical path does more than they do.",
       "Charged to the activities on the critical path, on the processes that are on it, in "
       "proportion to how much less the others have of them.\n"
       "What to try: this counts the lost time of all processes: begin with the call path that has "
       "most of it.\n"},
      {"intra_partition_imbalance", "Intra-partition imbalance", "critical_imbalance_impact", s,
       "Imbalance between processes that execute the same activities.",
       "What is left of the imbalance impact without the part of processes that never execute the "
       "activity.\n"
       "What to try: distribute the data better between these processes.\n"},
      {"inter_partition_imbalance", "Inter-partition imbalance", "critical_imbalance_impact", s,
       "Imbalance towards processes that never execute the activity.",
       "In programs of several parts (coupled models, masters and workers) the parts execute "
       "different activities.\n"
       "What to try: give the part that is on the critical path more processes.\n"},
      {"non_critical_path_activities", "Non-critical-path activities", "performance_impact", s,
       "Time of processes in activities beyond what the critical path spends there.",
       "Work that is done in the shadow of the critical path.\n"},
  };
}

}  // namespace latecomer::patterns
