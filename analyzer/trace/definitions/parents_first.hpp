// SPDX-License-Identifier: BSD-3-Clause
// Orders the nodes of a tree that know only their parents.
#pragma once

#include <cstddef>
#include <span>
#include <unordered_map>
#include <vector>

namespace latecomer::trace {

// Indices of the nodes, parents before children, otherwise in the order of the list. Of several
// nodes with the same id only the first counts. A cycle, as in a damaged file, is cut somewhere; a
// node whose parent does not precede it is a root. Takes linear time, whatever the depth.
template <typename Id>
std::vector<std::size_t> parents_first(std::span<const Id> ids, std::span<const Id> parents) {
  std::unordered_map<Id, std::size_t> places;
  for (std::size_t i = 0; i < ids.size(); ++i) places.emplace(ids[i], i);
  std::vector<std::size_t> order, path;
  std::vector<bool> seen(ids.size());  // already in the order, or on the path
  for (std::size_t i = 0; i < ids.size(); ++i) {
    path.clear();
    for (auto at = places.find(ids[i]); at != places.end() && !seen[at->second];
         at = places.find(parents[at->second])) {
      seen[at->second] = true;
      path.push_back(at->second);
    }
    order.insert(order.end(), path.rbegin(), path.rend());
  }
  return order;
}

}  // namespace latecomer::trace
