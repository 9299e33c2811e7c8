// SPDX-License-Identifier: BSD-3-Clause
// Waiters know their causers at once; causers learn of it by one exchange.
#include "analyzer/causes/sync_points.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "analyzer/causes/steps.hpp"

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
      points_(mine.size()),
      without_partner_(mine.size()) {
  for (std::uint32_t l = 0; l < mine.size(); ++l) hosted_[mine[l].location] = l;
}

void SyncPoints::add_pair(const Wait& wait, CauseIndex tell) {
  auto& points = points_[wait.location];
  Wait told = wait;
  told.tell = tell;
  told.point = static_cast<std::uint32_t>(points.size());
  points.push_back({wait.call, wait.cause_location, wait.cause_call, Role::kWaiter, wait.kind,
                    wait.wait, mine[wait.location].calls[wait.call].leave});
  waits_.add(told);
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
  const auto& at = mine[location].calls[call];
  points_[location].push_back(
      {call, trace::kNone, trace::kNone, Role::kWaiter, kind, wait, at.leave});
  waits_.add({.location = location,
              .call = call,
              .kind = kind,
              .path = false,
              .wait = wait,
              .begin = at.enter,
              .event = at.enter + wait});
}

SyncPoints::Meeting SyncPoints::next_meeting(const std::vector<std::uint32_t>& locations) {
  const auto next = static_cast<std::uint32_t>(teams_.size());
  const auto number = team_numbers_.try_emplace(locations, next).first->second;
  if (number == next) teams_.push_back({locations});
  return {kFirstTeam + number, teams_[number].meetings++};
}

// The receiver's time after the end of the send belongs to the transfer of the message: to nobody's
// delay. Of the other pairs everything after the call is the location's own.
SyncPoints::Notice SyncPoints::answer(const Notice& notice) {
  const auto location = hosted_[notice.cause_location];
  const auto& events = mine[location];
  std::uint32_t call = notice.cause_call;
  if (notice.tell == CauseIndex::kSend) call = events.sends[call].call;
  if (notice.tell == CauseIndex::kWindowEvent) call = events.window_events[call].call;
  const Ticks leave = events.calls[call].leave;
  points_[location].push_back(
      {call, notice.location, notice.call, Role::kCauser, notice.kind, 0,
       notice.kind == WaitKind::kLateReceiver ? std::min(leave, notice.leave) : leave});
  Notice back = notice;
  back.cause_call = call;
  back.leave = leave;
  return back;
}

void SyncPoints::settle(const Notice& answer) {
  waits_.change(answer.wait, [&](Wait& wait) { wait.cause_call = answer.cause_call; });
  const Wait wait = waits_[answer.wait];
  auto& point = points_[wait.location][wait.point];
  point.key = answer.cause_call;
  // Once the other side has done its part, what follows in the call is the waiter's own time.
  const Ticks enter = mine[wait.location].calls[point.call].enter;
  if (point.kind == WaitKind::kLateSender) {
    // What was tested for may have been sent before the test that saw it.
    point.over = std::max(enter, std::min(point.over, answer.leave));
  } else if (point.kind != WaitKind::kLateReceiver && !compatible_) {
    point.over = std::max({enter, wait.end(), std::min(point.over, answer.leave)});
  }
  if (point.kind == WaitKind::kLateReceiver && compatible_) {
    point.over = std::max(point.over, answer.leave);
  }
}

// In rounds of bounded size.
void SyncPoints::tell_causers(parallel::Processes& processes) {
  constexpr std::size_t kRound = std::size_t{1} << 14;  // waits of a process
  const auto n = static_cast<std::size_t>(processes.size());
  const std::int64_t rounds =
      processes.max(static_cast<std::int64_t>((waits_.size() + kRound - 1) / kRound));
  for (std::int64_t round = 0; round < rounds; ++round) {
    const auto begin = std::min(waits_.size(), static_cast<std::size_t>(round) * kRound);
    const auto end = std::min(waits_.size(), begin + kRound);
    std::vector<parallel::Packer> notices(n), answers(n);
    for (auto w = begin; w < end; ++w) {
      const Wait wait = waits_[w];
      if (wait.tell == CauseIndex::kNone) continue;
      const auto& events = mine[wait.location];
      notices[static_cast<std::size_t>(hosts_[wait.cause_location])].put(Notice{
          wait.cause_location, wait.cause_call, events.location, wait.call,
          static_cast<std::uint32_t>(w), events.calls[wait.call].leave, wait.kind, wait.tell});
    }
    const auto told = processes.exchange(take_all(notices));
    for (std::size_t p = 0; p < n; ++p) {
      for (parallel::Unpacker in(told[p]); !in.done();) answers[p].put(answer(in.get<Notice>()));
    }
    for (const auto& bytes : processes.exchange(take_all(answers))) {
      for (parallel::Unpacker in(bytes); !in.done();) settle(in.get<Notice>());
    }
  }
}

