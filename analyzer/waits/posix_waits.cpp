// SPDX-License-Identifier: BSD-3-Clause
// Pairs who waits with who lets it go on.
#include "analyzer/waits/posix_waits.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "patterns/waits/thread_barrier_wait.hpp"
#include "patterns/waits/thread_wake_up.hpp"

namespace latecomer::replay {
namespace {

using patterns::ThreadConstruct;
using patterns::WaitKind;
using patterns::WaitState;
using trace::kNone;
using trace::ThreadEvent;
using trace::Ticks;

struct Kind {
  WaitState state;
  WaitKind kind;
};

std::optional<Kind> kind_of(ThreadConstruct construct) {
  switch (construct) {
    case ThreadConstruct::kCondition:
      return Kind{WaitState::kSignal, WaitKind::kSignal};
    case ThreadConstruct::kReadWriteLock:
      return Kind{WaitState::kReadWriteLock, WaitKind::kReadWriteLock};
    case ThreadConstruct::kSemaphore:
      return Kind{WaitState::kPost, WaitKind::kPost};
    case ThreadConstruct::kPosixBarrier:
      return Kind{WaitState::kPosixBarrier, WaitKind::kPosixBarrier};
    case ThreadConstruct::kThreadEnd:
      return Kind{WaitState::kThreadEnd, WaitKind::kThreadEnd};
    default:
      return {};
  }
}

}  // namespace

void PosixWaits::take(std::size_t location, const ThreadEvent& event) {
  const At at{location, &event};
  switch (event.kind) {
    case ThreadEvent::Kind::kCreate:
      created_.try_emplace(event.id, at);
      break;
    case ThreadEvent::Kind::kBegin:
      begun_.try_emplace(event.id, at);
      // No thread was there since the last one ended.
      if (const auto idle = idle_since_.find(location); idle != idle_since_.end()) {
        booking_.add_up(booking_.metrics.id("comp"), location, 0, idle->second - event.time);
        idle_since_.erase(idle);
      }
      break;
    case ThreadEvent::Kind::kEnd:
      ended_.try_emplace(event.id, at);
      idle_since_[location] = event.time;
      break;
    case ThreadEvent::Kind::kWait:
      if (event.call != kNone) joined_.push_back(at);
      break;
    case ThreadEvent::Kind::kWakes:
      wakes_.try_emplace({event.id, event.number}, at);
      break;
    case ThreadEvent::Kind::kWoken:
      if (event.call != kNone) woken_.push_back(at);
      break;
    case ThreadEvent::Kind::kRound:
      if (event.call != kNone) rounds_[{event.id, event.number}].push_back(at);
      break;
    default:
      break;
  }
}

std::vector<PosixWaits::Meeting> PosixWaits::meetings() const {
  std::vector<Meeting> all;
  for (const auto& [number, created] : created_) {
    const auto begun = begun_.find(number);
    if (begun == begun_.end() || begun->second.location == created.location) continue;
    all.push_back({created.event->time, 0, number});
  }
  for (const auto& [key, met] : rounds_) all.push_back({latest(met), key.first, key.second});
  std::ranges::sort(all);
  return all;
}

void PosixWaits::meet(const Meeting& meeting) {
  if (meeting.barrier != 0) return barrier(rounds_.at({meeting.barrier, meeting.number}));
  make(meeting.number);
}

void PosixWaits::make(std::uint32_t number) {
  if (compatible_) return;  // Scalasca does not follow threads
  const At& maker = created_.at(number);
  const At& begun = begun_.at(number);
  const std::array<ThreadLinks::Forked, 2> both = {
      {{maker.location, maker.event->call}, {begun.location, begun.event->call}}};
  links_.fork(both, 0, maker.event->time);
}

void PosixWaits::book() {
  for (const At& waiter : woken_) {
    const auto waker = wakes_.find({waiter.event->id, waiter.event->number});
    if (waker != wakes_.end()) wait(waiter, waker->second);
  }
  for (const At& waiter : joined_) {
    const auto ended = ended_.find(waiter.event->id);
    if (ended != ended_.end()) wait(waiter, ended->second);
  }
}

void PosixWaits::wait(const At& waiter, const At& waker) {
  const auto& call = booking_.mine[waiter.location].calls[waiter.event->call];
  const auto kind = kind_of(booking_.definitions.regions[booking_.region_of(call)].construct);
  if (!kind || waiter.location == waker.location) return;
  const Ticks waited = patterns::thread_wake_up(call.enter, call.leave, waker.event->time);
  WaitMetrics only;
  only.base = booking_.map[kind->state].base;
  if (only.base == patterns::MetricTree::kNone) return;
  booking_.part(only, {.location = waiter.location, .call = call, .time = waited});
  links_.wake_up(kind->kind, waiter.location, waiter.event->call, waited, waker.location,
                 waker.event->call);
}

Ticks PosixWaits::latest(const std::vector<At>& met) const {
  Ticks latest = INT64_MIN;
  for (const At& one : met) {
    latest = std::max(latest, booking_.mine[one.location].calls[one.event->call].enter);
  }
  return latest;
}

// A round in which threads have no record may have had a later one. Then the wait is too short.
void PosixWaits::barrier(const std::vector<At>& met) {
  const Ticks last = latest(met);
  std::vector<ThreadLinks::AtBarrier> members;
  for (const At& one : met) {
    const auto call = booking_.mine[one.location].calls[one.event->call];
    const Ticks waited = patterns::thread_barrier_wait(call.enter, call.leave, last, 0);
    WaitMetrics only;
    only.base = booking_.map[WaitState::kPosixBarrier].base;
    if (only.base == patterns::MetricTree::kNone) return;
    booking_.part(only, {.location = one.location, .call = call, .time = waited});
    members.push_back({one.location, one.event->call, waited});
  }
  if (!compatible_) links_.barrier(members, WaitKind::kPosixBarrier);
}

}  // namespace latecomer::replay
