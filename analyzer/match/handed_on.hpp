// SPDX-License-Identifier: BSD-3-Clause
// Operations that one thread of a process started and another one completed. Such an operation is
// in the list of the thread that completed it. Its place in the order is in the list of the thread
// that started it, which has an open element there (trace/handed_requests.hpp).
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Maps places in the order of operations to elements, for the locations of one process.
class HandedOn {
 public:
  using List = std::vector<trace::Elsewhere> trace::LocationEvents::*;
  HandedOn(const std::vector<trace::LocationEvents>& mine, std::size_t first, std::size_t last,
           List list)
      : mine_(mine), list_(list) {
    for (std::size_t l = first; l < last; ++l) {
      for (const auto& e : mine[l].*list) there_.emplace_back(e.location, e.there);
    }
    std::ranges::sort(there_);
  }

  // True if every element is at its place in the order.
  [[nodiscard]] bool none() const { return there_.empty(); }

  // A position in the list of a location.
  struct Place {
    std::size_t location = 0;
    std::uint32_t index = 0;
  };
  // The element whose place in the order is (l, i). It may be in another list. No result: the
  // element at (l, i) has its place elsewhere.
  [[nodiscard]] std::optional<Place> find(std::size_t l, std::uint32_t i) const {
    if (there_.empty()) [[likely]]
      return Place{l, i};
    const auto& own = mine_[l].*list_;
    const auto it = std::ranges::lower_bound(own, i, {}, &trace::Elsewhere::index);
    if (it != own.end() && it->index == i) return Place{it->location, it->there};
    if (std::ranges::binary_search(there_, std::pair(static_cast<std::uint32_t>(l), i))) return {};
    return Place{l, i};
  }

 private:
  const std::vector<trace::LocationEvents>& mine_;
  List list_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> there_;  // sorted
};

}  // namespace latecomer::replay
