// SPDX-License-Identifier: BSD-3-Clause
// Finds the calls that the events of threads belong to.
#include "analyzer/trace/events/threads/thread_builder.hpp"

#include <algorithm>
#include <utility>

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
    case kThreadTaskCreate:
    case kThreadTaskSwitch:
      return take_task(event);
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
  if (construct == ThreadConstruct::kNone || construct > ThreadConstruct::kTaskWait) return;
  Frame& frame = regions_.top();
  frame.call = static_cast<std::uint32_t>(regions_.out().calls.size());
  regions_.out().calls.push_back({t, t, frame.node, false});
  if (construct == ThreadConstruct::kTask) {
    frame.watched = Frame::Watched::kTask;
    next_task_.call = frame.call;
    open_tasks_.push_back(std::exchange(next_task_, {}));
    return;
  }
  auto kind = ThreadEvent::Kind::kParallel;
  if (construct != ThreadConstruct::kParallel) {
    const bool barrier = construct != ThreadConstruct::kTaskWait;
    kind = barrier ? ThreadEvent::Kind::kBarrier : ThreadEvent::Kind::kTaskWait;
    frame.watched = barrier ? Frame::Watched::kBarrier : Frame::Watched::kTaskWait;
    open_waits_.push_back(
        {static_cast<std::uint32_t>(out_.thread_events.size()), regions_.out().time[frame.node]});
  }
  auto& event = add(kind, t);
  event.call = event.number = frame.call;
}

// Time in a barrier that is not its own was spent in tasks.
void ThreadBuilder::leave_construct(const Frame& frame, Ticks t) {
  if (frame.watched == Frame::Watched::kTask) return leave_task(frame, t);
  ThreadEvent& event = out_.thread_events[open_waits_.back().event];
  if (event.call != frame.call) return;
  const Ticks own = regions_.out().time[frame.node] - open_waits_.back().before;
  event.tasks = std::max<Ticks>(0, t - frame.enter - own);
  open_waits_.pop_back();
  // A thread waits in a barrier for the last thread, and then for the last task. These are two
  // moments, so they need two calls.
  const bool always = frame.watched == Frame::Watched::kBarrier && regions_.definitions().has_tasks;
  event.number = last_call_of(frame, t, always);
}

void ThreadBuilder::leave_task(const Frame& frame, Ticks t) {
  TaskVisit& task = out_.tasks.emplace_back(open_tasks_.back());
  open_tasks_.pop_back();
  task.last = last_call_of(frame, t, false);
}

void ThreadBuilder::task_awaited(Ticks t, std::uint64_t ago) {
  regions_.advance(t);
  next_task_.created = ago > static_cast<std::uint64_t>(std::max<Ticks>(0, t))
                           ? TaskVisit::kUnknown
                           : t - static_cast<Ticks>(ago);
}

// A switch to a task comes before the enter of its region, or when the thread goes on with it.
bool ThreadBuilder::take_task(Event& event) {
  TaskName name;
  if (!event.take(name.comm, name.thread, name.number)) return false;
  regions_.advance(event.time);
  if (event.record.type == kThreadTaskCreate) {
    out_.task_creations.push_back({name, event.time});
  } else {
    next_task_.name = static_cast<std::uint32_t>(out_.task_names.size());
    out_.task_names.push_back(name);
  }
  return true;
}

// A call that others wait for must not come before the calls inside of it. So a moment at the end
// stands for it if there are any, or `always`.
std::uint32_t ThreadBuilder::last_call_of(const Frame& frame, Ticks t, bool always) {
  auto& calls = regions_.out().calls;
  const auto next = static_cast<std::uint32_t>(calls.size());
  if (!always && next == frame.call + 1) return frame.call;
  calls.push_back({t, t, frame.node, false});  // the leave is a change at this time
  return next;
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
