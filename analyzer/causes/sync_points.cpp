// SPDX-License-Identifier: BSD-3-Clause
// Waiters know their causers at once; causers learn of their waiters in an exchange.
#include "analyzer/causes/sync_points.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "analyzer/causes/number_waits.hpp"
#include "analyzer/memory/sort_by_key.hpp"

namespace latecomer::causes {

using Role = SyncPoint::Role;

SyncPoints::SyncPoints(const trace::Definitions& definitions,
                       const std::vector<trace::LocationEvents>& mine, std::vector<int> hosts,
                       bool scalasca_compatible)
    : definitions(definitions),
      mine(mine),
      compatible_(scalasca_compatible),
      hosts_(std::move(hosts)),
      hosted_(definitions.locations.size(), trace::kNone),
      added_(mine.size()),
      first_(mine.size() + 1),
      waiters_(mine.size()),
      causers_(definitions.locations.size()),
      without_point_(mine.size()),
      without_partner_(mine.size()) {
  for (std::uint32_t l = 0; l < mine.size(); ++l) hosted_[mine[l].location] = l;
}

void SyncPoints::add_wait_for(WaitKind kind, std::uint32_t location, std::uint32_t call, Ticks wait,
                              const WindowCause& cause) {
  if (wait <= 0) return;
  if (cause.location == mine[location].location) return add_unlinked(kind, location, call, wait);
  add_pair({.location = location,
            .call = call,
            .cause_location = cause.location,
            .cause_call = cause.event,
            .kind = kind,
            .wait = wait,
            .begin = mine[location].calls[call].enter,
            .event = cause.time},
           CauseIndex::kWindowEvent);
}

void SyncPoints::add_unlinked(WaitKind kind, std::uint32_t location, std::uint32_t call,
                              Ticks wait) {
  const Ticks enter = mine[location].calls[call].enter;
  ++waiters_[location];
  waits_.add({.location = location,
              .call = call,
              .kind = kind,
              .path = false,
              .wait = wait,
              .begin = enter,
              .event = enter + wait,
              .point = kToBeMade});
}

SyncPoints::Meeting SyncPoints::next_meeting(const std::vector<std::uint32_t>& locations) {
  const auto next = static_cast<std::uint32_t>(teams_.size());
  const auto number = team_numbers_.try_emplace(locations, next).first->second;
  if (number == next) teams_.push_back({locations});
  return {kFirstTeam + number, teams_[number].meetings++};
}

// Counts the points to come and reserves their room: those that exist, those that waits make here
// and on other processes, and those that may be added in calls without partner.
void SyncPoints::make_room(parallel::Processes& processes) {
  struct Count {
    std::uint32_t location = 0;
    std::uint64_t causers = 0;
  };
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes.size()));
  for (std::uint32_t l = 0; l < causers_.size(); ++l) {
    if (causers_[l] > 0) packs[static_cast<std::size_t>(hosts_[l])].put(Count{l, causers_[l]});
  }
  std::vector<std::size_t> room = waiters_;
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto count = in.get<Count>();
      room[hosted_[count.location]] += count.causers;
    }
  }
  for (std::size_t l = 0; l < mine.size(); ++l) {
    auto& calls = without_partner_[l];
    std::ranges::sort(calls);
    calls.erase(std::ranges::unique(calls).begin(), calls.end());
    first_[l + 1] = first_[l] + room[l] + added_[l].size() + calls.size();
  }
  last_.assign(first_.begin(), first_.end() - 1);
  points_.resize(first_.back());
  for (std::size_t l = 0; l < mine.size(); ++l) {
    const auto added = std::exchange(added_[l], {});
    for (const SyncPoint& point : added) put(l, point);
  }
}

// Two partners are in step at one moment on both sides: when the first of the two calls ends, or
// when the event that was waited for happened. The rest of the other call counts as time of its
// location. Suppose that each side began at the end of its own call instead. The time between the
// two ends would then belong to no location, and a wait for it would have no cause:
//
//   rank 0   0 send to 1 ............... 9   posts a receive at 9
//   rank 1   0 receive 4   5 send to 0, waits from 5 to 9
//   in step at 4: rank 0 spent 5 in its send, rank 1 computed 1. Five explain a wait of four.
//
// A location that goes on waiting in its call is in step with the first one it waited for when that
// wait ends. What it waits then is a wait after this moment.
//
// With one moment, excess and waits of a cause are at least as long as the wait. Let d and w be
// what cause and waiter did from then on, per call path, and v and u their waits. Both end at the
// event, so sum(d) + v = sum(w) + u + wait. Therefore sum(max(0, d - w)) + v >= wait + u >= wait.
Ticks SyncPoints::in_step(const Notice& notice, Ticks enter, Ticks leave) const {
  const Ticks first = std::min(leave, notice.leave);
  if (notice.tell == CauseIndex::kCallOfFirst) return std::max(enter, notice.end);
  if (patterns::is_of_threads(notice.kind)) return leave;
  if (notice.kind == WaitKind::kLateReceiver && compatible_) return first;
  if (notice.kind == WaitKind::kLateSender) return std::max(enter, first);
  return compatible_ ? leave : std::min(leave, std::max({enter, notice.end, first}));
}

