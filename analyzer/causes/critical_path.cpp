// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <tuple>

#include "analyzer/causes/wait_graph.hpp"

namespace latecomer::causes {

std::vector<PathPart> critical_path(std::span<const GraphWait> waits, std::size_t locations,
                                    const PathEnd& end, Ticks start) {
  struct Jump {
    std::uint32_t call = 0;
    std::uint32_t wait = 0;
  };
  std::vector<std::vector<Jump>> jumps(locations);
  for (std::uint32_t w = 0; w < waits.size(); ++w) {
    if (waits[w].path) jumps[waits[w].location].push_back({waits[w].call, w});
  }
  for (auto& of_location : jumps) {
    std::ranges::sort(of_location, [&](const Jump& a, const Jump& b) {
      return std::tie(a.call, waits[a.wait].event, waits[a.wait].cause_location) <
             std::tie(b.call, waits[b.wait].event, waits[b.wait].cause_location);
    });
  }
  std::vector<PathPart> path;
  PathEnd at = end;
  while (at.time > start) {
    auto& here = jumps[at.location];
    auto next = std::ranges::lower_bound(here, at.call, {}, &Jump::call);
    // Where clocks are wrong an event may come later than the moment we are at.
    while (next != here.begin() && waits[(next - 1)->wait].event > at.time) --next;
    if (next == here.begin()) {
      path.push_back({at.location, start, at.time});
      break;
    }
    const GraphWait& wait = waits[(next - 1)->wait];
    const Ticks event = std::max(start, wait.event);
    if (event < at.time) path.push_back({at.location, event, at.time});
    at = {wait.cause_location, wait.cause_call, wait.event};
    here.erase(next - 1, here.end());  // never passed again, so the walk ends
  }
  return path;
}

}  // namespace latecomer::causes
