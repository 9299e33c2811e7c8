// SPDX-License-Identifier: BSD-3-Clause
// The steps of the critical path that need more than the next wait in order.
#include "analyzer/causes/critical_path_walk.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace latecomer::causes {

void CriticalPath::follow_early(Ticks after) {
  for (; !early_.empty() && early_.top().event > after; early_.pop()) visit_in_order(early_.top());
}

// Several waits may end at one moment, and the path may change its location several times there. No
// wait is followed twice, so the loop ends.
void CriticalPath::follow_moment() {
  while (!done()) {
    auto next = moment_.end();
    for (auto w = moment_.begin(); w != moment_.end(); ++w) {
      if (!leads_on(*w)) continue;
      if (next == moment_.end() ||
          std::tie(w->call, w->cause_location) > std::tie(next->call, next->cause_location)) {
        next = w;
      }
    }
    if (next == moment_.end()) break;
    const End& end = *next;
    const Ticks event = std::max(start_, end.event);
    if (event < at_.time) path_.push_back({at_.location, event, at_.time});
    at_ = {end.cause_location, end.cause_call, end.event};
    moment_.erase(next);
  }
  moment_.clear();
}

std::vector<PathPart> CriticalPath::take() {
  follow_early(INT64_MIN);
  follow_moment();
  if (!done()) path_.push_back({at_.location, start_, at_.time});
  return std::move(path_);
}

}  // namespace latecomer::causes