SyncPoints::Answer SyncPoints::tell(const Notice& notice) {
  const auto location = hosted_[notice.cause_location];
  const auto& events = mine[location];
  std::uint32_t number = notice.cause_call;
  if (notice.tell == CauseIndex::kSend) number = events.sends[number].call;
  if (notice.tell == CauseIndex::kWindowEvent) number = events.window_events[number].call;
  const trace::Call call = events.calls[number];
  put(location, {number, notice.location, notice.call, Role::kCauser, notice.kind, 0,
                 in_step(notice, call.enter, call.leave)});
  return {number, call.leave};
}

// Sets the end of the waiter's point as in_step() does for the causer.
inline void SyncPoints::settle(std::size_t number, const Wait& wait, SyncPoint& point,
                               const Answer& answer) {
  waits_.set_cause_call(number, answer.call);
  point.key = answer.call;
  const Ticks enter = mine[wait.location].calls[wait.call].enter;
  if (wait.kind == WaitKind::kLateSender) {
    // A message that was polled for may have been sent before the poll that noticed it.
    point.over = std::max(enter, std::min(point.over, answer.leave));
  } else if (wait.tell == CauseIndex::kCallOfFirst) {
    point.over = std::max(enter, wait.end());
  } else if (!compatible_) {
    point.over = std::max({enter, wait.end(), std::min(point.over, answer.leave)});
  } else if (wait.kind == WaitKind::kLateReceiver) {
    point.over = std::max(point.over, answer.leave);
  }
}

// Prefetches what the waits after this one need: their calls, and for tell() the calls of causes
// that are hosted here.
inline void SyncPoints::prefetch_cause(std::size_t wait, int rank) const {
  if (wait + memory::kAhead >= waits_.size()) return;
  const Wait far = waits_.added(wait + memory::kAhead),
             near = waits_.added(wait + memory::kAhead / 2);
  mine[far.location].calls.prefetch(far.call);
  if (far.tell != CauseIndex::kNone && hosts_[far.cause_location] == rank) {
    const auto& events = mine[hosted_[far.cause_location]];
    if (far.tell == CauseIndex::kSend) events.sends.prefetch(far.cause_call);
    if (far.tell == CauseIndex::kCall || far.tell == CauseIndex::kCallOfFirst) {
      events.calls.prefetch(far.cause_call);
    }
  }
  if (near.tell == CauseIndex::kSend && hosts_[near.cause_location] == rank) {
    const auto& events = mine[hosted_[near.cause_location]];
    events.calls.prefetch(events.sends[near.cause_call].call);
  }
}

// Makes both points of each pair, in rounds of bounded size.
void SyncPoints::make_points(parallel::Processes& processes) {
  constexpr std::size_t kRound = std::size_t{1} << 14;  // waits of a process
  const auto n = static_cast<std::size_t>(processes.size());
  const std::int64_t rounds =
      processes.max(static_cast<std::int64_t>((waits_.size() + kRound - 1) / kRound));
  struct Told {  // a notice sent to another process
    std::size_t wait = 0, point = 0;
  };
  std::vector<std::vector<Told>> told(n);
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto begin = std::min(waits_.size(), static_cast<std::size_t>(round) * kRound);
    const auto end = std::min(waits_.size(), begin + kRound);
    std::vector<parallel::Packer> notices(n), answers(n);
    for (auto w = begin; w < end; ++w) {
      prefetch_cause(w, processes.rank());
      const Wait wait = waits_.added(w);
      if (wait.point != kToBeMade) continue;
      const auto& events = mine[wait.location];
      const Ticks leave = events.calls[wait.call].leave;
      SyncPoint& point = put(wait.location, {wait.call, wait.cause_location, wait.cause_call,
                                             Role::kWaiter, wait.kind, wait.wait, leave});
      point.place = static_cast<std::uint32_t>(w);
      if (wait.tell == CauseIndex::kNone) continue;
      const Notice notice{wait.cause_location, wait.cause_call, events.location, wait.call, leave,
                          wait.end(),          wait.kind,       wait.tell};
      const auto host = static_cast<std::size_t>(hosts_[wait.cause_location]);
      if (host == static_cast<std::size_t>(processes.rank())) {
        settle(w, wait, point, tell(notice));
      } else {
        notices[host].put(notice);
        told[host].push_back({w, last_[wait.location] - 1});
      }
    }
    const auto arrived = processes.exchange(take_all(notices));
    for (std::size_t p = 0; p < n; ++p) {
      for (parallel::Unpacker in(arrived[p]); !in.done();) answers[p].put(tell(in.get<Notice>()));
    }
    const auto back = processes.exchange(take_all(answers));
    for (std::size_t p = 0; p < n; ++p) {
      parallel::Unpacker in(back[p]);
      for (const auto& one : told[p]) {
        settle(one.wait, waits_.added(one.wait), points_[one.point], in.get<Answer>());
      }
      told[p].clear();
    }
  }
}

