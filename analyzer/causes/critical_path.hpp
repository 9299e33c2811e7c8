// SPDX-License-Identifier: BSD-3-Clause
// The calls and computations that decided how long the run took.
#pragma once

#include <queue>
#include <vector>

#include "analyzer/causes/wait_graph.hpp"

namespace latecomer::causes {

// Visits waits, latest first, and walks back: along a location as long as it did not wait, else on
// with the location that ended the wait.
class CriticalPath {
 public:
  CriticalPath(const PathEnd& end, Ticks start) : at_(end), start_(start) {}

  void visit(const GraphWait& wait);  // in the order in which they are followed
  // After the last wait. The parts are contiguous in time; latest first.
  [[nodiscard]] std::vector<PathPart> take();

 private:
  [[nodiscard]] bool leads_on(const GraphWait& wait) const {
    return wait.location == at_.location && wait.call < at_.call && wait.event <= at_.time;
  }
  [[nodiscard]] bool done() const { return at_.location == trace::kNone || at_.time <= start_; }
  void follow_moment();
  void follow_early(Ticks after);
  void visit_in_order(const GraphWait& wait);  // of events
  struct Earlier {
    bool operator()(const GraphWait& a, const GraphWait& b) const { return a.event < b.event; }
  };

  PathEnd at_;
  Ticks start_;
  std::vector<GraphWait> moment_;  // those that ended at one moment
  // Those that were visited before it was time for their events.
  std::priority_queue<GraphWait, std::vector<GraphWait>, Earlier> early_;
  std::vector<PathPart> path_;
};

}  // namespace latecomer::causes
