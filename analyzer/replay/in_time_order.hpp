// SPDX-License-Identifier: BSD-3-Clause
// Operations of all threads of a process, in the order in which they happened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// Calls f(location, index) for every element of `list` (a member of LocationEvents) of the
// locations [first, last), which are those of one process. MPI orders what several threads do by
// time; if only one of them does anything, its own order is kept. `time(events, element)` tells
// when.
template <typename List, typename Time, typename F>
void in_time_order(const std::vector<trace::LocationEvents>& mine, std::size_t first,
                   std::size_t last, List trace::LocationEvents::*list, Time&& time, F&& f) {
  std::size_t threads = 0;
  for (std::size_t l = first; l < last; ++l) threads += (mine[l].*list).empty() ? 0 : 1;
  if (threads < 2) {
    for (std::size_t l = first; l < last; ++l) {
      for (std::uint32_t i = 0; i < (mine[l].*list).size(); ++i) f(l, i);
    }
    return;
  }
  struct Element {
    trace::Ticks time;
    std::size_t location;
    std::uint32_t index;
  };
  std::vector<Element> all;
  for (std::size_t l = first; l < last; ++l) {
    trace::Ticks latest = INT64_MIN;  // each thread's own order is kept
    for (std::uint32_t i = 0; i < (mine[l].*list).size(); ++i) {
      latest = std::max(latest, time(mine[l], (mine[l].*list)[i]));
      all.push_back({latest, l, i});
    }
  }
  std::ranges::stable_sort(all, {}, &Element::time);
  for (const auto& element : all) f(element.location, element.index);
}

// What one thread started and another one completed: it stands in the list of the latter, and has
// its place in the order in that of the former, which has an open element there.
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

  struct Place {
    std::size_t location = 0;
    std::uint32_t index = 0;
  };
  // Where the element is whose place in the order is (l, i): elsewhere, here, or nowhere, as its
  // place is another one.
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
