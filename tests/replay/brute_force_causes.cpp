// SPDX-License-Identifier: BSD-3-Clause
// Brute-force computation of the causes of waits. Source of the definitions: Boehme et al.,
// "Identifying the root causes of wait states in large-scale parallel applications" (ACM TOPC 3(2),
// 2016).
#include "tests/replay/brute_force_causes.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

namespace latecomer::test {

using causes::SyncPoint;
using causes::Wait;
using patterns::index_of;
using patterns::WaitKind;
using trace::kNone;
using Role = SyncPoint::Role;

BruteForceCauses::BruteForceCauses(const replay::Booking& booking, const causes::SyncPoints& points,
                                   const replay::RunLimits& limits)
    : booking_(booking), points_(points), explained_(points.waits().size()) {
  for (std::size_t w = 0; w < explained_.size(); ++w) explain(w);
  hand_on();
  walk_path(limits);
}

// Number of the location's first point in this call or a later one.
std::uint32_t BruteForceCauses::first_of_call(std::uint32_t location, std::uint32_t call) const {
  const auto points = points_.of(location);
  const auto found = std::ranges::find_if(points, [&](const auto& p) { return p.call >= call; });
  return static_cast<std::uint32_t>(found - points.begin());
}

// Time at which the location continued on its own after a synchronization point.
BruteForceCauses::Ticks BruteForceCauses::end_of(std::uint32_t location,
                                                 std::uint32_t point) const {
  const auto& p = points_.of(location)[point];
  const auto& call = points_.mine[location].calls[p.call];
  // A thread is on its way from the fork into the region.
  if (p.kind == WaitKind::kIdleThread && p.over < call.enter) return call.enter;
  return std::min(p.over, call.leave);
}

// Idle threads belong to no call path.
std::uint32_t BruteForceCauses::path_of(std::uint32_t location, const SyncPoint& p) const {
  const auto node = p.kind == WaitKind::kIdleThread ? 0 : points_.mine[location].calls[p.call].node;
  return booking_.tree.from_local[node];
}

// Adds the exclusive times of the call paths that the location was in between two times.
void BruteForceCauses::add_span(std::uint32_t location, Ticks from, Ticks to, Times& times) const {
  const auto& events = points_.mine[location];
  Ticks begin = events.first;
  std::uint32_t node = 0;
  events.timeline.for_each([&](Ticks end, std::uint32_t next) {
    const Ticks both = std::min(end, to) - std::max(begin, from);
    if (both > 0) times[booking_.tree.from_local[node]] += both;
    begin = end;
    node = next;
  });
}

// Time per call path that a location spent itself. It is counted from the end of the point `from`
// to the time `to`, before the point `last`. `first` becomes the first point that lies in between.
BruteForceCauses::Times BruteForceCauses::own_times(std::uint32_t location, std::uint32_t from,
                                                    std::uint32_t last, Ticks to,
                                                    std::uint32_t& first) const {
  const auto points = points_.of(location);
  const auto& events = points_.mine[location];
  const auto& call = events.calls[points[from].call];
  Times times;
  add_span(location, end_of(location, from), to, times);
  if (points[from].over > call.leave) {
    times[booking_.tree.from_local[call.node]] -= points[from].over - call.leave;
  }
  if (points[from].kind == WaitKind::kIdleThread && points[from].over < call.enter) {
    times[booking_.tree.from_local[call.node]] += call.enter - points[from].over;
  }
  first = from + 1;
  while (first < last && points[first].call == points[from].call &&
         !causes::goes_on_waiting(points[from], points[first])) {
    ++first;
  }
  for (auto i = first; i < last; ++i) times[path_of(location, points[i])] -= points[i].wait;
  return times;
}

// The times of own_times, but counted from a time instead of a point.
BruteForceCauses::Times BruteForceCauses::own_times_since(std::uint32_t location, Ticks from,
                                                          std::uint32_t last, Ticks to,
                                                          std::uint32_t& first) const {
  const auto points = points_.of(location);
  Times times;
  add_span(location, from, to, times);
  first = 0;
  while (first < last && points_.mine[location].calls[points[first].call].enter < from) ++first;
  for (auto i = first; i < last; ++i) times[path_of(location, points[i])] -= points[i].wait;
  return times;
}

// Explains a wait in three steps: finds the last point that waiter and cause have in common, adds
// up what each did since then, and keeps what the cause did longer.
void BruteForceCauses::explain(std::size_t w) {
  const Wait& wait = points_.waits()[w];
  const std::uint32_t cause = wait.cause_location;
  if (!wait.costs || cause == kNone) return;
  const auto mine = points_.of(wait.location);
  const auto theirs = points_.of(cause);
  const auto last_mine = first_of_call(wait.location, wait.call);
  const auto last_theirs = first_of_call(cause, wait.cause_call);
  const bool threads = patterns::is_of_threads(wait.kind);
  // True if the cause belongs to the communicator or team `comm`.
  const auto member = [&](std::uint32_t comm) {
    if (comm == causes::kEverybody) return !threads;
    if (comm >= causes::kFirstTeam) {
      const auto& team = points_.team(comm);
      return std::ranges::find(team, cause) != team.end();
    }
    if (threads) return false;
    const auto& members = points_.definitions.comms[comm].members;
    const auto process = points_.definitions.locations[cause].process;
    return std::ranges::find(members, process) != members.end();
  };
  // The last point of the waiter that the cause shares.
  std::uint32_t own = last_mine, other = kNone;
  while (own-- > 0) {
    const auto& p = mine[own];
    if (p.role == Role::kMeeting ? p.partner != kNone && member(p.partner) : p.partner == cause) {
      break;
    }
  }
  Explained& e = explained_[w];
  Times did, waiter;
  std::uint32_t unused = 0;
  if (own == kNone) {
    if (!threads) return;
    // Threads of one process are compared from the time when both existed. An idle thread does
    // nothing from then on.
    const bool idle = wait.kind == WaitKind::kIdleThread;
    const Ticks begin =
        idle ? std::max(points_.mine[cause].first, wait.begin)
             : std::max(points_.mine[cause].first, points_.mine[wait.location].first);
    if (begin > wait.event) return;
    did = own_times_since(cause, begin, last_theirs, wait.event, e.first);
    if (!idle) waiter = own_times_since(wait.location, begin, last_mine, wait.begin, unused);
    compare(w, did, waiter, last_theirs);
    return divide(w, waiter, without_core(cause, begin, wait.event),
                  without_core(wait.location, idle ? wait.begin : begin, wait.begin));
  }
  // This is the point of the cause that corresponds to the common point: the same collective
  // operation, or the other end of the same message.
  for (std::uint32_t i = 0; i < last_theirs; ++i) {
    const auto& p = theirs[i];
    const bool same =
        mine[own].role == Role::kMeeting
            ? p.role == Role::kMeeting && p.partner == mine[own].partner && p.key == mine[own].key
            : p.role != Role::kMeeting && p.role != mine[own].role && p.kind == mine[own].kind &&
                  p.partner == wait.location && p.call == mine[own].key;
    if (same) other = i;
  }
  if (other == kNone) return;
  // The message had arrived before the two locations were last in step.
  if (end_of(cause, other) > wait.event) return;
  did = own_times(cause, other, last_theirs, wait.event, e.first);
  waiter = own_times(wait.location, own, last_mine, wait.begin, unused);
  compare(w, did, waiter, last_theirs);
  divide(w, waiter, without_core(cause, end_of(cause, other), wait.event),
         without_core(wait.location, end_of(wait.location, own), wait.begin));
  // The two locations have counted from the same moment, and the wait came after that and ended
  // with the event. A wait in a barrier may consist of parts, with tasks in between. A thread that
  // was in no team any more has no times.
  const bool all =
      end_of(cause, other) <= end_of(wait.location, own) && wait.event - wait.begin == wait.wait &&
      (!threads ||
       (end_of(wait.location, own) <= wait.begin && points_.mine[cause].last >= wait.event));
  if (all && e.sum < wait.wait) unexplained += wait.wait - e.sum;
}

// Keeps what the cause did longer than the waiter, by call path. The cause's own waits in that time
// count as well; their costs are passed on.
void BruteForceCauses::compare(std::size_t w, const Times& did, Times& waiter,
                               std::uint32_t last_theirs) {
  const Wait& wait = points_.waits()[w];
  const auto theirs = points_.of(wait.cause_location);
  Explained& e = explained_[w];
  waiter[booking_.tree.from_local[points_.mine[wait.location].calls[wait.call].node]] -=
      wait.polled;
  e.last = last_theirs;
  for (auto i = e.first; i < e.last; ++i) e.waits += theirs[i].wait;
  e.sum = e.waits;
  for (const auto& [path, time] : did) {
    const Ticks longer = time - waiter[path];
    if (longer <= 0) continue;
    e.excess[path] = longer;
    e.sum += longer;
  }
}

BruteForceCauses::WithoutCore BruteForceCauses::without_core(std::uint32_t location, Ticks from,
                                                             Ticks to) const {
  WithoutCore out;
  for (const auto& one : points_.mine[location].stretches) {
    if (one.time <= from || one.time > to) continue;
    const auto node = booking_.tree.from_local[one.node];
    if (one.counter == trace::StretchCounter::kPreempted) out.preempted[node] += one.value;
    if (one.counter == trace::StretchCounter::kBlocked) out.blocked[node] += one.value;
  }
  return out;
}

// Divides each excess in proportion to what was longer on the cause: without a core, blocked, and
// all other time.
void BruteForceCauses::divide(std::size_t w, Times& waiter, WithoutCore cause, WithoutCore own) {
  Explained& e = explained_[w];
  for (const auto& [path, time] : e.excess) {
    const Ticks of_waiter = std::max<Ticks>(0, waiter[path]), of_cause = of_waiter + time;
    const Ticks preempted = std::min(cause.preempted[path], of_cause);
    const Ticks blocked = std::min(cause.blocked[path], of_cause - preempted);
    const Ticks own_preempted = std::min(own.preempted[path], of_waiter);
    const Ticks own_blocked = std::min(own.blocked[path], of_waiter - own_preempted);
    const auto longer = [](Ticks a, Ticks b) {
      return static_cast<long double>(std::max<Ticks>(0, a - b));
    };
    const auto p = longer(preempted, own_preempted), b = longer(blocked, own_blocked),
               on = longer(of_cause - preempted - blocked, of_waiter - own_preempted - own_blocked);
    e.preempted[path] = time * p / (p + b + on);
    e.blocked[path] = time * b / (p + b + on);
  }
}

// The waits are visited from the latest to the first. The costs of each one go to what its cause
// did and to the waits of its cause.
void BruteForceCauses::hand_on() {
  const auto& waits = points_.waits();
  std::vector<std::size_t> order(waits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](std::size_t a, std::size_t b) {
    const auto& x = waits[a];
    const auto& y = waits[b];
    return std::tuple(x.when(), x.leave, x.location, x.point, x.cause_location) >
           std::tuple(y.when(), y.leave, y.location, y.point, y.cause_location);
  });
  const auto path_of = [&](const Wait& wait) {
    return booking_.tree.from_local[points_.mine[wait.location].calls[wait.call].node];
  };
  const auto add = [](Cells& cells, std::size_t kind, std::uint32_t location, std::uint32_t path,
                      long double time) {
    auto& value = cells[{kind, location, path}];
    value.time += time;
    ++value.parts;
  };
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Wait& wait = waits[order[i]];
    if (!wait.costs) continue;
    auto& e = explained_[order[i]];
    const auto k = index_of(wait.kind);
    // The loop visits the later waits whose cause waited here. `led_on` becomes the largest part of
    // this wait that made one of them wait.
    long double led_on = 0;
    for (std::size_t j = 0; j < i; ++j) {
      const Wait& later = waits[order[j]];
      const auto& l = explained_[order[j]];
      if (!later.costs || later.cause_location != wait.location || l.sum <= 0 || l.waits <= 0 ||
          wait.point < l.first || wait.point >= l.last) {
        continue;
      }
      const auto share = static_cast<long double>(wait.wait) / l.sum;
      const Ticks explained = std::min(later.wait, l.sum);
      led_on = std::max(led_on, share * explained);
      e.carried[index_of(later.kind)] += share * explained;
      for (std::size_t c = 0; c < e.carried.size(); ++c) e.carried[c] += share * l.carried[c];
    }
    if (wait.known) add(propagating, k, wait.location, path_of(wait), led_on);
    if (e.sum <= 0) continue;
    const auto explained = static_cast<long double>(std::min(wait.wait, e.sum));
    add(indirect, k, wait.location, path_of(wait), explained * e.waits / e.sum);
    for (const auto& [path, time] : e.excess) {
      const auto share = static_cast<long double>(time) / e.sum;
      add(short_term, k, wait.cause_location, path, share * explained);
      for (std::size_t c = 0; c < e.carried.size(); ++c) {
        if (e.carried[c] > 0) add(long_term, c, wait.cause_location, path, share * e.carried[c]);
      }
      const auto cost = std::accumulate(e.carried.begin(), e.carried.end(), explained) /
                        static_cast<long double>(e.sum);
      add(preempted, 0, wait.cause_location, path, cost * e.preempted[path]);
      add(blocked, 0, wait.cause_location, path, cost * e.blocked[path]);
    }
  }
}

