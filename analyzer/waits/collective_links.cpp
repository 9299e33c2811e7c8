// SPDX-License-Identifier: BSD-3-Clause
// Turns collective operations into sync points and waits for the analysis of causes.
#include "analyzer/waits/collective_links.hpp"

#include <algorithm>

namespace latecomer::replay {

using causes::SyncPoint;
using trace::Ticks;

causes::Wait CollectiveLinks::wait_of(WaitKind kind, const Participant& one, Ticks wait,
                                      const Who& cause) {
  return {.location = static_cast<std::uint32_t>(one.location),
          .call = one.own.call,
          .cause_location = cause.location,
          .cause_call = cause.call,
          .kind = kind,
          .wait = wait,
          .begin = one.own.begin,
          .event = cause.time,
          .leave = one.call.leave};
}

void CollectiveLinks::meet(WaitKind kind, const Participant& one, Ticks wait, Ticks over) {
  points_.add_meeting(one.location, {one.own.call, one.kind.comm, one.own.instance,
                                     SyncPoint::Role::kMeeting, kind, wait, over});
}

// The time from which all participants were on their own: the same moment for all, as SyncPoints
// defines it for pairs.
Ticks CollectiveLinks::all_there(const Participant& one, const Who& last, Ticks earliest_end) {
  return std::min(one.call.leave, std::max(last.time, earliest_end));
}

void CollectiveLinks::meeting(WaitKind kind, const Participant& one, Ticks wait, Ticks completion,
                              const Who& last, Ticks earliest_end) {
  if (one.kind.nonblocking || earliest_end < last.time) return;
  meet(kind, one, wait,
       points_.compatible() ? one.call.leave - completion : all_there(one, last, earliest_end));
  if (wait > 0) points_.add_wait(wait_of(kind, one, wait, last));
}

void CollectiveLinks::pair(WaitKind kind, const Participant& one, Ticks wait, const Who& cause) {
  if (one.kind.nonblocking || wait <= 0) return;
  if (cause.location == one.events.location) return;
  points_.add_pair(wait_of(kind, one, wait, cause), causes::CauseIndex::kCall);
}

void CollectiveLinks::completion(WaitKind kind, const Participant& one, Ticks wait, Ticks polled,
                                 const Who& cause, bool goes_on) {
  if (wait <= 0) return;
  if (cause.call == trace::kNone || cause.location == one.events.location) {
    points_.add_unlinked(kind, static_cast<std::uint32_t>(one.location), one.own.call, wait);
    return;
  }
  auto link = wait_of(kind, one, wait, cause);
  link.begin = one.call.enter;
  link.polled = polled;
  link.path = !goes_on;
  points_.add_pair(link, goes_on ? causes::CauseIndex::kCallOfFirst : causes::CauseIndex::kCall);
}

void CollectiveLinks::last_contribution(const Participant& one, Ticks wait, Ticks polled,
                                        const Who& first, const Who& last) {
  constexpr auto kKind = WaitKind::kLateContributor;
  if (wait <= 0) return;
  if (last.call == trace::kNone || last.location == one.events.location) {
    points_.add_unlinked(kKind, static_cast<std::uint32_t>(one.location), one.own.call, wait);
    return;
  }
  auto link = wait_of(kKind, one, wait, last);
  link.begin = std::max(one.call.enter, first.time);
  link.polled = polled;
  points_.add_pair(link, causes::CauseIndex::kCall);
}

void CollectiveLinks::reduction(const Participant& one, const CollectiveSummary& all, bool is_root,
                                const RootWaits& waits) {
  if (one.kind.nonblocking) return;
  const Ticks wait = waits.first;
  constexpr auto kKind = WaitKind::kEarlyReduce;
  const bool compatible = points_.compatible();
  // If all of them waited for the last one, the reduction is a meeting of all.
  const bool all_met = all.latest.time <= all.earliest_end;
  const Who& last = all_met ? all.latest : all.latest_other_sender;
  const Ticks late = last.time - one.own.begin;
  if (all_met) {
    meet(kKind, one, compatible ? late : wait,
         compatible ? one.call.leave : all_there(one, last, all.earliest_end));
  } else if (!is_root || late <= 0) {
    return;
  }
  auto path = wait_of(kKind, one, late, last);
  path.costs = false;
  if (waits.last > 0) {
    auto rest = wait_of(WaitKind::kLateContributor, one, waits.last, all.latest_other_sender);
    rest.begin = std::max(one.own.begin, all.earliest_other_sender.time);
    points_.add_pair(rest, causes::CauseIndex::kCall);
  } else if (!all_met) {
    path.wait = compatible ? late : 0;
    points_.add_pair(path, causes::CauseIndex::kCall);
  } else if (late > 0) {
    points_.add_wait(path);
  }
  if (wait <= 0 || compatible) return;
  auto costs = wait_of(kKind, one, wait, all.earliest_other_sender);
  costs.path = false;
  if (all_met) {
    points_.add_wait(costs);
  } else {
    points_.add_pair(costs,
                     waits.last > 0 ? causes::CauseIndex::kCallOfFirst : causes::CauseIndex::kCall);
  }
}

}  // namespace latecomer::replay
