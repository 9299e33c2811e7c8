// SPDX-License-Identifier: BSD-3-Clause
// LocationBuilder's part for teams of threads, their barriers and locks, which few traces have.
#include <algorithm>

#include "analyzer/trace/events/location_builder.hpp"

namespace latecomer::trace {

using patterns::ThreadConstruct;

ThreadEvent& LocationBuilder::add_thread_event(ThreadEvent::Kind kind, Ticks t) {
  auto& event = out_.thread_events.emplace_back();
  event.kind = kind;
  event.time = t;
  return event;
}

// Handles the enter of a region that organizes threads.
void LocationBuilder::enter_construct(Ticks t, ThreadConstruct construct) {
  const bool parallel = construct == ThreadConstruct::kParallel;
  const bool barrier =
      construct == ThreadConstruct::kBarrier || construct == ThreadConstruct::kImplicitBarrier;
  if (!parallel && !barrier) return;
  Frame& frame = stack_.back();
  frame.call = static_cast<std::uint32_t>(out_.calls.size());
  out_.calls.push_back({t, t, frame.node, false});
  if (barrier) {
    open_barriers_.push_back(
        {static_cast<std::uint32_t>(out_.thread_events.size()), out_.time[frame.node]});
  }
  add_thread_event(parallel ? ThreadEvent::Kind::kParallel : ThreadEvent::Kind::kBarrier, t).call =
      frame.call;
}

// Time in a barrier that is not its own was spent in tasks.
void LocationBuilder::leave_barrier(const Frame& frame, Ticks t) {
  ThreadEvent& event = out_.thread_events[open_barriers_.back().event];
  if (event.call != frame.call) return;
  const Ticks own = out_.time[frame.node] - open_barriers_.back().before;
  event.tasks = std::max<Ticks>(0, t - frame.enter - own);
  open_barriers_.pop_back();
}

void LocationBuilder::thread_fork(Ticks t) {
  advance(t);
  forked_ = true;
  add_thread_event(ThreadEvent::Kind::kFork, t);
}

void LocationBuilder::thread_join(Ticks t) {
  advance(t);
  add_thread_event(ThreadEvent::Kind::kJoin, t);
}

// A thread that was forked continues at the call path of the thread that forked.
void LocationBuilder::team_begin(Ticks t, std::uint32_t comm) {
  advance(t);
  const std::uint32_t number = team_counts_[comm]++;
  auto& event = add_thread_event(ThreadEvent::Kind::kTeamBegin, t);
  event.id = comm;
  event.number = number;
  event.node = stack_.back().node;
  std::uint32_t node = kNone;
  if (forked_) {
    if (teams_ != nullptr) teams_->made(comm, number, event.node);
  } else if (teams_ != nullptr) {
    node = teams_->node(comm, number);
  }
  forked_ = false;
  open_teams_.push_back(node == kNone ? kNone : static_cast<std::uint32_t>(stack_.size()));
  if (node == kNone) return;
  event.node = node;
  make_room(node);
  const std::uint32_t before = stack_.back().node;
  stack_.push_back({node, definitions_.program_region, t, kNone});
  change_node(before, node);
}

void LocationBuilder::team_end(Ticks t, std::uint32_t comm) {
  advance(t);
  auto& event = add_thread_event(ThreadEvent::Kind::kTeamEnd, t);
  event.id = comm;
  if (open_teams_.empty()) return;
  const std::uint32_t depth = open_teams_.back();
  open_teams_.pop_back();
  if (depth == kNone) return;
  while (stack_.size() > depth) pop(t);
}

void LocationBuilder::acquire_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock,
                                   std::uint32_t order) {
  advance(t);
  Frame& frame = stack_.back();
  const auto construct = definitions_.regions[frame.region].construct;
  auto& event = add_thread_event(ThreadEvent::Kind::kAcquire, t);
  event.paradigm = paradigm;
  event.id = lock;
  event.number = order;
  if (construct < ThreadConstruct::kCritical) return;  // the call that requested it is not known
  if (frame.call == kNone) {
    // Calls are in the order of their enters. A wait for a condition releases its lock first, so
    // there may already be a later call.
    const auto next = out_.calls.size();
    const Ticks enter = next == 0 ? frame.enter : std::max(frame.enter, out_.calls[next - 1].enter);
    frame.call = static_cast<std::uint32_t>(next);
    out_.calls.push_back({enter, enter, frame.node, false});
  }
  event.call = frame.call;
}

void LocationBuilder::release_lock(Ticks t, std::uint32_t paradigm, std::uint32_t lock,
                                   std::uint32_t order) {
  advance(t);
  auto& event = add_thread_event(ThreadEvent::Kind::kRelease, t);
  event.paradigm = paradigm;
  event.id = lock;
  event.number = order;
  event.call = static_cast<std::uint32_t>(out_.calls.size());
  out_.calls.push_back({t, t, stack_.back().node, false});
  change_node(stack_.back().node, stack_.back().node);  // every call must begin with a change
}

}  // namespace latecomer::trace
