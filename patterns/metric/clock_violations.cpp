// SPDX-License-Identifier: BSD-3-Clause
// Metrics of clock violations: impossible orders of events, their number and size.
#include <string>

#include "patterns/metric/metric_tables.hpp"

namespace latecomer::patterns {
namespace {

constexpr const char* kAdvice =
    "In a run on one node all is zero. Between nodes the clocks were not compared well enough, or "
    "drifted in between; waits that are not much longer than these times are uncertain.\n"
    "What to try: leave the correction of times on (without --correction and "
    "--scalasca-compatible); compare clocks more often (LATECOMER_SYNC_INTERVAL).\n";

void add(std::vector<Metric>& to, const std::string& name, const std::string& display, Unit unit,
         const std::string& what) {
  const std::string messages = what + "messages that were received before they were sent.";
  const std::string collectives =
      what + "participations in collective operations that ended before what they need began.";
  const std::string between = "The part of it between processes of different metahosts.";
  to.push_back({name, display, "", unit,
                what + "events that come earlier than MPI allows, by the times that the waits are "
                       "computed with.",
                kAdvice});
  to.push_back({name + "_p2p", "Point-to-point", name, unit, messages, kAdvice});
  to.push_back(
      {name + "_p2p_external", "Between metahosts", name + "_p2p", unit, between, kAdvice});
  to.push_back({name + "_collective", "Collective", name, unit, collectives, kAdvice});
  to.push_back({name + "_collective_external", "Between metahosts", name + "_collective", unit,
                between, kAdvice});
}

}  // namespace

std::vector<Metric> clock_violation_metrics() {
  std::vector<Metric> out;
  add(out, "clock_violations", "Clock violations", Unit::kOccurrences, "Number of ");
  add(out, "clock_violation_time", "Time of clock violations", Unit::kSeconds,
      "By how much, together: ");
  return out;
}

}  // namespace latecomer::patterns
