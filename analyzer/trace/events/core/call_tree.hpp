// SPDX-License-Identifier: BSD-3-Clause
// Call paths seen by one analysis process, and the merging of the trees of all processes.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/flat_index.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::trace {

// A tree of regions. Node 0 is the root; a parent has a lower number than its children. Each node
// remembers the first location that visited it, so locations must be read in ascending order.
class CallTree {
 public:
  // A node, with a cache for successive lookups of its children.
  struct Node {
    std::uint32_t parent = FlatIndex<IntKey>::kNone;
    std::uint32_t region = 0;
    std::uint32_t first_location = 0;                      // index in Definitions::locations
    std::uint32_t last_child = 0;                          // the child of the last lookup; 0: none
    std::uint32_t last_region = FlatIndex<IntKey>::kNone;  // region of last_child
    std::uint32_t next = 0;  // the sibling that was looked up after this one; 0: none
  };

  explicit CallTree(std::uint32_t root_region) { nodes_.push_back({.region = root_region}); }

  // The child of `node` for `region`, created if it is new.
  std::uint32_t child(std::uint32_t node, std::uint32_t region, std::uint32_t location) {
    // Loops enter the same region again, or the one that followed it in the previous iteration.
    Node& parent = nodes_[node];
    if (parent.last_region == region) return parent.last_child;
    const std::uint32_t next = nodes_[parent.last_child].next;
    if (parent.last_child != 0 && next != 0 && nodes_[next].region == region) {
      parent.last_child = next;
      parent.last_region = region;
      return next;
    }
    return look_up(node, region, location);
  }

  [[nodiscard]] const std::vector<Node>& nodes() const { return nodes_; }
  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  // Starts a location: nodes that it visits first are marked as its own.
  void set_root_location(std::uint32_t location) { nodes_[0].first_location = location; }

 private:
  std::uint32_t look_up(std::uint32_t node, std::uint32_t region, std::uint32_t location);

  std::vector<Node> nodes_;
  FlatIndex<IntKey> children_;
};

// The call tree of all locations; nodes in depth-first order.
struct GlobalCallTree {
  struct Node {
    std::uint32_t parent = FlatIndex<IntKey>::kNone;
    std::uint32_t region = 0;
  };
  std::vector<Node> nodes;
  std::vector<std::uint32_t> from_local;  // node of this process's CallTree -> global node
};

// Merges the trees of all processes. Siblings are in the order in which the lowest location that
// visited them did so first. The result does not depend on the distribution of locations over
// processes. Collective.
[[nodiscard]] GlobalCallTree unify(const CallTree& mine, parallel::Processes& processes);

}  // namespace latecomer::trace
