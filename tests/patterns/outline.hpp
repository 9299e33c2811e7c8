// SPDX-License-Identifier: BSD-3-Clause
// Metric trees as text.
#pragma once

#include <string>
#include <vector>

#include "patterns/metrics.hpp"

namespace latecomer::patterns {

// Names of metrics indented by depth, one per line.
inline std::string outline(const std::vector<Metric>& metrics) {
  const MetricTree tree(metrics);
  std::string out;
  for (MetricId id = 0; id < tree.size(); ++id) {
    out += std::string(2 * (tree.path(id).size() - 1), ' ') + tree[id].name + "\n";
  }
  return out;
}

inline const Metahost kThree[] = {{0, "Jena"}, {1, "Bonn"}, {7, "Rennes"}};

}  // namespace latecomer::patterns
