// SPDX-License-Identifier: BSD-3-Clause
// Enumerates trees without recursion, because call trees of programs can be deeper than the stack.
#include "analyzer/report/model/tree_order.hpp"

#include "analyzer/report/model/model.hpp"

namespace latecomer::report {
namespace {

// Position of a parent in begin_; the roots come first.
std::size_t slot(std::uint32_t parent) { return parent == kNone ? 0 : std::size_t{parent} + 1; }

}  // namespace

TreeOrder::TreeOrder(std::span<const std::uint32_t> parents)
    : begin_(parents.size() + 2), list_(parents.size()) {
  // Counting sort of the nodes by parent.
  for (const auto parent : parents) ++begin_[slot(parent) + 1];
  for (std::size_t i = 1; i < begin_.size(); ++i) begin_[i] += begin_[i - 1];
  std::vector<std::uint32_t> next(begin_.begin(), begin_.end() - 1);
  for (std::uint32_t node = 0; node < parents.size(); ++node) {
    list_[next[slot(parents[node])]++] = node;
  }
}

std::span<const std::uint32_t> TreeOrder::roots() const { return children(kNone); }

std::span<const std::uint32_t> TreeOrder::children(std::uint32_t node) const {
  const std::size_t i = slot(node);
  return std::span(list_).subspan(begin_[i], begin_[i + 1] - begin_[i]);
}

std::vector<std::uint32_t> TreeOrder::deep() const {
  std::vector<std::uint32_t> order, stack(roots().rbegin(), roots().rend());
  order.reserve(list_.size());
  while (!stack.empty()) {
    order.push_back(stack.back());
    stack.pop_back();
    const auto below = children(order.back());
    stack.insert(stack.end(), below.rbegin(), below.rend());
  }
  return order;
}

std::vector<std::uint32_t> TreeOrder::wide() const {
  std::vector<std::uint32_t> order, stack;
  order.reserve(list_.size());
  for (const auto root : roots()) {
    order.push_back(root);
    stack.push_back(root);
    while (!stack.empty()) {
      const auto below = children(stack.back());
      stack.pop_back();
      order.insert(order.end(), below.begin(), below.end());
      stack.insert(stack.end(), below.rbegin(), below.rend());
    }
  }
  return order;
}

}  // namespace latecomer::report
