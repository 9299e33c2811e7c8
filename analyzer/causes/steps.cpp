// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/causes/steps.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace latecomer::causes {
namespace {

using trace::kNone;

// Which processes are in which communicator, once asked for; which threads in which team.
class Members {
 public:
  explicit Members(const SyncPoints& points)
      : points_(points),
        definitions_(points.definitions),
        members_(points.definitions.comms.size()) {}
  bool has(std::uint32_t comm, std::uint32_t location) {
    if (comm == kEverybody) return true;
    if (comm >= kFirstTeam) return std::ranges::binary_search(points_.team(comm), location);
    auto& members = members_[comm];
    if (members.empty()) {
      members.resize(definitions_.processes.size());
      for (const auto rank : definitions_.comms[comm].members) {
        if (rank < members.size()) members[rank] = true;  // others are not defined
      }
    }
    return members[definitions_.locations[location].process];
  }

 private:
  const SyncPoints& points_;
  const trace::Definitions& definitions_;
  std::vector<std::vector<bool>> members_;  // per communicator and process
};

// The last point with a partner.
struct Last {
  std::uint32_t point = kNone;
  std::uint32_t own = kNone;  // the last one that the base knows on this side
  void take(const Last& other) {
    if (other.point != kNone && (point == kNone || other.point > point)) point = other.point;
    if (other.own != kNone && (own == kNone || other.own > own)) own = other.own;
  }
};

}  // namespace

// One walk over the points of each location.
void find_steps(const SyncPoints& all, Waits& waits) {
  Members members(all);
  std::vector<Last> pairs(all.definitions.locations.size());  // by partner
  std::vector<std::pair<std::uint32_t, Last>> meetings;       // by communicator
  std::uint32_t location = kNone, next = 0;
  // Who meets on a file or a window meets on its communicator: there may be many of them.
  const auto& comms = all.definitions.comms;
  const auto meeting_of = [&](std::uint32_t comm) -> Last& {
    if (comm < comms.size() && comms[comm].original != kNone) comm = comms[comm].original;
    const auto found = std::ranges::find(meetings, comm, [](const auto& m) { return m.first; });
    return (found == meetings.end() ? meetings.emplace_back(comm, Last{}) : *found).second;
  };
  const auto find = [&](Wait& wait) {
    if (!wait.costs || wait.cause_location == kNone) return;
    if (wait.location != location) {
      location = wait.location;
      next = 0;
      std::ranges::fill(pairs, Last{});
      meetings.clear();
    }
    const auto points = all.of(location);
    for (; next < points.size() && points[next].call < wait.call; ++next) {
      const auto& point = points[next];
      if (point.partner == kNone) continue;
      const bool met = point.role == SyncPoint::Role::kMeeting;
      Last& last = met ? meeting_of(point.partner) : pairs[point.partner];
      last.point = next;
      // The base forgets to tell the last sender of an N-to-1 operation.
      const bool forgotten = all.compatible() && point.role == SyncPoint::Role::kCauser &&
                             point.kind == WaitKind::kEarlyReduce;
      if (!forgotten) last.own = next;
    }
    // Threads of a process do not meet each other in operations of MPI.
    const bool threads = patterns::is_of_threads(wait.kind);
    Last best = pairs[wait.cause_location];
    for (const auto& [comm, last] : meetings) {
      if (threads && (comm < kFirstTeam || comm == kEverybody)) continue;
      if (last.point != kNone && members.has(comm, wait.cause_location)) best.take(last);
    }
    wait.step = best.own == kNone ? kNone : best.point;
    wait.own_step = best.own;
    if (threads && best.own == kNone) wait.step = wait.own_step = kBeginning;
  };
  for (std::size_t w = 0; w < waits.size(); ++w) waits.change(w, find);
}

}  // namespace latecomer::causes
