// SPDX-License-Identifier: BSD-3-Clause
// Merges the waits of all analysis processes into the one order in which they are followed.
#include "analyzer/causes/wait_graph.hpp"

#include <algorithm>
#include <utility>

#include "analyzer/causes/cost_chains.hpp"
#include "analyzer/causes/critical_path_walk.hpp"

namespace latecomer::causes {

WaitGraph::WaitGraph(std::size_t parts, const GraphTask& task)
    : parts_(parts),
      unfinished_(parts),
      costs_(std::make_unique<CostChains>(task.locations, task.point_to_point_only)),
      path_(std::make_unique<CriticalPath>(task.end, task.start)) {}

WaitGraph::~WaitGraph() = default;

void WaitGraph::add(std::size_t part, memory::Vector<GraphWait> waits, bool more) {
  Part& to = parts_[part];
  if (!waits.empty()) to.told.push_back(std::move(waits));
  if (to.more && !more && to.told.empty()) --unfinished_;
  to.more = more;
}

inline void WaitGraph::step_over(Part& part) {
  ++part.followed;
  if (++part.next < part.told.front().size()) return;
  part.told.pop_front();
  part.next = 0;
  if (part.told.empty() && !part.more) --unfinished_;
}

void WaitGraph::follow() {
  const auto comes_later = [&](std::uint32_t a, std::uint32_t b) {
    return is_followed_before(parts_[b].first(), parts_[a].first());
  };
  std::vector<std::uint32_t> heap;  // parts: the one whose wait is next stands in front
  for (std::uint32_t p = 0; p < parts_.size(); ++p) {
    if (!parts_[p].told.empty()) {
      heap.push_back(p);
    } else if (parts_[p].more) {
      return;
    }
  }
  std::ranges::make_heap(heap, comes_later);
  while (!heap.empty()) {
    std::ranges::pop_heap(heap, comes_later);
    Part& part = parts_[heap.back()];
    // Stay with this part as long as it has the next wait.
    do {
      const GraphWait& wait = part.first();
      costs_->visit(wait, static_cast<std::uint32_t>(part.followed), part.chains);
      path_->visit(wait);
      step_over(part);
    } while (!part.told.empty() &&
             (heap.size() == 1 || is_followed_before(part.first(), parts_[heap.front()].first())));
    if (!part.told.empty()) {
      std::ranges::push_heap(heap, comes_later);
    } else if (part.more) {
      return;
    } else {
      heap.pop_back();
    }
  }
}

Chains WaitGraph::take(std::size_t part) { return std::exchange(parts_[part].chains, {}); }

std::vector<PathPart> WaitGraph::path() { return path_->take(); }

}  // namespace latecomer::causes
