// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/wait_graph.hpp"

#include <algorithm>

#include "analyzer/causes/cost_chains.hpp"
#include "analyzer/causes/critical_path.hpp"

namespace latecomer::causes {
namespace {

// What is left of a sorted part.
struct Rest {
  const GraphWait* next;
  const GraphWait* end;
  std::uint32_t part;
};

bool comes_later(const Rest& a, const Rest& b) { return is_followed_before(*b.next, *a.next); }

}  // namespace

Followed follow(std::span<const std::span<const GraphWait>> parts, const GraphTask& task) {
  Followed out;
  out.chains.resize(parts.size());
  CostChains costs(task.locations, task.point_to_point_only);
  CriticalPath path(task.end, task.start);
  std::vector<Rest> rests;  // a heap: the part whose wait is next stands in front
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    if (!parts[p].empty()) {
      rests.push_back({parts[p].data(), parts[p].data() + parts[p].size(), p});
    }
  }
  std::ranges::make_heap(rests, comes_later);
  while (!rests.empty()) {
    std::ranges::pop_heap(rests, comes_later);
    Rest& rest = rests.back();
    // As long as this part has the next one.
    do {
      const GraphWait& wait = *rest.next++;
      const auto number = static_cast<std::uint32_t>(&wait - parts[rest.part].data());
      costs.visit(wait, number, out.chains[rest.part]);
      path.visit(wait);
    } while (rest.next != rest.end &&
             (rests.size() == 1 || is_followed_before(*rest.next, *rests.front().next)));
    if (rest.next == rest.end) {
      rests.pop_back();
    } else {
      std::ranges::push_heap(rests, comes_later);
    }
  }
  out.path = path.take();
  return out;
}

}  // namespace latecomer::causes