// The path is followed backwards from the end: to the last wait before, then on with the location
// that ended it.
void BruteForceCauses::walk_path(const replay::RunLimits& limits) {
  causes::PathEnd at = limits.end;
  while (at.time > limits.start) {
    std::optional<Wait> last;
    for (const Wait& wait : points_.waits()) {
      if (!wait.path || wait.location != at.location || wait.call >= at.call ||
          wait.event > at.time) {
        continue;
      }
      const auto order = [](const Wait& w) { return std::tie(w.event, w.call, w.cause_location); };
      if (!last || order(*last) < order(wait)) last = wait;
    }
    const Ticks from = !last ? limits.start : std::max(limits.start, last->event);
    Times times;
    // A path that leads to a fork begins on the way into the parallel region.
    Ticks inside = from;
    for (const auto& p : points_.of(at.location)) {
      const auto& call = points_.mine[at.location].calls[p.call];
      if (call.enter <= from) continue;
      if (p.kind == WaitKind::kIdleThread && p.over <= from) {
        inside = std::min(call.enter, at.time);
        times[booking_.tree.from_local[call.node]] += inside - from;
      }
      break;
    }
    add_span(at.location, inside, at.time, times);
    for (const auto& [path_node, time] : times) {
      auto& value = path[{0, at.location, path_node}];
      value.time += static_cast<long double>(time);
    }
    if (!last) break;
    at = {last->cause_location, last->cause_call, last->event};
  }
}

}  // namespace latecomer::test
