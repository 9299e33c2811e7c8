// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/booking.hpp"

namespace latecomer::replay {

using patterns::MetricTree;

Booking::Booking(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
                 const MetricTree& metrics, const std::vector<trace::LocationEvents>& mine)
    : definitions(definitions),
      tree(tree),
      metrics(metrics),
      mine(mine),
      map(metrics, definitions),
      severities_(metrics.size(), tree.nodes.size(), mine.size()),
      quality_(mine.size()) {}

void Booking::add_up(MetricId metric, std::size_t location, std::uint32_t node,
                     std::int64_t value) {
  for (; metric != MetricTree::kNone; metric = metrics.parent(metric)) {
    add(metric, location, node, value);
  }
}

void Booking::time(const WaitMetrics& to, std::size_t location, const trace::Call& call,
                   trace::Ticks time, bool grid) {
  if (time <= 0) return;
  add(to.base, location, call.node, time);
  if (grid && to.grid != MetricTree::kNone) add(to.grid, location, call.node, time);
}

void Booking::wait(const WaitMetrics& to, std::size_t location, const trace::Call& call,
                   trace::Ticks wait, std::uint32_t cause, bool grid) {
  time(to, location, call, wait, grid);
  if (wait <= 0 || !grid || to.pairs.empty()) return;
  const auto pair =
      metahost_of(rank_of(location)) * definitions.metahosts.size() + metahost_of(cause);
  add_up(to.pairs[pair], location, call.node, wait);
}

}  // namespace latecomer::replay
