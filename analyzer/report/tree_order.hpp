// SPDX-License-Identifier: BSD-3-Clause
// The two orders in which CUBE enumerates the nodes of a tree.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace latecomer::report {

// A forest given by parents (kNone for a root), any numbering; siblings in ascending order.
//
//   A(B(D(F),E),C(G))     deep: A B D F E C G     wide: A B C D E F G
class TreeOrder {
 public:
  explicit TreeOrder(std::span<const std::uint32_t> parents);

  [[nodiscard]] std::span<const std::uint32_t> roots() const;
  [[nodiscard]] std::span<const std::uint32_t> children(std::uint32_t node) const;
  // Depth first, parents before children: rows of EXCLUSIVE metrics.
  [[nodiscard]] std::vector<std::uint32_t> deep() const;
  // Each root, then, going down, all children of a node in one run: rows of INCLUSIVE metrics.
  [[nodiscard]] std::vector<std::uint32_t> wide() const;

 private:
  // Children of node i are list_[begin_[i + 1]] .. list_[begin_[i + 2]]; the roots come first.
  std::vector<std::uint32_t> begin_, list_;
};

}  // namespace latecomer::report
