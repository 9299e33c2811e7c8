// SPDX-License-Identifier: BSD-3-Clause
// All waits of a trace and what ended them, on one process: what has to be followed from wait to
// wait is followed there.
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
  Ticks event = 0;  // ended it
  Ticks leave = 0;  // of its call
  Ticks wait = 0;
  Ticks sum = 0;  // Delay::sum(); 0: nothing explains it
  std::uint32_t location = 0, call = 0, point = 0;
  std::uint32_t cause_location = 0, cause_call = 0;
  std::uint32_t first = 0, last = 0;  // points of the cause that waited, too
  WaitKind kind = WaitKind::kLateSender;
  bool costs = true, path = true;
  bool seen_late = false;

  [[nodiscard]] Ticks when() const { return seen_late ? leave : event; }  // as Wait::when()
};
static_assert(sizeof(GraphWait) == 64);

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

class CostChains;
class CriticalPath;

// What is asked of the graph.
struct GraphTask {
  std::size_t locations = 0;
  bool point_to_point_only = false;  // which kinds of waits make another one propagating
  PathEnd end;                       // of the critical path
  Ticks start = 0;
};

// The order in which waits are followed: latest first.
[[nodiscard]] inline bool is_followed_before(const GraphWait& a, const GraphWait& b) {
  if (a.when() != b.when()) return a.when() > b.when();
  return std::tie(a.leave, a.location, a.point, a.cause_location) >
         std::tie(b.leave, b.location, b.point, b.cause_location);
}

// One walk over the waits of all analysis processes, each of which tells its own in the order in
// which they are followed, as many at a time as it likes. On it
// - costs go from each wait to the waits of its cause: each wait hands on what it carries and
//   itself, in proportion to what its cause did and waited;
// - the critical path goes back from its end to the start: along a location as long as it did not
//   wait, else on with the location that ended the wait.
class WaitGraph {
 public:
  WaitGraph(std::size_t parts, const GraphTask& task);
  ~WaitGraph();

  // Further waits of a part; `more`: they are not its last ones.
  void add(std::size_t part, memory::Vector<GraphWait> waits, bool more);
  // Follows what is sure to come next: until a part has told no more.
  void follow();
  // All parts have told everything, and it was followed.
  [[nodiscard]] bool done() const { return unfinished_ == 0; }
  // How many waits of a part were followed.
  [[nodiscard]] std::size_t followed(std::size_t part) const { return parts_[part].followed; }
  // What came of them since it was asked the last time; waits have their numbers in the part.
  [[nodiscard]] Chains take(std::size_t part);
  // The critical path, contiguous in time; latest first. At the end.
  [[nodiscard]] std::vector<PathPart> path();

 private:
  struct Part {
    std::deque<memory::Vector<GraphWait>> told;  // the first one from `next` on
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
