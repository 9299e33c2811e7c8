// SPDX-License-Identifier: BSD-3-Clause
// Tarjan's algorithm without recursion, since there may be many ranks.
#include "tracer/stuck/strong_components.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace latecomer::stuck {

std::vector<std::vector<std::uint32_t>> strong_components(
    const std::vector<std::vector<std::uint32_t>>& edges, const std::vector<bool>& included) {
  const auto count = static_cast<std::uint32_t>(edges.size());
  constexpr std::uint32_t kNew = 0xffffffff;
  std::vector<std::uint32_t> index(count, kNew), low(count), stack;
  std::vector<bool> on_stack(count);
  std::vector<std::vector<std::uint32_t>> found;
  std::uint32_t next = 0;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (!included[root] || index[root] != kNew) continue;
    std::vector<std::pair<std::uint32_t, std::size_t>> calls{{root, 0}};
    while (!calls.empty()) {
      auto& [node, edge] = calls.back();
      if (edge == 0) {
        index[node] = low[node] = next++;
        stack.push_back(node);
        on_stack[node] = true;
      }
      const auto& others = edges[node];
      bool deeper = false;
      while (edge < others.size()) {
        const std::uint32_t other = others[edge++];
        if (other >= count || !included[other]) continue;
        if (index[other] == kNew) {
          calls.emplace_back(other, 0);
          deeper = true;
          break;
        }
        if (on_stack[other]) low[node] = std::min(low[node], index[other]);
      }
      if (deeper) continue;
      const std::uint32_t done = node;
      if (low[done] == index[done]) {
        auto& component = found.emplace_back();
        for (std::uint32_t member = kNew; member != done;) {
          member = stack.back();
          stack.pop_back();
          on_stack[member] = false;
          component.push_back(member);
        }
        std::ranges::sort(component);
      }
      calls.pop_back();
      if (!calls.empty()) {
        auto& above = calls.back().first;
        low[above] = std::min(low[above], low[done]);
      }
    }
  }
  return found;
}

}  // namespace latecomer::stuck
