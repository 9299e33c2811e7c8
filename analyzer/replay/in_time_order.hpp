// SPDX-License-Identifier: BSD-3-Clause
// Operations of all threads of a process, in the order in which they happened.
#pragma once

#include <algorithm>
#include <cstdint>
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

}  // namespace latecomer::replay
