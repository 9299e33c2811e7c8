// SPDX-License-Identifier: BSD-3-Clause
// Merges trees on process 0 and sends the result back. The order of siblings is (first location,
// order of creation).
#include "analyzer/trace/events/core/call_tree.hpp"

#include <algorithm>
#include <numeric>

namespace latecomer::trace {

// Finds or adds a child, and updates the cache: the previous child gets this one as its successor.
std::uint32_t CallTree::look_up(std::uint32_t node, std::uint32_t region, std::uint32_t location) {
  const IntKey key{(std::uint64_t{node} << 32) | region};
  const auto next = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t found = children_.at(key, next);
  if (found == next)
    nodes_.push_back({.parent = node, .region = region, .first_location = location});
  if (nodes_[node].last_child != 0) nodes_[nodes_[node].last_child].next = found;
  nodes_[node].last_child = found;
  nodes_[node].last_region = region;
  return found;
}

namespace {

// A node of the merged tree.
struct Merged {
  std::uint32_t parent, region;
  std::uint64_t order;  // first location, then order of creation there
};

std::vector<GlobalCallTree::Node> merge(const std::vector<parallel::Bytes>& trees) {
  std::vector<Merged> merged;
  FlatIndex<IntKey> children(1024);
  for (const auto& bytes : trees) {
    parallel::Unpacker in(bytes);
    const auto nodes = in.get_all<CallTree::Node>();
    std::vector<std::uint32_t> to_merged(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const std::uint64_t order = (std::uint64_t{nodes[i].first_location} << 32) | i;
      std::uint32_t at = 0;
      if (i == 0) {
        if (merged.empty()) merged.push_back({FlatIndex<IntKey>::kNone, nodes[i].region, order});
      } else {
        const std::uint32_t parent = to_merged[nodes[i].parent];
        const auto next = static_cast<std::uint32_t>(merged.size());
        at = children.at({(std::uint64_t{parent} << 32) | nodes[i].region}, next);
        if (at == next) merged.push_back({parent, nodes[i].region, order});
      }
      merged[at].order = std::min(merged[at].order, order);
      to_merged[i] = at;
    }
  }
  // Depth-first traversal with siblings in their order. The stack reverses them, hence the
  // descending sort.
  std::vector<std::vector<std::uint32_t>> kids(merged.size());
  for (std::uint32_t i = 1; i < merged.size(); ++i) kids[merged[i].parent].push_back(i);
  std::vector<GlobalCallTree::Node> out;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> todo;  // merged node, parent in `out`
  todo.emplace_back(0, FlatIndex<IntKey>::kNone);
  while (!todo.empty()) {
    const auto [node, parent] = todo.back();
    todo.pop_back();
    const auto here = static_cast<std::uint32_t>(out.size());
    out.push_back({parent, merged[node].region});
    std::ranges::sort(kids[node], std::ranges::greater{},
                      [&](std::uint32_t kid) { return merged[kid].order; });
    for (const auto kid : kids[node]) todo.emplace_back(kid, here);
  }
  return out;
}

}  // namespace

GlobalCallTree unify(const CallTree& mine, parallel::Processes& processes) {
  parallel::Packer pack;
  pack.put_all(std::span(mine.nodes()));
  const auto trees = processes.gather(pack.take(), 0);
  parallel::Bytes data;
  if (processes.rank() == 0) {
    const auto nodes = merge(trees);
    parallel::Packer out;
    out.put_all(std::span(nodes));
    data = out.take();
  }
  processes.broadcast(data, 0);

  GlobalCallTree global;
  global.nodes = parallel::Unpacker(data).get_all<GlobalCallTree::Node>();
  FlatIndex<IntKey> children(global.nodes.size());
  for (std::uint32_t i = 1; i < global.nodes.size(); ++i) {
    children.at({(std::uint64_t{global.nodes[i].parent} << 32) | global.nodes[i].region}, i);
  }
  global.from_local.resize(mine.size());
  for (std::uint32_t i = 1; i < mine.size(); ++i) {
    const auto& node = mine.nodes()[i];
    global.from_local[i] =
        children.find({(std::uint64_t{global.from_local[node.parent]} << 32) | node.region});
  }
  return global;
}

}  // namespace latecomer::trace
