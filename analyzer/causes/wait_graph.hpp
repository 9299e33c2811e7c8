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
};

// What a wait cost later: waits of one kind that it led to.
struct Carried {
  std::uint32_t wait = 0;
  WaitKind kind = WaitKind::kLateSender;
  Ticks cost = 0;
};

// The part of a wait that led to other waits.
struct Propagating {
  std::uint32_t wait = 0;
  Ticks time = 0;
};

struct Chains {
  memory::Vector<Propagating> propagating;  // those that are not zero
  memory::Vector<Carried> carried;          // by wait and kind; those that are not zero
};

// A part of the critical path.
struct PathPart {
  std::uint32_t location = 0;
  Ticks from = 0, to = 0;
};

// Where the path ends: a moment of a location, before one of its calls.
struct PathEnd {
  std::uint32_t location = trace::kNone, call = 0;  // kNone: there is no path
  Ticks time = 0;
};

// What is asked of the graph.
struct GraphTask {
  std::size_t locations = 0;
  bool point_to_point_only = false;  // which kinds of waits make another one propagating
  PathEnd end;                       // of the critical path
  Ticks start = 0;
};

// Of the waits of one analysis process, which have the numbers in their part.
struct Followed {
  std::vector<Chains> chains;  // by part
  std::vector<PathPart> path;  // contiguous in time; latest first
};

// The order in which waits are followed: latest first.
[[nodiscard]] inline bool is_followed_before(const GraphWait& a, const GraphWait& b) {
  if (a.event != b.event) return a.event > b.event;
  return std::tie(a.leave, a.location, a.point, a.cause_location) >
         std::tie(b.leave, b.location, b.point, b.cause_location);
}

// One walk over the waits of all parts, each of which is sorted. On it
// - costs go from each wait to the waits of its cause: each wait hands on what it carries and
//   itself, in proportion to what its cause did and waited;
// - the critical path goes back from its end to the start: along a location as long as it did not
//   wait, else on with the location that ended the wait.
[[nodiscard]] Followed follow(std::span<const std::span<const GraphWait>> parts,
                              const GraphTask& task);

}  // namespace latecomer::causes
