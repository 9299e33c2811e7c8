// SPDX-License-Identifier: BSD-3-Clause
// Finds the last common point of a waiter and its cause during the walk along a location.
#include "analyzer/causes/steps.hpp"

#include <algorithm>

namespace latecomer::causes {

using trace::kNone;

// True if the location is a member of a communicator or of a team of threads.
inline bool Steps::is_member(std::uint32_t comm, std::uint32_t location) {
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

void Steps::begin() {
  std::ranges::fill(pairs_, Last{});
  met_.clear();
  met_on_ = kNone;
}

// Meetings on a file or a window count for its communicator. There may be many files and windows.
void Steps::meet(std::uint32_t comm, std::uint32_t point) {
  met_on_ = comm;
  const auto& comms = points_.definitions.comms;
  if (comm < comms.size() && comms[comm].original != kNone) comm = comms[comm].original;
  auto found = std::ranges::find(met_, comm, &Met::comm);
  if (found == met_.end()) found = met_.insert(found, Met{comm});
  std::rotate(met_.begin(), found, found + 1);
  met_.front().point = point;
}

void Steps::pass(std::uint32_t number, const SyncPoint& point) {
  if (point.partner == kNone) return;
  if (point.role == SyncPoint::Role::kMeeting) {
    if (point.partner != met_on_) return meet(point.partner, number);
    met_.front().point = number;
    return;
  }
  Last& last = pairs_[point.partner];
  last.point = number;
  // Scalasca does not inform the last sender of an N-to-1 operation.
  const bool forgotten = points_.compatible() && point.role == SyncPoint::Role::kCauser &&
                         point.kind == WaitKind::kEarlyReduce;
  if (!forgotten) last.own = number;
}

Steps::Found Steps::find(WaitKind kind, std::uint32_t cause_location) {
  // Threads of a process do not meet each other in operations of MPI.
  const bool threads = patterns::is_of_threads(kind);
  auto [point, own] = pairs_[cause_location];
  for (const Met& met : met_) {
    if (own != kNone && met.point < own) break;
    if (threads && (met.comm < kFirstTeam || met.comm == kEverybody)) continue;
    if (!is_member(met.comm, cause_location)) continue;
    own = met.point;
    if (point == kNone || point < own) point = own;
    break;
  }
  if (own != kNone) return {point, own};
  return threads ? Found{kBeginning, kBeginning} : Found{};
}

}  // namespace latecomer::causes
