// SPDX-License-Identifier: BSD-3-Clause
// All waits of a trace and what ended them, on one process: what has to be followed from wait to
// wait is followed there.
#pragma once

#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "analyzer/causes/delays.hpp"
#include "analyzer/causes/sync_points.hpp"

namespace latecomer::causes {

// A wait as the graph needs it.
struct GraphWait {
  Ticks event = 0;  // ended it
  Ticks leave = 0;  // of its call
  Ticks wait = 0;
  Ticks sum = 0;  // Delay::sum(); 0: nothing explains it
  std::uint32_t location = 0, call = 0, point = 0;
  std::uint32_t cause_location = 0, cause_call = 0;
  std::uint32_t first = 0, last = 0;  // points of the cause that waited, too
  WaitKind kind = WaitKind::kLateSender;
  bool costs = true, path = true;
  std::uint32_t number = 0;  // where it comes from: SyncPoints::waits() there
};

// What a wait cost later: waits of one kind that it led to.
struct Carried {
  std::uint32_t wait = 0;
  WaitKind kind = WaitKind::kLateSender;
  Ticks cost = 0;
};

struct Chains {
  std::vector<Ticks> propagating;  // by wait: the part of it that led to other waits
  std::vector<Carried> carried;    // by wait and kind; those that are not zero
};

// The order in which costs are followed: latest first.
[[nodiscard]] inline bool is_followed_before(const GraphWait& a, const GraphWait& b) {
  return std::tie(a.event, a.leave, a.location, a.point, a.cause_location) >
         std::tie(b.event, b.leave, b.location, b.point, b.cause_location);
}

// Follows costs from each wait to the waits of its cause, latest first. Each wait hands on what it
// carries and itself, in proportion to what its cause did and waited. Which kinds make a wait
// propagating is a matter of `point_to_point_only`. The waits stand in sorted parts, from each of
// `first` to the next and the end of the last.
[[nodiscard]] Chains follow_costs(std::span<const GraphWait> waits,
                                  std::span<const std::uint32_t> first, std::size_t locations,
                                  bool point_to_point_only);

// A part of the critical path.
struct PathPart {
  std::uint32_t location = 0;
  Ticks from = 0, to = 0;
};

// Where the path ends: a moment of a location, before one of its calls.
struct PathEnd {
  std::uint32_t location = 0, call = 0;
  Ticks time = 0;
};

// Walks back from `end` to `start`: along a location as long as it did not wait, else on with the
// location that ended the wait. The parts are contiguous in time; latest first.
[[nodiscard]] std::vector<PathPart> critical_path(std::span<const GraphWait> waits,
                                                  std::size_t locations, const PathEnd& end,
                                                  Ticks start);

}  // namespace latecomer::causes
