// SPDX-License-Identifier: BSD-3-Clause
// Enumerates the nodes of a tree in the two orders that CUBE uses.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace latecomer::report {

// A forest given by the parent of each node (kNone for a root), in any numbering. Siblings are in
// ascending order.
//
//   A(B(D(F),E),C(G))     deep: A B D F E C G     wide: A B C D E F G
class TreeOrder {
 public:
  explicit TreeOrder(std::span<const std::uint32_t> parents);

  // The roots, and the children of a node, in ascending order.
  [[nodiscard]] std::span<const std::uint32_t> roots() const;
  [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t node) const;
  // Depth first, parents before children: row order of EXCLUSIVE metrics.
  [[nodiscard]] std::vector<std::uint32_t> deep() const;
  // Each root; then, going down, all children of a node side by side: row order of INCLUSIVE
  // metrics.
  [[nodiscard]] std::vector<std::uint32_t> wide() const;

 private:
  // Children of node i are list_[begin_[i + 1]] to list_[begin_[i + 2] - 1]; the roots come first.
  std::vector<std::uint32_t> begin_, list_;
};

}  // namespace latecomer::report
