// SPDX-License-Identifier: BSD-3-Clause
// All waits of a trace and what ended them, on one process. Everything that leads from wait to wait
// is followed there.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <tuple>
#include <vector>

#include "analyzer/causes/delays.hpp"
#include "analyzer/causes/sync_points.hpp"

namespace latecomer::causes {

// A wait as the graph needs it.
struct GraphWait {
  Ticks event = 0;  // time of the event that ended the wait
  Ticks leave = 0;  // end of the call that waited
  Ticks wait = 0;
  Ticks sum = 0;  // Delay::sum(); 0: no delay explains the wait
  std::uint32_t location = 0, call = 0, point = 0;
  std::uint32_t cause_location = 0, cause_call = 0;
  std::uint32_t first = 0, last = 0;  // range of points of the cause in which it waited, too
  WaitKind kind = WaitKind::kLateSender;
  bool costs = true, path = true;
  bool seen_late = false;

  [[nodiscard]] Ticks when() const { return seen_late ? leave : event; }  // as Wait::when()
};
static_assert(sizeof(GraphWait) == 64);

// The later costs of a wait, as waits of one kind to which it led.
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

// Costs that resulted from following waits.
struct Chains {
  memory::Vector<Propagating> propagating;  // only values that are not zero
  memory::Vector<Carried> carried;  // sorted by wait and kind; only values that are not zero
};

// A part of the critical path.
struct PathPart {
  std::uint32_t location = 0;
  Ticks from = 0, to = 0;
};

// The end of the path: a moment of a location, before one of its calls.
struct PathEnd {
  std::uint32_t location = trace::kNone, call = 0;  // kNone: there is no path
  Ticks time = 0;
};

class CostChains;
class CriticalPath;

// The task of the graph.
struct GraphTask {
  std::size_t locations = 0;
  bool point_to_point_only = false;  // which kinds of waits make another one propagating
  PathEnd end;                       // end of the critical path
  Ticks start = 0;
};

// The order in which waits are followed: latest first.
[[nodiscard]] inline bool is_followed_before(const GraphWait& a, const GraphWait& b) {
  if (a.when() != b.when()) return a.when() > b.when();
  return std::tie(a.leave, a.location, a.point, a.cause_location) >
         std::tie(b.leave, b.location, b.point, b.cause_location);
}

// One walk over the waits of all analysis processes. Each process delivers its own waits in the
// order in which they are followed, in portions of any size. On this walk
// - costs go from each wait to the waits of its cause: each wait passes on what it carries and its
//   own length, in proportion to what its cause did and waited;
// - the critical path goes back from its end to the start: along a location as long as that one did
//   not wait, otherwise on with the location that ended the wait.
class WaitGraph {
 public:
  WaitGraph(std::size_t parts, const GraphTask& task);
  ~WaitGraph();

  // Adds waits of a part; `more`: others will follow.
  void add(std::size_t part, memory::Vector<GraphWait> waits, bool more);
  // Follows the waits whose order is certain: until a part has none left but will deliver more.
  void follow();
  // True if all parts have delivered everything and all of it was followed.
  [[nodiscard]] bool done() const { return unfinished_ == 0; }
  // Number of waits of a part that were followed.
  [[nodiscard]] std::size_t followed(std::size_t part) const { return parts_[part].followed; }
  // Results for a part since the last call. Waits have their numbers in that part.
  [[nodiscard]] Chains take(std::size_t part);
  // The critical path, contiguous in time, latest first. Call it once, when done().
  [[nodiscard]] std::vector<PathPart> path();

 private:
  // Waits of one analysis process.
  struct Part {
    std::deque<memory::Vector<GraphWait>> told;  // the first element counts from `next` on
    std::size_t next = 0, followed = 0;
    bool more = true;
    Chains chains;
    [[nodiscard]] const GraphWait& first() const { return told.front()[next]; }
  };
  void step_over(Part& part);

  std::vector<Part> parts_;
  std::size_t unfinished_;
  std::unique_ptr<CostChains> costs_;
  std::unique_ptr<CriticalPath> path_;
};

}  // namespace latecomer::causes
