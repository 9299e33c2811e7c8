// SPDX-License-Identifier: BSD-3-Clause
// Visits the gaps in recording between the operations of a process's threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Calls `on_gap` for the gaps of the locations [first, last). before(l, i) visits those that
// precede operation i of location l; call it in ascending order. rest() visits all others. A gap of
// a thread is visited just before the thread's next operation.
template <typename OnGap>
class GapWalk {
 public:
  GapWalk(const std::vector<trace::LocationEvents>& mine, std::size_t first, std::size_t last,
          std::vector<trace::Gap> trace::LocationEvents::*list, OnGap on_gap)
      : mine_(mine), first_(first), list_(list), on_gap_(std::move(on_gap)), next_(last - first) {}

  void before(std::size_t location, std::uint32_t index) {
    const auto& gaps = mine_[location].*list_;
    auto& next = next_[location - first_];
    for (; next < gaps.size() && gaps[next].before <= index; ++next) on_gap_(gaps[next]);
  }
  void rest() {
    for (std::size_t i = 0; i < next_.size(); ++i) before(first_ + i, trace::kNone);
  }

 private:
  const std::vector<trace::LocationEvents>& mine_;
  std::size_t first_;
  std::vector<trace::Gap> trace::LocationEvents::*list_;
  OnGap on_gap_;
  std::vector<std::size_t> next_;
};

}  // namespace latecomer::replay
