// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/critical_path.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace latecomer::causes {

void CriticalPath::visit(const GraphWait& wait) {
  if (!wait.path || done()) return;
  if (wait.seen_late) return early_.push(wait);
  follow_early(wait.event);
  visit_in_order(wait);
}

void CriticalPath::follow_early(Ticks after) {
  for (; !early_.empty() && early_.top().event > after; early_.pop()) visit_in_order(early_.top());
}

void CriticalPath::visit_in_order(const GraphWait& wait) {
  if (!moment_.empty() && moment_.front().event != wait.event) follow_moment();
  moment_.push_back(wait);
}

// At one moment the path may change its location several times. No wait is followed twice, so it
// ends.
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
    const GraphWait& wait = *next;
    const Ticks event = std::max(start_, wait.event);
    if (event < at_.time) path_.push_back({at_.location, event, at_.time});
    at_ = {wait.cause_location, wait.cause_call, wait.event};
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
