// SPDX-License-Identifier: BSD-3-Clause
// Visits operations of all threads of a process in the order in which they happened.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Calls f(location, index, element) for every element of `list`, a member of LocationEvents. The
// locations [first, last) are those of one process. MPI orders operations of several threads by
// time. If only one thread has any, its own order is kept. `time(events, element)` returns the time
// of an element.
template <typename List, typename Time, typename F>
void in_time_order(const std::vector<trace::LocationEvents>& mine, std::size_t first,
                   std::size_t last, List list, Time&& time, F&& f) {
  std::size_t threads = 0;
  for (std::size_t l = first; l < last; ++l) threads += (mine[l].*list).empty() ? 0 : 1;
  if (threads < 2) {
    for (std::size_t l = first; l < last; ++l) {
      std::uint32_t i = 0;
      (mine[l].*list).for_each([&](const auto& element) { f(l, i++, element); });
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
    trace::Ticks latest = INT64_MIN;  // keeps each thread's own order
    std::uint32_t i = 0;
    for (const auto& element : mine[l].*list) {
      latest = std::max(latest, time(mine[l], element));
      all.push_back({latest, l, i++});
    }
  }
  std::ranges::stable_sort(all, {}, &Element::time);
  for (const auto& one : all) f(one.location, one.index, (mine[one.location].*list)[one.index]);
}

}  // namespace latecomer::replay