void SyncPoints::connect(parallel::Processes& processes) {
  tell_causers(processes);
  add_possible_waits();
  for (auto& points : points_) {
    points.shrink_to_fit();  // there will be no more
    std::ranges::sort(points, [](const SyncPoint& a, const SyncPoint& b) {
      return std::tie(a.call, a.kind, a.role, a.partner, a.key) <
             std::tie(b.call, b.kind, b.role, b.partner, b.key);
    });
  }
  number_waits();
  end_calls_once();
  find_steps(*this, waits_);
  waits_.order_by_time();
}

// Of any kind, since they are in no wait state. Each ends a tick before its call does, so that it
// is followed after what others waited for that end; one of a single tick has no room for this.
void SyncPoints::add_possible_waits() {
  for (std::uint32_t l = 0; l < points_.size(); ++l) {
    auto& calls = without_partner_[l];
    if (calls.empty()) continue;
    std::ranges::sort(calls);
    calls.erase(std::ranges::unique(calls).begin(), calls.end());
    std::vector<Ticks> rest;
    for (const auto c : calls) rest.push_back(mine[l].calls[c].leave - mine[l].calls[c].enter);
    for (auto& point : points_[l]) {
      const auto found = std::ranges::lower_bound(calls, point.call);
      if (found == calls.end() || *found != point.call || point.role == Role::kCauser) continue;
      rest[static_cast<std::size_t>(found - calls.begin())] -= point.wait;
      if (point.role == Role::kWaiter) point.over = mine[l].calls[point.call].leave;
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (rest[i] <= 1) continue;
      const Ticks leave = mine[l].calls[calls[i]].leave;
      points_[l].push_back({calls[i], trace::kNone, trace::kNone, Role::kUnknown,
                            WaitKind::kLateSender, rest[i], leave});
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

// Tells each wait its point: both are sorted, so one walk finds them all.
void SyncPoints::number_waits() {
  waits_.order_by_call();
  std::uint32_t location = 0, first = 0;
  const auto number = [&](Wait& wait) {
    if (wait.location != location) {
      location = wait.location;
      first = 0;
    }
    const auto& points = points_[location];
    while (first < points.size() && points[first].call < wait.call) ++first;
    const auto& call = mine[location].calls[wait.call];
    // Regions and locks of threads hold other calls: these waits tell another time.
    const bool told = patterns::is_of_threads(wait.kind) && wait.kind != WaitKind::kThreadBarrier;
    if (!told) wait.leave = call.leave;
    wait.node = call.node;
    wait.point = first;
    for (auto i = first; i < points.size() && points[i].call == wait.call; ++i) {
      if (points[i].kind == wait.kind && points[i].role != Role::kCauser && points[i].wait > 0 &&
          (points[i].role == Role::kUnknown) != wait.known) {
        wait.point = i;
        break;
      }
    }
  };
  for (std::size_t w = 0; w < waits_.size(); ++w) waits_.change(w, number);
}

// A call may wait for several, one after the other: until the last of these it is not on its own.
void SyncPoints::end_calls_once() {
  if (compatible_) return;
  for (std::size_t first = 0, last = 0; first < waits_.size(); first = last) {
    const std::uint32_t location = waits_[first].location, call = waits_[first].call;
    Ticks end = INT64_MIN;
    for (; last < waits_.size() && waits_[last].location == location && waits_[last].call == call;
         ++last) {
      end = std::max(end, waits_[last].end());
    }
    if (last - first == 1) continue;
    end = std::min(end, mine[location].calls[call].leave);
    auto& points = points_[location];
    for (auto i = first_from(location, call); i < points.size() && points[i].call == call; ++i) {
      const bool is_message =
          points[i].kind == WaitKind::kLateSender || points[i].kind == WaitKind::kLateReceiver;
      if (points[i].role == Role::kWaiter && !is_message) {
        points[i].over = std::max(points[i].over, end);
      }
    }
  }
}

std::uint32_t SyncPoints::first_from(std::size_t location, std::uint32_t call) const {
  const auto& points = points_[location];
  const auto at = std::ranges::lower_bound(points, call, {}, &SyncPoint::call);
  return static_cast<std::uint32_t>(at - points.begin());
}

}  // namespace latecomer::causes
