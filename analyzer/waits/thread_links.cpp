// SPDX-License-Identifier: BSD-3-Clause
// Makes sync points and waits for forks, barriers and locks of threads.
#include "analyzer/waits/thread_links.hpp"

#include <algorithm>
#include <ranges>

namespace latecomer::replay {

using causes::SyncPoint;
using patterns::WaitKind;
using trace::kNone;
using trace::Ticks;
using Role = SyncPoint::Role;

namespace {

// Sorted ids, as SyncPoints needs them.
template <typename Members, typename Id>
std::vector<std::uint32_t> ids_of(const Members& members, Id&& id) {
  std::vector<std::uint32_t> ids;
  for (const auto& member : members) ids.push_back(id(member));
  std::ranges::sort(ids);
  return ids;
}

}  // namespace

void ThreadLinks::fork(std::span<const Forked> team, std::size_t maker, Ticks time) {
  const Forked& master = team[maker];
  const auto [partner, key] =
      points_.next_meeting(ids_of(team, [&](const Forked& one) { return id(one.location); }));
  // Scalasca charges all that the master did since its last fork or barrier.
  const Ticks since = std::max(since_[master.location], points_.mine[master.location].first);
  for (const Forked& one : team) {
    const bool idle = one.idle_since < one.idle_until && &one != &master;
    Ticks from = idle ? one.idle_since : time, to = idle ? one.idle_until : time;
    if (idle && points_.compatible() && since < time) from = since, to = time;
    points_.add_meeting(one.location,
                        {one.call, partner, key, Role::kMeeting, WaitKind::kIdleThread, to - from,
                         std::min(time, call(one.location, one.call).enter)});
    since_[one.location] = time;
    if (&one == &master) continue;
    points_.add_wait({.location = static_cast<std::uint32_t>(one.location),
                      .call = one.call,
                      .cause_location = id(master.location),
                      .cause_call = master.call,
                      .kind = WaitKind::kIdleThread,
                      .costs = idle,
                      .wait = to - from,
                      .begin = from,
                      .event = to,
                      .leave = to});
  }
}

void ThreadLinks::rest(std::size_t location, std::size_t master, Ticks since, Ticks until) {
  const auto place = points_.mine[location].rest;
  points_.add_meeting(location, {place, kNone, kNone, Role::kWaiter, WaitKind::kIdleThread,
                                 until - since, call(location, place).leave});
  points_.add_wait({.location = static_cast<std::uint32_t>(location),
                    .call = place,
                    .cause_location = id(master),
                    .cause_call = static_cast<std::uint32_t>(points_.mine[master].calls.size()),
                    .kind = WaitKind::kIdleThread,
                    .path = false,
                    .wait = until - since,
                    .begin = since,
                    .event = until,
                    .leave = until});
}

// True if the thread makes calls in the barrier, in tasks. A wait there may come before or after
// the last thread arrives.
bool ThreadLinks::executes_calls(const AtBarrier& member) const {
  return executes_calls_before(member, call(member.location, member.call).leave);
}

bool ThreadLinks::executes_calls_before(const AtBarrier& member, Ticks time) const {
  const auto& calls = points_.mine[member.location].calls;
  const auto next = member.call + 1;
  return next < calls.size() && next != points_.mine[member.location].rest && next != member.end &&
         calls[next].enter < std::min(time, calls[member.call].leave);
}

// The last thread to enter is the cause. Threads that made calls in the barrier without a task do
// not meet the others at one moment, so their waits get points of their own.
void ThreadLinks::barrier(std::span<const AtBarrier> team, WaitKind kind) {
  Ticks earliest_leave = INT64_MAX;
  const AtBarrier* last = nullptr;
  for (const auto& one : team) {
    const auto& visit = call(one.location, one.call);
    earliest_leave = std::min(earliest_leave, visit.leave);
    if (last == nullptr || visit.enter > call(last->location, last->call).enter ||
        (visit.enter == call(last->location, last->call).enter && one.location < last->location)) {
      last = &one;
    }
  }
  const Ticks latest = call(last->location, last->call).enter;
  if (team.size() < 2 || earliest_leave < latest) return;
  for (const auto& one : team) since_[one.location] = earliest_leave;
  const bool may_have_tasks =
      std::ranges::all_of(team, [](const auto& one) { return one.end != one.call; });
  if (may_have_tasks &&
      std::ranges::any_of(team, [&](const auto& one) { return executes_calls(one); })) {
    return barrier_with_tasks(team, *last);
  }
  std::vector<AtBarrier> together;
  for (const auto& one : team) {
    if (!executes_calls(one)) together.push_back(one);
  }
  causes::SyncPoints::Meeting meeting;
  if (!together.empty()) {
    meeting =
        points_.next_meeting(ids_of(together, [&](const auto& one) { return id(one.location); }));
  }
  for (const auto& one : team) {
    causes::Wait wait{.location = static_cast<std::uint32_t>(one.location),
                      .call = one.call,
                      .cause_location = id(last->location),
                      .cause_call = last->call,
                      .kind = kind,
                      .wait = one.wait,
                      .begin = call(one.location, one.call).enter,
                      .event = latest};
    if (!executes_calls(one)) {
      points_.add_meeting(one.location, {one.call, meeting.partner, meeting.key, Role::kMeeting,
                                         kind, one.wait, earliest_leave});
      if (one.wait > 0) points_.add_wait(wait);
      continue;
    }
    // The critical path continues at the last thread. The wait is booked as if before the calls.
    if (&one != last) {
      wait.wait = 0;
      wait.costs = false;
      points_.add_wait(wait);
    }
    if (one.wait <= 0) continue;
    points_.add_meeting(one.location, {one.call, kNone, kNone, Role::kWaiter, kind, one.wait,
                                       call(one.location, one.call).leave});
    wait.cause_location = wait.cause_call = kNone;
    wait.wait = one.wait;
    wait.event = wait.begin;
    wait.costs = true;
    wait.path = false;
    points_.add_wait(wait);
  }
}

// The threads meet twice: when the last one has come, and when the last task has ended. A thread
// that executed tasks before the last one came was in calls at that moment, whose waits come
// earlier. So its wait for the last one is booked at the end. Waits are followed in the order of
// their calls. So one at the end counts as if it came after all waits in tasks: both threads are
// compared up to the same moment, whichever that is.
void ThreadLinks::barrier_with_tasks(std::span<const AtBarrier> team, const AtBarrier& last) {
  const Ticks latest = call(last.location, last.call).enter;
  const auto location_of = [&](const AtBarrier& one) { return id(one.location); };
  std::vector<AtBarrier> together;
  for (const auto& one : team) {
    if (!executes_calls_before(one, latest)) together.push_back(one);
  }
  const auto arrival = points_.next_meeting(ids_of(together, location_of));
  const auto end = points_.next_meeting(ids_of(team, location_of));
  for (const auto& one : team) {
    const Ticks leave = call(one.location, one.end).leave;
    causes::Wait wait{.location = static_cast<std::uint32_t>(one.location),
                      .call = one.call,
                      .cause_location = id(last.location),
                      .cause_call = last.call,
                      .kind = WaitKind::kThreadBarrier,
                      .wait = one.wait,
                      .begin = call(one.location, one.call).enter,
                      .event = latest};
    if (!executes_calls_before(one, latest)) {
      points_.add_meeting(one.location, {one.call, arrival.partner, arrival.key, Role::kMeeting,
                                         wait.kind, one.wait, latest});
      if (one.wait > 0) points_.add_wait(wait);
    } else {
      // The critical path goes on at the last thread.
      wait.wait = 0;
      wait.costs = false;
      points_.add_wait(wait);
      if (one.wait > 0) {
        points_.add_meeting(one.location,
                            {one.end, kNone, kNone, Role::kWaiter, wait.kind, one.wait, leave});
        wait.call = one.end;
        wait.wait = one.wait;
        wait.event = std::max(latest, one.calls_until);
        wait.begin = wait.event - one.wait;
        if (wait.event > latest) wait.cause_call = cause_call_at(last, wait.event);
        wait.costs = true;
        wait.path = false;
        points_.add_wait(wait);
      }
    }
    points_.add_meeting(one.location, {one.end, end.partner, end.key, Role::kMeeting,
                                       WaitKind::kTaskStarvation, one.starved, leave});
    if (one.starved <= 0) continue;
    const auto& cause = team[one.starved_for];
    const Ticks event = std::max(one.starved_until, one.calls_until);
    points_.add_wait({.location = static_cast<std::uint32_t>(one.location),
                      .call = one.end,
                      .cause_location = id(cause.location),
                      .cause_call = cause_call_at(cause, event),
                      .kind = WaitKind::kTaskStarvation,
                      .path = event == one.starved_until,
                      .wait = one.starved,
                      .begin = event - one.starved,
                      .event = event,
                      .leave = leave});
  }
}

// The first call of the location whose waits may end at this time or later. Calls are in the order
// of their enters. Waits at the begin of one that contains others have ended when these are
// entered; those at its end belong to the moment at its end.
std::uint32_t ThreadLinks::first_going_on(std::size_t location, Ticks time) const {
  const auto numbers = std::views::iota(
      std::uint32_t{0}, static_cast<std::uint32_t>(points_.mine[location].calls.size()));
  const auto first = std::ranges::lower_bound(
      numbers, time, {}, [&](std::uint32_t number) { return call(location, number).enter; });
  const auto entered = static_cast<std::uint32_t>(first - numbers.begin());
  return entered > 0 && call(location, entered - 1).leave >= time ? entered - 1 : entered;
}

// The call up to which a member of the team makes others wait at this time. Its own waits at the
// end of the barrier are among what it did if all of them had ended.
std::uint32_t ThreadLinks::cause_call_at(const AtBarrier& cause, Ticks time) const {
  if (std::max(cause.starved_until, cause.calls_until) < time) return cause.end + 1;
  return std::min(cause.end, first_going_on(cause.location, time));
}

void ThreadLinks::task_wait(std::size_t location, std::uint32_t call, Ticks wait, Ticks until,
                            std::size_t other, std::uint32_t task) {
  const Ticks leave = this->call(location, call).leave;
  causes::Wait link{.location = static_cast<std::uint32_t>(location),
                    .call = call,
                    .cause_location = id(other),
                    .cause_call = task,
                    .kind = WaitKind::kTaskWait,
                    .wait = wait,
                    .begin = until - wait,
                    .event = until,
                    .leave = leave};
  if (task != kNone) return points_.add_pair(link, causes::CauseIndex::kCall);
  // No call of the other thread is at that moment, so that they are not in step there.
  link.cause_call = first_going_on(other, until);
  points_.add_meeting(location, {call, kNone, kNone, Role::kWaiter, link.kind, wait, leave});
  points_.add_wait(link);
}

void ThreadLinks::lock(bool of_openmp, std::size_t location, std::uint32_t call, Ticks wait,
                       std::size_t holder, std::uint32_t release, std::uint32_t order) {
  // Scalasca does not follow locks.
  if (wait <= 0 || location == holder || points_.compatible()) return;
  const Ticks enter = this->call(location, call).enter;
  // Calls of locks contain other calls, so their ends do not show the order. This end makes later
  // holders come later.
  constexpr Ticks kOrders = Ticks{1} << 32;
  points_.add_pair({.location = static_cast<std::uint32_t>(location),
                    .call = call,
                    .cause_location = id(holder),
                    .cause_call = release,
                    .kind = of_openmp ? WaitKind::kThreadLock : WaitKind::kMutex,
                    .wait = wait,
                    .begin = enter,
                    .event = enter + wait,
                    .leave = enter + wait - kOrders + order},
                   causes::CauseIndex::kCall);
}

void ThreadLinks::wake_up(WaitKind kind, std::size_t location, std::uint32_t call, Ticks wait,
                          std::size_t waker, std::uint32_t event) {
  if (wait <= 0 || location == waker || points_.compatible()) return;
  const Ticks enter = this->call(location, call).enter;
  points_.add_pair({.location = static_cast<std::uint32_t>(location),
                    .call = call,
                    .cause_location = id(waker),
                    .cause_call = event,
                    .kind = kind,
                    .wait = wait,
                    .begin = enter,
                    .event = enter + wait,
                    .leave = enter + wait},
                   causes::CauseIndex::kCall);
}

}  // namespace latecomer::replay