void SyncPoints::connect(parallel::Processes& processes) {
  make_room(processes);
  make_points(processes);
  add_possible_waits();
  put_in_order();
  waits_.order_by_time();
}

// Sorts the points by call, connects waits with them, and closes gaps between locations.
void SyncPoints::put_in_order() {
  NumberWaits numbers(*this, waits_);
  std::size_t all = 0;
  for (std::size_t l = 0; l < mine.size(); ++l) {
    const std::span<SyncPoint> points = sort_points(l);
    numbers.walk(l, points, std::exchange(without_point_[l], {}));
    if (all != first_[l]) {  // less room was needed for earlier locations
      std::ranges::copy(points, points_.begin() + static_cast<std::ptrdiff_t>(all));
    }
    first_[l] = all;
    all += points.size();
  }
  first_.back() = all;
  points_.resize(all);
  memory::Vector<std::uint64_t>().swap(order_);
}

// Sorts the points of a location by call.
std::span<SyncPoint> SyncPoints::sort_points(std::size_t location) {
  constexpr unsigned kNumberBits = 32;
  const auto points =
      std::span(points_).subspan(first_[location], last_[location] - first_[location]);
  std::uint32_t last_call = 0;
  auto& order = order_;
  order.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i) {
    last_call = std::max(last_call, points[i].call);
    order[i] = (std::uint64_t{points[i].call} << kNumberBits) | i;
  }
  memory::sort_by_key(order, static_cast<unsigned>(std::bit_width(last_call)),
                      [](std::uint64_t one) { return one >> kNumberBits; });
  // Applies the permutation in place, cycle by cycle: each point moves to the place that the
  // previous move left.
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (static_cast<std::uint32_t>(order[i]) == i) continue;
    const SyncPoint first = points[i];
    std::size_t to = i;
    for (std::uint32_t from = 0; (from = static_cast<std::uint32_t>(order[to])) != i; to = from) {
      points[to] = points[from];
      order[to] = to;
    }
    points[to] = first;
    order[to] = to;
  }
  return points;
}

// Adds waits in calls without partner. Their kind does not matter, since they are in no wait state.
// Each ends one tick before its call, so that it is followed after other waits that ended with the
// call. A wait of a single tick has no room for this and is left out.
void SyncPoints::add_possible_waits() {
  for (std::uint32_t l = 0; l < mine.size(); ++l) {
    auto& calls = without_partner_[l];
    if (calls.empty()) continue;
    std::vector<Ticks> rest;
    for (const auto c : calls) rest.push_back(mine[l].calls[c].leave - mine[l].calls[c].enter);
    for (auto i = first_[l]; i < last_[l]; ++i) {
      auto& point = points_[i];
      const auto found = std::ranges::lower_bound(calls, point.call);
      if (found == calls.end() || *found != point.call || point.role == Role::kCauser) continue;
      rest[static_cast<std::size_t>(found - calls.begin())] -= point.wait;
      if (point.role == Role::kWaiter) point.over = mine[l].calls[point.call].leave;
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (rest[i] <= 1) continue;
      const Ticks leave = mine[l].calls[calls[i]].leave;
      put(l, {calls[i], trace::kNone, trace::kNone, Role::kUnknown, WaitKind::kLateSender, rest[i],
              leave})
          .place = static_cast<std::uint32_t>(waits_.size());
      waits_.add({.location = l,
                  .call = calls[i],
                  .path = false,
                  .known = false,
                  .wait = rest[i],
                  .begin = leave - rest[i],
                  .event = leave - 1});
    }
    calls = {};
  }
}

std::uint32_t SyncPoints::first_from(std::size_t location, std::uint32_t call) const {
  const Points points = of(location);
  const auto at = std::ranges::lower_bound(points, call, {}, &SyncPoint::call);
  return static_cast<std::uint32_t>(at - points.begin());
}

}  // namespace latecomer::causes
