// SPDX-License-Identifier: BSD-3-Clause
// Finds the calls that the events of threads belong to.
#include "analyzer/trace/events/threads/thread_builder.hpp"

#include <algorithm>

namespace latecomer::trace {

using patterns::ThreadConstruct;

bool ThreadBuilder::take(Event& event) {
  using U32 = std::uint32_t;
  const Ticks t = event.time;
  std::uint8_t paradigm = 0;
  U32 id = 0, order = 0;
  switch (event.record.type) {
    case kThreadFork:
      fork(t);
      return true;
    case kThreadJoin:
      join(t);
      return true;
    case kThreadTeamBegin:
      return event.with<U32>([&](U32 comm) { team_begin(t, event.id(IdKind::kComm, comm)); });
    case kThreadTeamEnd:
      return event.with<U32>([&](U32 comm) { team_end(t, event.id(IdKind::kComm, comm)); });
    case kThreadAcquireLock:
      if (!event.take(paradigm, id, order)) return false;
      acquire_lock(t, paradigm, id, order);
      return true;
    case kThreadCreate:
    case kThreadBegin:
    case kThreadWait:
    case kThreadEnd:
      return take_thread(event);
    default:
      if (!event.take(paradigm, id, order)) return false;
      release_lock(t, paradigm, id, order);
      return true;
  }
}

ThreadEvent& ThreadBuilder::add(ThreadEvent::Kind kind, Ticks t) {
  auto& event = out_.thread_events.emplace_back();
  event.kind = kind;
  event.time = t;
  return event;
}

// Handles the enter of a region that organizes threads.
void ThreadBuilder::enter_construct(Ticks t, ThreadConstruct construct) {
  const bool parallel = construct == ThreadConstruct::kParallel;
  const bool barrier =
      construct == ThreadConstruct::kBarrier || construct == ThreadConstruct::kImplicitBarrier;
  if (!parallel && !barrier) return;
  Frame& frame = regions_.top();
  frame.call = static_cast<std::uint32_t>(regions_.out().calls.size());
  regions_.out().calls.push_back({t, t, frame.node, false});
  if (barrier) {
    frame.watched = Frame::Watched::kBarrier;
    open_barriers_.push_back(
        {static_cast<std::uint32_t>(out_.thread_events.size()), regions_.out().time[frame.node]});
  }
  add(parallel ? ThreadEvent::Kind::kParallel : ThreadEvent::Kind::kBarrier, t).call = frame.call;
}

// Time in a barrier that is not its own was spent in tasks.
void ThreadBuilder::leave_barrier(const Frame& frame, Ticks t) {
  ThreadEvent& event = out_.thread_events[open_barriers_.back().event];
  if (event.call != frame.call) return;
  const Ticks own = regions_.out().time[frame.node] - open_barriers_.back().before;
  event.tasks = std::max<Ticks>(0, t - frame.enter - own);
  open_barriers_.pop_back();
}

void ThreadBuilder::fork(Ticks t) {
  regions_.advance(t);
  forked_ = true;
  add(ThreadEvent::Kind::kFork, t);
}

void ThreadBuilder::join(Ticks t) {
  regions_.advance(t);
  add(ThreadEvent::Kind::kJoin, t);
}

// A thread that was forked continues at the call path of the thread that forked.
void ThreadBuilder::team_begin(Ticks t, std::uint32_t comm) {
  regions_.advance(t);
  const std::uint32_t number = team_counts_[comm]++;
  auto& event = add(ThreadEvent::Kind::kTeamBegin, t);
  event.id = comm;
  event.number = number;
  event.node = regions_.top().node;
  std::uint32_t node = kNone;
  if (forked_) {
    if (teams_ != nullptr) teams_->made(comm, number, event.node);
  } else if (teams_ != nullptr) {
    node = teams_->node(comm, number);
  }
  forked_ = false;
  open_teams_.push_back(node == kNone ? kNone : static_cast<std::uint32_t>(regions_.open().size()));
  if (node == kNone) return;
  event.node = node;
  regions_.go_on_at(t, node);
}

void ThreadBuilder::team_end(Ticks t, std::uint32_t comm) {
  regions_.advance(t);
  auto& event = add(ThreadEvent::Kind::kTeamEnd, t);
  event.id = comm;
  if (open_teams_.empty()) return;
  const std::uint32_t depth = open_teams_.back();
  open_teams_.pop_back();
  if (depth == kNone) return;
  while (regions_.open().size() > depth) regions_.pop(t);
}

void ThreadBuilder::acquire_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock,
                                 std::uint32_t order) {
  regions_.advance(t);
  auto& event = add(ThreadEvent::Kind::kAcquire, t);
  event.paradigm = paradigm;
  event.id = lock;
  event.number = order;
  if (regions_.top_region().construct <= ThreadConstruct::kCondition) event.call = open_call();
}

// The call of the innermost region; kNone if that is none of threads.
std::uint32_t ThreadBuilder::open_call() {
  Frame& frame = regions_.top();
  if (regions_.top_region().construct < ThreadConstruct::kCritical) return kNone;
  if (frame.call == kNone) {
    // Calls are in the order of their enters. A wait for a condition releases its lock first, so
    // there may already be a later call.
    const auto next = regions_.out().calls.size();
    const Ticks enter =
        next == 0 ? frame.enter : std::max(frame.enter, regions_.out().calls[next - 1].enter);
    frame.call = static_cast<std::uint32_t>(next);
    regions_.out().calls.push_back({enter, enter, frame.node, false});
  }
  return frame.call;
}

// A call without length, for what other threads wait for.
std::uint32_t ThreadBuilder::moment(Ticks t) {
  const auto call = static_cast<std::uint32_t>(regions_.out().calls.size());
  regions_.out().calls.push_back({t, t, regions_.top().node, false});
  regions_.mark_change();  // every call must begin with a change
  return call;
}

void ThreadBuilder::release_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock,
                                 std::uint32_t order) {
  regions_.advance(t);
  auto& event = add(ThreadEvent::Kind::kRelease, t);
  event.paradigm = paradigm;
  event.id = lock;
  event.number = order;
  event.call = moment(t);
}

bool ThreadBuilder::take_thread(Event& event) {
  std::uint32_t contingent = 0;
  std::uint64_t number = 0;
  if (!event.take(contingent, number)) return false;
  const auto kind = event.record.type == kThreadCreate  ? ThreadEvent::Kind::kCreate
                    : event.record.type == kThreadBegin ? ThreadEvent::Kind::kBegin
                    : event.record.type == kThreadWait  ? ThreadEvent::Kind::kWait
                                                        : ThreadEvent::Kind::kEnd;
  thread(kind, event.time, number);
  return true;
}

void ThreadBuilder::thread(ThreadEvent::Kind kind, Ticks t, std::uint64_t number) {
  regions_.advance(t);
  auto& event = add(kind, t);
  event.id = static_cast<std::uint32_t>(number);
  event.call = kind == ThreadEvent::Kind::kWait ? open_call() : moment(t);
}

void ThreadBuilder::wake_up(ThreadEvent::Kind kind, Ticks t, std::uint64_t value) {
  regions_.advance(t);
  auto& event = add(kind, t);
  event.id = static_cast<std::uint32_t>(value);
  event.number = static_cast<std::uint32_t>(value >> 32);
  event.call = kind == ThreadEvent::Kind::kWakes ? moment(t) : open_call();
}

}  // namespace latecomer::trace
