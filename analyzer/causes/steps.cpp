// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/steps.hpp"

#include <algorithm>

namespace latecomer::causes {

using trace::kNone;

// Of a communicator, or of a team of threads.
bool Steps::is_member(std::uint32_t comm, std::uint32_t location) {
  if (comm == kEverybody) return true;
  if (comm >= kFirstTeam) return std::ranges::binary_search(points_.team(comm), location);
  const auto& definitions = points_.definitions;
  auto& members = members_[comm];
  if (members.empty()) {
    members.resize(definitions.processes.size());
    for (const auto rank : definitions.comms[comm].members) {
      if (rank < members.size()) members[rank] = true;  // others are not defined
    }
  }
  return members[definitions.locations[location].process];
}

// Who meets on a file or a window meets on its communicator: there may be many of them.
Steps::Last& Steps::meeting_of(std::uint32_t comm) {
  if (comm == met_on_) return meetings_[met_].second;
  met_on_ = comm;
  const auto& comms = points_.definitions.comms;
  if (comm < comms.size() && comms[comm].original != kNone) comm = comms[comm].original;
  const auto found = std::ranges::find(meetings_, comm, [](const auto& m) { return m.first; });
  met_ = static_cast<std::size_t>(found - meetings_.begin());
  if (found == meetings_.end()) meetings_.emplace_back(comm, Last{});
  return meetings_[met_].second;
}

void Steps::find(Wait& wait) {
  if (!wait.costs || wait.cause_location == kNone) return;
  if (wait.location != location_) {
    location_ = wait.location;
    next_ = 0;
    std::ranges::fill(pairs_, Last{});
    meetings_.clear();
    met_on_ = kNone;
  }
  const auto points = points_.of(location_);
  for (; next_ < points.size() && points[next_].call < wait.call; ++next_) {
    const auto& point = points[next_];
    if (point.partner == kNone) continue;
    const bool met = point.role == SyncPoint::Role::kMeeting;
    Last& last = met ? meeting_of(point.partner) : pairs_[point.partner];
    last.point = next_;
    // The base forgets to tell the last sender of an N-to-1 operation.
    const bool forgotten = points_.compatible() && point.role == SyncPoint::Role::kCauser &&
                           point.kind == WaitKind::kEarlyReduce;
    if (!forgotten) last.own = next_;
  }
  // Threads of a process do not meet each other in operations of MPI.
  const bool threads = patterns::is_of_threads(wait.kind);
  Last best = pairs_[wait.cause_location];
  for (const auto& [comm, last] : meetings_) {
    if (threads && (comm < kFirstTeam || comm == kEverybody)) continue;
    if (last.point != kNone && is_member(comm, wait.cause_location)) best.take(last);
  }
  wait.step = best.own == kNone ? kNone : best.point;
  wait.own_step = best.own;
  if (threads && best.own == kNone) wait.step = wait.own_step = kBeginning;
}

}  // namespace latecomer::causes
