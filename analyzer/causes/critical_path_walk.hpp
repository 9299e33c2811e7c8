// SPDX-License-Identifier: BSD-3-Clause
// The calls and computations that decided how long the run took.
#pragma once

#include <queue>
#include <vector>

#include "analyzer/causes/wait_graph.hpp"

namespace latecomer::causes {

// Visits waits, latest first, and walks back in time. The path stays on a location as long as that
// one did not wait. At a wait it continues on the location that ended the wait.
//
//   rank 0   works 0 .. 6, sends at 6
//   rank 1   works 0 .. 2, waits 2 .. 6, works 6 .. 8     path: rank 1 [6, 8), rank 0 [0, 6)
class CriticalPath {
 public:
  CriticalPath(const PathEnd& end, Ticks start) : at_(end), start_(start) {}

  void visit(const GraphWait& wait) {  // waits come in the order in which they are followed
    if (!wait.path || done()) return;
    const End end{wait.event, wait.location, wait.call, wait.cause_location, wait.cause_call};
    if (wait.seen_late) return early_.push(end);
    if (!early_.empty()) follow_early(wait.event);
    visit_in_order(end);
  }
  // The path, once the last wait was visited. The parts are contiguous in time; latest first.
  [[nodiscard]] std::vector<PathPart> take();

 private:
  // The parts of a wait that the path needs.
  struct End {
    Ticks event = 0;
    std::uint32_t location = 0, call = 0;
    std::uint32_t cause_location = 0, cause_call = 0;
    friend bool operator<(const End& a, const End& b) { return a.event < b.event; }
  };
  [[nodiscard]] bool leads_on(const End& end) const {
    return end.location == at_.location && end.call < at_.call && end.event <= at_.time;
  }
  [[nodiscard]] bool done() const { return at_.location == trace::kNone || at_.time <= start_; }
  void follow_moment();
  void follow_early(Ticks after);
  void visit_in_order(const End& end) {  // comes in the order of events
    if (!moment_.empty() && moment_.front().event != end.event) follow_moment();
    moment_.push_back(end);
  }

  PathEnd at_;
  Ticks start_;
  std::vector<End> moment_;  // waits that ended at the same moment
  // Waits that were visited before the walk reached their events.
  std::priority_queue<End> early_;
  std::vector<PathPart> path_;
};

}  // namespace latecomer::causes
