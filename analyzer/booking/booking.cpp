// SPDX-License-Identifier: BSD-3-Clause
// Adds times and waits to severities, statistics and time slices.
#include "analyzer/booking/booking.hpp"

#include "patterns/derived/grid.hpp"

namespace latecomer::replay {

using patterns::MetricTree;

Booking::Booking(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
                 const MetricTree& metrics, const std::vector<trace::LocationEvents>& mine)
    : definitions(definitions),
      tree(tree),
      metrics(metrics),
      mine(mine),
      map(metrics, definitions),
      statistics(metrics.size()),
      severities_(metrics.size(), tree.nodes.size(), mine.size()),
      quality_(mine.size()) {
  for (const auto& events : mine) {
    ranks_.push_back(definitions.locations[events.location].process);
  }
  for (const auto global : tree.from_local) {
    const auto region = tree.nodes[global].region;
    nodes_.push_back({region, map.kind_of_region[region], map.send_mode_of_region[region]});
  }
}

void Booking::add_up(MetricId metric, std::size_t location, std::uint32_t node,
                     std::int64_t value) {
  add_up_at(metric, location, tree.from_local[node], value);
}

void Booking::add_up_at(MetricId metric, std::size_t location, std::uint32_t call_path,
                        std::int64_t value) {
  if (value == 0) return;
  for (; metric != MetricTree::kNone; metric = metrics.parent(metric)) {
    add_at(metric, location, call_path, value);
  }
}

void Booking::part(const WaitMetrics& to, const Part& part) {
  const trace::Ticks time = part.time;
  if (time <= 0) return;
  const std::size_t location = part.location;
  const auto node = part.call.node, call_path = tree.from_local[node];
  const std::uint32_t rank = rank_of(location);
  severities_.add(to.base, call_path, location, time);
  statistics.add(to.base, time);
  const auto begin = part.begin == INT64_MIN ? part.call.enter : part.begin;
  slices.add(to.base, metahost_of(rank), begin, time - part.polled);
  if (to.polling != MetricTree::kNone) {
    const auto kind = kind_of(part.call);
    const bool polls = kind == patterns::CallKind::kTest || kind == patterns::CallKind::kProbeNow;
    if (polls) add(to.polling, location, node, time);
  }
  if (part.alone && statistics.may_keep(to.base, call_path, time)) {
    const bool polled = part.polled > 0;
    statistics.add(to.base,
                   Instance{time, polled ? part.polled_since : part.call.enter, part.call.leave,
                            call_path, rank, part.cause, mine[location].location, trace::kNone, 1,
                            polled ? part.polled_since : begin, time});
  }
  if (!part.grid) return;
  if (to.grid != MetricTree::kNone) add(to.grid, part.location, node, part.time);
  if (part.cause == trace::kNone || to.pairs.empty()) return;
  const auto pair = metahost_of(rank) * definitions.metahosts.size() + metahost_of(part.cause);
  add_up(to.pairs[pair], part.location, node, part.time);
}

void Booking::move_time(std::size_t location, const trace::Call& call, trace::Ticks time,
                        MetricId leaf) {
  if (time <= 0) return;
  const auto region = region_of(call);
  for (const auto metric : map.time_of_region[region]) add(metric, location, call.node, -time);
  add_up(leaf, location, call.node, time);
  if (definitions.metahosts.size() < 2 || !call.crosses_metahosts) return;
  for (const auto metric : map.grid_of_region[region]) add(metric, location, call.node, -time);
  add_up(patterns::grid_of(metrics, leaf), location, call.node, time);
}

}  // namespace latecomer::replay
