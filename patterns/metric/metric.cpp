// SPDX-License-Identifier: BSD-3-Clause
// Implements the metric tree. Names are resolved once, when the tree is made.
#include "patterns/metric/metric.hpp"

#include <functional>
#include <utility>

namespace latecomer::patterns {

MetricTree::MetricTree(std::vector<Metric> metrics) : metrics_(std::move(metrics)) {
  for (MetricId i = 0; i < metrics_.size(); ++i) {
    parents_.push_back(id(metrics_[i].parent));
    ids_.emplace(metrics_[i].name, i);
  }
}

MetricId MetricTree::id(std::string_view name) const {
  const auto it = ids_.find(name);
  return it == ids_.end() ? kNone : it->second;
}

std::vector<MetricId> MetricTree::path(MetricId id) const {
  std::vector<MetricId> out;
  for (; id != kNone; id = parents_[id]) out.push_back(id);
  return out;
}

std::vector<Metric> depth_first(std::vector<Metric> metrics) {
  std::map<std::string, std::vector<std::size_t>, std::less<>> children;
  for (std::size_t i = 0; i < metrics.size(); ++i) children[metrics[i].parent].push_back(i);
  std::vector<std::size_t> order;
  const std::function<void(const std::string&)> visit = [&](const std::string& parent) {
    const auto it = children.find(parent);
    if (it == children.end()) return;
    for (const std::size_t child : it->second) {
      order.push_back(child);
      visit(metrics[child].name);
    }
  };
  visit("");
  std::vector<Metric> out;
  out.reserve(order.size());
  for (const std::size_t i : order) out.push_back(std::move(metrics[i]));
  return out;
}

}  // namespace latecomer::patterns
