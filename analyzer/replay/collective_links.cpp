// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/collective_links.hpp"

namespace latecomer::replay {

using causes::SyncPoint;
using trace::Ticks;

causes::Wait CollectiveLinks::wait_of(WaitKind kind, std::size_t location,
                                      const trace::Collective& own, Ticks wait,
                                      const Who& cause) const {
  return {.location = static_cast<std::uint32_t>(location),
          .call = own.call,
          .cause_location = cause.location,
          .cause_call = cause.call,
          .kind = kind,
          .wait = wait,
          .begin = own.begin,
          .event = cause.time,
          .leave = points_.mine[location].calls[own.call].leave};
}

void CollectiveLinks::meet(WaitKind kind, std::size_t location, const trace::Collective& own,
                           Ticks wait, Ticks completion) {
  const auto& events = points_.mine[location];
  points_.add_meeting(
      location, {own.call, events.kinds[own.kind].comm, own.instance, SyncPoint::Role::kMeeting,
                 kind, wait, events.calls[own.call].leave - completion});
}

void CollectiveLinks::meeting(WaitKind kind, std::size_t location, const trace::Collective& own,
                              Ticks wait, Ticks completion, const Who& last, Ticks earliest_end) {
  if (nonblocking(location, own) || earliest_end < last.time) return;
  meet(kind, location, own, wait, completion);
  if (wait > 0) points_.add_wait(wait_of(kind, location, own, wait, last));
}

void CollectiveLinks::pair(WaitKind kind, std::size_t location, const trace::Collective& own,
                           Ticks wait, const Who& cause) {
  if (nonblocking(location, own) || wait <= 0) return;
  if (cause.location == points_.mine[location].location) return;
  points_.add_pair(wait_of(kind, location, own, wait, cause), causes::CauseIndex::kCall);
}

void CollectiveLinks::completion(WaitKind kind, std::size_t location, const trace::Collective& own,
                                 Ticks wait, Ticks polled, const Who& cause) {
  if (wait <= 0) return;
  if (cause.call == trace::kNone || cause.location == points_.mine[location].location) {
    points_.add_unlinked(kind, static_cast<std::uint32_t>(location), own.call, wait);
    return;
  }
  auto link = wait_of(kind, location, own, wait, cause);
  link.begin = points_.mine[location].calls[own.call].enter;
  link.polled = polled;
  points_.add_pair(link, causes::CauseIndex::kCall);
}

void CollectiveLinks::reduction(std::size_t location, const trace::Collective& own,
                                const CollectiveSummary& all, bool is_root, Ticks wait) {
  if (nonblocking(location, own)) return;
  constexpr auto kKind = WaitKind::kEarlyReduce;
  const bool compatible = points_.compatible();
  // All of them waited for the last one: then it is one meeting of all.
  const bool all_met = all.latest.time <= all.earliest_end;
  const Who& last = all_met ? all.latest : all.latest_other_sender;
  const Ticks late = last.time - own.begin;
  if (all_met) {
    meet(kKind, location, own, compatible ? late : wait, 0);
  } else if (!is_root || late <= 0) {
    return;
  }
  auto path = wait_of(kKind, location, own, late, last);
  path.costs = false;
  if (!all_met) {
    path.wait = compatible ? late : 0;
    points_.add_pair(path, causes::CauseIndex::kCall);
  } else if (late > 0) {
    points_.add_wait(path);
  }
  if (wait <= 0 || compatible) return;
  auto costs = wait_of(kKind, location, own, wait, all.earliest_other_sender);
  costs.path = false;
  if (all_met) {
    points_.add_wait(costs);
  } else {
    points_.add_pair(costs, causes::CauseIndex::kCall);
  }
}

}  // namespace latecomer::replay
