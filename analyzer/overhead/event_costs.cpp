// SPDX-License-Identifier: BSD-3-Clause
// Reads the calibrated and measured costs from the properties of the archive.
#include "analyzer/overhead/event_costs.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "archive/cost_names.hpp"
#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;

// An enter or leave of this region is recorded by a wrapper of the measurement library.
bool is_of_wrapper(const trace::Region& region) {
  return region.mpi || region.construct != patterns::ThreadConstruct::kNone ||
         region.is_file_call();
}

// Number of pairs of a location and a call path that ends at MPI. Collective.
std::int64_t first_visits(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
                          const std::vector<trace::LocationEvents>& mine,
                          parallel::Processes& processes) {
  std::int64_t count = 0;
  for (const auto& events : mine) {
    for (std::size_t node = 0; node < events.visits.size(); ++node) {
      if (events.visits[node] != 0 &&
          definitions.regions[tree.nodes[tree.from_local[node]].region].mpi)
        ++count;
    }
  }
  return processes.sum(count);
}

}  // namespace

EventCosts::Cost EventCosts::of_ticks(double ticks) {
  constexpr double kMost = 1e12;  // beyond it, properties are nonsense
  if (!(ticks > 0)) return 0;
  return std::llround(std::min(ticks, kMost) * (1 << kFractionBits));
}

Result<EventCosts> event_costs(const trace::Definitions& definitions,
                               const trace::GlobalCallTree& tree,
                               const std::vector<trace::LocationEvents>& mine,
                               std::optional<double> nanoseconds, parallel::Processes& processes) {
  const auto number = [&definitions](const char* name) {
    const auto at = definitions.properties.find(name);
    return at == definitions.properties.end() ? 0 : std::strtod(at->second.c_str(), nullptr);
  };
  const double ticks = static_cast<double>(definitions.ticks_per_second) * 1e-9;
  const auto mean = [&](double sum, double count) {
    return count > 0 ? EventCosts::of_ticks(sum / count * ticks) : 0;
  };
  const double visits = static_cast<double>(first_visits(definitions, tree, mine, processes));
  EventCosts costs;
  costs.stack = mean(number(layout::kPropertyStackCost), visits);
  costs.sample = mean(number(layout::kPropertySampleCost), number(layout::kPropertySamples));
  if (nanoseconds) {
    costs.mpi = costs.region = EventCosts::of_ticks(*nanoseconds * ticks);
    return costs;
  }
  if (!(number(layout::kPropertyEventCost) > 0)) {
    return Problem{"the archive does not say what recording an event costs",
                   "give it: --event-cost NANOSECONDS, for each enter and leave", Exit::kBadInput};
  }
  costs.mpi = mean(number(layout::kPropertyEventCost), 1);
  // Samples of events of regions include memory that the program waits for meanwhile, so the
  // calibrated cost is better. Old archives do not have it.
  costs.region = mean(number(layout::kPropertyRegionCalibrated), 1);
  if (costs.region == 0) {
    costs.region =
        mean(number(layout::kPropertyRegionEventCost), number(layout::kPropertyRegionEvents));
  }
  for (const auto& [cost, spread] :
       {std::pair{layout::kPropertyEventCost, layout::kPropertyEventCostSpread},
        {layout::kPropertyRegionCalibrated, layout::kPropertyRegionSpread}}) {
    if (!definitions.properties.contains(spread) || !(number(cost) > 0)) continue;
    costs.spread = std::max(costs.spread.value_or(0), number(spread) / number(cost));
  }
  return costs;
}

// Functions that only stacks know have no events of their own in the run.
PathCosts::PathCosts(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
                     const EventCosts& costs)
    : stack(costs.stack), sample(costs.sample) {
  std::vector<std::uint32_t> local(tree.nodes.size(), kNone);
  for (std::uint32_t node = 0; node < tree.from_local.size(); ++node) {
    local[tree.from_local[node]] = node;
  }
  for (const auto global : tree.from_local) {
    const auto& of = tree.nodes[global];
    Node node;
    if (of.parent != kNone && global != 0) node.parent = local[of.parent];
    const auto& region = definitions.regions[of.region];
    node.flush = of.region == definitions.flush_region;
    node.kind = is_of_wrapper(region) ? OverheadKind::kMpi : OverheadKind::kRegion;
    node.stack = region.mpi;
    if (node.kind == OverheadKind::kMpi) {
      node.cost = costs.mpi;
    } else if (global != 0 && !node.flush && of.region != definitions.off_region &&
               !definitions.call_paths_from_stacks()) {
      node.cost = costs.region;
    }
    nodes.push_back(node);
  }
}

}  // namespace latecomer::replay
