// SPDX-License-Identifier: BSD-3-Clause
// Derives the steps of a location from its messages, collective operations and sync points.
#include "analyzer/attribution/ideal_steps.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "analyzer/memory/prefetch.hpp"
#include "patterns/calls/collective_class.hpp"

namespace latecomer::replay {
namespace {

using causes::SyncPoint;
using engine::Step;
using patterns::CollectiveClass;
using patterns::WaitKind;
using trace::kNone;
using trace::Ticks;
using Kind = Step::Kind;

// A place of a location: the begin of one of its calls, or the moment at which that call has all
// that it needs.
std::uint32_t place(std::uint32_t call, bool at_leave) { return 2 * call + (at_leave ? 1 : 0); }

// True if waits of this kind end when the call at the cause has what it needs, instead of when it
// begins. A call that transfers is over for others only then.
bool goes_on_at_leave(WaitKind kind) {
  return kind == WaitKind::kEarlyWait || kind == WaitKind::kLock;
}

// True if the result has the size of one contribution. The records have that of all.
bool reduces(const trace::CollectiveKind& kind) {
  using patterns::CollectiveOperation;
  const auto operation = static_cast<CollectiveOperation>(kind.operation);
  return operation == CollectiveOperation::kAllreduce || operation == CollectiveOperation::kReduce;
}

// Calls of one hosted location, in ascending order.
std::vector<std::uint32_t> calls_of(const std::vector<Unmatched>& unmatched, std::uint32_t l) {
  std::vector<std::uint32_t> calls;
  for (const auto& one : unmatched) {
    if (one.location == l) calls.push_back(one.call);
  }
  std::ranges::sort(calls);
  return calls;
}

// True if `calls` contains all that a location did in MPI, and these calls called nothing. The
// flush of a buffer may end after the next calls have begun; the timeline then has only the rest of
// them.
bool calls_are_all(const Booking& booking, const trace::LocationEvents& events,
                   const IdealSteps::Nodes& nodes) {
  if (!events.thread_events.empty()) return false;  // some of `calls` are not of MPI
  std::int64_t visits = 0;
  for (std::size_t node = 0; node < events.visits.size(); ++node) {
    if (events.visits[node] == 0) continue;
    const auto region = booking.tree.nodes[booking.tree.from_local[node]].region;
    if (nodes.inside_mpi[node] != 0 || region == booking.definitions.flush_region) return false;
    if (nodes.mpi[node] != 0) visits += events.visits[node];
  }
  return visits == static_cast<std::int64_t>(events.calls.size());
}

}  // namespace

IdealSteps::IdealSteps(const Recorded& recorded, std::uint32_t l, const Nodes& nodes, bool init,
                       bool finalize, const WholeRun* whole)
    : recorded_(recorded),
      l_(l),
      rank_(recorded.booking.rank_of(l)),
      events_(recorded.booking.mine[l]),
      nodes_(nodes),
      whole_(whole),
      unmatched_sends_(calls_of(recorded.messages.unmatched().sends, l)),
      unmatched_collectives_(calls_of(recorded.unmatched_collectives.calls, l)),
      outside_(TimeOutsideMpi(events_, nodes.mpi)),
      recorded_time_(
          events_,
          whole == nullptr ? std::span<const std::uint32_t>() : std::span(whole->rate_of_node),
          whole == nullptr ? nullptr : whole->overhead),
      send_(events_.sends),
      receive_(events_.receives),
      collective_(events_.collectives) {
  for (const auto& kind : events_.kinds) parts_.push_back(part_in(kind));
  if (calls_are_all(recorded.booking, events_, nodes)) outside_ = TimeBetweenCalls(events_);
  add_program(init, finalize);
  add_recorded();
}

// Table of roles: who contributes, and what a participant waits for, by class of the operation.
IdealSteps::Part IdealSteps::part_in(const trace::CollectiveKind& kind) const {
  const auto& comm = recorded_.booking.definitions.comms[kind.comm];
  if (comm.inter || comm.size() < 2) return {};
  const bool is_root = kind.root < comm.members.size() && comm.members[kind.root] == rank_;
  const bool sends = kind.sent != 0, receives = kind.received != 0;
  Part part;
  part.takes_part = true;
  if (is_root) part.role = Step::kIsRoot;
  switch (patterns::collective_class(kind.operation, kind.all_positive)) {
    case CollectiveClass::kBarrier:
      part.waits = WaitGroup::kBarrier;
      part.role |= Step::kSends;
      part.needs = Kind::kNeedAll;
      break;
    case CollectiveClass::kNToN:
      part.waits = WaitGroup::kNxN;
      if (sends) part.role |= Step::kSends;
      if (receives) part.needs = Kind::kNeedAll;
      break;
    case CollectiveClass::kOneToN:
      part.waits = WaitGroup::kLateBroadcast;
      if (receives && !is_root) part.needs = Kind::kNeedRoot;
      break;
    case CollectiveClass::kNToOne:
      part.waits = WaitGroup::kEarlyReduce;
      if (sends && !is_root) part.role |= Step::kSends;
      if (receives && is_root) part.needs = Kind::kNeedAll;
      break;
    case CollectiveClass::kPrefix:
      part.waits = WaitGroup::kEarlyScan;
      part.role |= Step::kOrdered;
      if (sends || receives) part.needs = Kind::kNeedLower;
      break;
    case CollectiveClass::kNeighborhood:
      part.waits = WaitGroup::kLateNeighbor;
      part.role |= Step::kOrdered;
      if (receives && kind.all_positive && !comm.sources.empty()) {
        part.needs = Kind::kNeedNeighbors;
      }
      break;
    case CollectiveClass::kWindow:  // see add_recorded()
    case CollectiveClass::kFence:
    case CollectiveClass::kFile:
      part.role |= Step::kSends;
      break;
    case CollectiveClass::kOther:  // another participant may need this one
      if (sends) part.role |= Step::kSends;
      break;
  }
  if (!part.needs) part.role |= Step::kNeedsNothing;
  // Prefix operations and those on neighborhoods may end after one message. How many bytes of a
  // prefix operation are the result is not recorded.
  if (part.needs == Kind::kNeedAll || part.needs == Kind::kNeedRoot) {
    part.stages = static_cast<std::uint32_t>(std::bit_width(comm.size() - 1));
  }
  if (part.needs != Kind::kNeedLower) {
    part.bytes = reduces(kind) ? kind.received / comm.size() : kind.received;
  }
  return part;
}

void IdealSteps::add_program(bool init, bool finalize) {
  const auto everybody = static_cast<std::uint32_t>(recorded_.booking.definitions.comms.size());
  const auto meet = [&](std::uint32_t call, std::uint32_t instance, WaitGroup waits) {
    if (call == kNone) return;
    at_enter_.add(call, {Kind::kArrive, Step::kSends, everybody, instance});
    add_later(call, {Kind::kNeedAll, waits, everybody, instance});
  };
  if (init) meet(events_.init, 0, WaitGroup::kInit);
  if (finalize) meet(events_.finalize, 1, WaitGroup::kFinalize);
}

// Waiting in these calls depends on more than their arguments. The waits of the recorded run are
// taken over.
void IdealSteps::add_recorded() {
  for (const auto& point : recorded_.points.of(l_)) {
    if (!patterns::is_as_recorded(point.kind)) continue;
    const bool at_leave = goes_on_at_leave(point.kind);
    if (point.role == SyncPoint::Role::kMeeting) {
      add_later(point.call, {Kind::kNeedAll, group_of(point.kind), point.partner, point.key});
    } else if (point.role == SyncPoint::Role::kCauser) {
      (at_leave ? at_leave_ : at_enter_)
          .add(point.call, {Kind::kMark, 0, 0, place(point.call, at_leave)});
    } else if (point.partner != kNone) {
      add_later(point.call,
                {Kind::kNeedMark, group_of(point.kind), point.partner, place(point.key, at_leave)});
    }
  }
}

IdealSteps::Lag IdealSteps::lag(const Transfer& transfer, const Transfer& moved) const {
  Lag lag;
  const Ticks longer = moved.time - transfer.time;
  if (longer != 0) lag.moved = Step::duration(Kind::kRate, Step::kMoved, longer);
  if (whole_->shares) lag.share = Step(Kind::kRate, 0, 0, moved.latency);
  lag.lag =
      Step::duration(Kind::kLag, whole_->shares ? Step::kShared : Step::kAsRecorded, transfer.time);
  return lag;
}

// The time that a received message takes.
IdealSteps::Lag IdealSteps::lag_of_message(std::uint32_t source, std::uint64_t bytes) const {
  if (whole_ == nullptr) return {};
  const auto on = [&](const sync::Topology& topology) {
    return whole_->transfers.message(topology.link(source, rank_), bytes);
  };
  const auto recorded = on(*whole_->topology);
  return lag(recorded, whole_->moved == nullptr ? recorded : on(*whole_->moved));
}

// A send that waits for its receive is not over before that is posted, and nothing has to travel
// for that.
IdealSteps::Lag IdealSteps::lag_of_send(std::uint32_t call, std::uint64_t bytes) const {
  if (whole_ == nullptr || !whole_->eager_limit || bytes > *whole_->eager_limit) return {};
  // Only in this mode MPI decides whether to wait.
  if (recorded_.booking.send_mode_of(events_.calls[call]) != patterns::SendMode::kStandard)
    return {};
  return {{}, {}, Step::duration(Kind::kLag, Step::kIfBlocked, 0)};
}

// Data of the last process that came travel through all stages after that.
IdealSteps::Lag IdealSteps::lag_of_collective(std::uint32_t comm, const Part& part) const {
  if (whole_ == nullptr || comm >= whole_->comm_links.size()) return {};
  const auto on = [&](const std::vector<sync::LinkClass>& links) {
    return whole_->transfers.collective(links[comm], part.bytes, part.stages);
  };
  const auto recorded = on(whole_->comm_links);
  return lag(recorded, whole_->moved == nullptr ? recorded : on(whole_->moved_comm_links));
}

void IdealSteps::add_later(std::uint32_t call, const Need& one) {
  if (whole_ != nullptr) others_.add(call, Lag().lag);
  others_.add(call, need(call, one));
}

// Passes on the calls that have steps, and the stretches before them. A call that needs others or
// has places ends with a step for its own time. Marks are the last ones of what a call needs; they
// are reached when it ends.
void IdealSteps::tell_whole(StepsByCall& by_call, memory::Vector<Step>& out) {
  by_call.for_each_call([&](std::uint32_t number, std::size_t sends,
                            std::span<const StepOfCall> given, std::span<const StepOfCall> needed) {
    const trace::Call call = events_.calls[number];
    recorded_time_.go_on_to(call.enter, out);
    recorded_time_.pass_overhead(out);
    for (std::size_t i = 0; i < sends; ++i) out.push_back(Step::send(0));
    for (const auto& one : given) out.push_back(one.step);
    if (needed.empty()) return;
    Ticks leave = call.leave;
    if (number + 1 < events_.calls.size()) {
      leave = std::min<Ticks>(leave, events_.calls[number + 1].enter);
    }
    leave = std::max(leave, recorded_time_.at());
    const Ticks time = std::min(trace::difference(leave, recorded_time_.at()), Step::kMostTicks);
    if (whole_->keeps_calls) needing_calls_.push_back({recorded_time_.at(), leave});
    out.push_back(Step::duration(Kind::kCall, 0, time));
    std::size_t next = 0;
    for (; next < needed.size() && needed[next].step.kind() != Kind::kMark; ++next) {
      out.push_back(needed[next].step);
    }
    const std::uint32_t rate =
        whole_->rate_of_node.empty() ? kNone : whole_->rate_of_node[call.node];
    if (rate != kNone) out.push_back(Step(Kind::kRate, 0, 0, rate));
    out.push_back(Step::duration(Kind::kOwn, rate == kNone ? Step::kAsRecorded : Step::kRated, 0));
    for (; next < needed.size(); ++next) out.push_back(needed[next].step);
    recorded_time_.skip_to(leave);
  });
}

Step IdealSteps::mark(std::uint32_t call) {
  at_leave_.add(call, {Kind::kMark, 0, 0, place(call, true)});
  return {Kind::kNeedMark, engine::kNoPhase, events_.location, place(call, true)};
}

void IdealSteps::begin(const Step* after, Ticks time, Ticks since_begin) {
  if (after != nullptr && whole_ != nullptr && whole_->keeps_calls) {
    // A call without length, so that its end is kept. Its own time is what passed since the need.
    begin_.push_back(Step::duration(Step::Kind::kCall, 0, since_begin));
    begin_.push_back(Step::duration(Kind::kLag, Step::kAsRecorded, 0));
    begin_.push_back(*after);
    begin_.push_back(Step::duration(Kind::kOwn, Step::kAsRecorded, 0));
    needing_calls_.push_back({events_.first, events_.first});
    return;
  }
  if (after != nullptr && whole_ != nullptr) {
    begin_.push_back(Step::duration(Kind::kLag, Step::kAsRecorded, 0));
  }
  if (after != nullptr) begin_.push_back(*after);
  begin_.push_back(Step::work(std::max<Ticks>(0, time)));
}

void IdealSteps::tell_rest(memory::Vector<Step>& out) {
  const Ticks all = std::visit([](auto& outside) { return outside.until_end(); }, outside_);
  Ticks rest = trace::difference(all, worked_);
  worked_ = all;
  for (; rest > Step::kMostTicks; rest -= Step::kMostTicks) {
    out.push_back(Step::work(Step::kMostTicks));
  }
  if (rest > 0) out.push_back(Step::work(rest));
}

// Adds the sends in the calls of this portion. The need for a receive belongs to the call that
// completes the send.
void IdealSteps::find_sends(StepsByCall& out) {
  auto next = send_;  // a copy, so that it can stay in registers
  for (; next.at != next.end; next.step()) {
    const trace::Message message = *next.at;
    if (!next.is_told(message.call, out)) break;
    out.add_send(next.call);
    if (message.other != kNone && recorded_.senders.waits_for_receive(l_, next.index, message) &&
        !std::ranges::binary_search(unmatched_sends_, message.call)) {
      add_need(sends_, std::max(message.other, next.call),
               {Kind::kNeedPost, WaitGroup::kLateReceiver, 0, next.index}, out,
               lag_of_send(message.call, events_.bytes(message)));
    }
  }
  send_ = next;
}

// Adds the posts of receives, if a sender may need them, and the needs of sends.
void IdealSteps::find_receives(StepsByCall& out) {
  const auto sends = recorded_.messages.sends_of(rank_, l_);
  auto next = receive_;
  for (; next.at != next.end; next.step()) {
    if (!sends.has(next.index)) continue;
    const trace::Message message = *next.at;
    if (!next.is_told(message.other == kNone ? message.call : message.other, out)) break;
    sends.prefetch(next.index + memory::kAhead);
    const auto send = sends[next.index];
    // The sender may have been blocked until this receive was posted.
    if (recorded_.senders.may_block(message.peer, rank_, events_.bytes(message))) {
      out.add_given(next.call, {Kind::kPost, 0, send.location, send.index});
    }
    add_need(receives_, std::max(message.call, next.call),
             {Kind::kNeedSend, WaitGroup::kLateSender, send.location, send.index}, out,
             lag_of_message(message.peer, events_.bytes(message)));
  }
  receive_ = next;
}

// Adds arrivals in collective operations, and the needs of participants.
void IdealSteps::find_collectives(StepsByCall& out) {
  auto next = collective_;
  for (; next.at != next.end; next.step()) {
    const trace::Collective& own = *next.at;
    if (own.kind == trace::Collective::kOpen || !parts_[own.kind].takes_part ||
        std::ranges::binary_search(unmatched_collectives_, own.call)) {
      continue;
    }
    if (!next.is_told(own.start == kNone ? own.call : own.start, out)) break;
    const Part& part = parts_[own.kind];
    const auto comm = events_.kinds[own.kind].comm;
    out.add_given(next.call, {Kind::kArrive, part.role, comm, own.instance});
    if (part.needs) {
      add_need(collectives_, std::max(own.call, next.call),
               {*part.needs, part.waits, comm, own.instance}, out, lag_of_collective(comm, part));
    }
  }
  collective_ = next;
}

// Passes on the steps of calls [call_, calls). Steps that belong to later calls wait in the
// LaterSteps lists; they are taken first, so that steps of one call keep their order.
void IdealSteps::tell(std::size_t calls, StepsByCall& by_call, memory::Vector<Step>& out) {
  out.insert(out.end(), begin_.begin(), begin_.end());
  begin_.clear();
  const auto end = static_cast<std::uint32_t>(calls);
  by_call.start(call_, end);
  const auto given = [&](std::uint32_t call, Step step) { by_call.add_given(call, step); };
  const auto needed = [&](std::uint32_t call, Step step) { by_call.add_needed(call, step); };
  at_enter_.take(end, given);
  receives_.take(end, needed);
  find_receives(by_call);
  sends_.take(end, needed);
  find_sends(by_call);
  collectives_.take(end, needed);
  find_collectives(by_call);
  others_.take(end, needed);
  at_leave_.take(end, needed);

  if (whole_ != nullptr) {
    tell_whole(by_call, out);
    call_ = end;
    if (call_ == events_.calls.size()) recorded_time_.go_on_to(events_.last, out);
    return;
  }
  std::visit(
      [&](auto& of_location) {
        auto outside = of_location;  // a copy, so that it can stay in registers
        Ticks worked = worked_;
        by_call.take(
            [&](std::uint32_t call) {
              const Ticks all = std::max(worked, outside.until_call(call));
              return trace::difference(all, std::exchange(worked, all));
            },
            out);
        of_location = outside;
        worked_ = worked;
      },
      outside_);
  call_ = end;
  if (call_ == events_.calls.size()) tell_rest(out);
}

}  // namespace latecomer::replay
