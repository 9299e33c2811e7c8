// SPDX-License-Identifier: BSD-3-Clause
// The new times of all threads, of which a replay knows only those that need other processes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "analyzer/clocks/moved_times.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::predict {

// New times by hosted location. `of(l)` returns those of the first thread of a process, and of
// threads that have operations with other processes. The other threads follow the first one.
template <typename Of>
std::vector<replay::MovedTimes> times_of_threads(const trace::Definitions& definitions,
                                                 const std::vector<trace::LocationEvents>& mine,
                                                 Of&& of) {
  std::vector<replay::MovedTimes> times;
  std::map<std::uint32_t, std::size_t> mains;  // the first thread of each process in `mine`
  for (std::size_t l = 0; l < mine.size(); ++l) {
    const auto& events = mine[l];
    const auto process = definitions.locations[events.location].process;
    const auto [main, is_main] = mains.try_emplace(process, l);
    const bool communicates =
        events.sends.size() > 0 || events.receives.size() > 0 || events.collectives.size() > 0;
    if (is_main || communicates) {
      times.push_back(of(l));
    } else {
      times.push_back(times[main->second]);
    }
  }
  return times;
}

}  // namespace latecomer::predict
