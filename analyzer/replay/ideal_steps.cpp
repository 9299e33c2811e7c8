// SPDX-License-Identifier: BSD-3-Clause
#include "analyzer/replay/ideal_steps.hpp"

#include <algorithm>
#include <optional>

#include "analyzer/memory/prefetch.hpp"
#include "patterns/collective_class.hpp"

namespace latecomer::replay {
namespace {

using causes::Step;
using causes::SyncPoint;
using patterns::CollectiveClass;
using patterns::WaitKind;
using trace::kNone;
using trace::Ticks;
using Kind = Step::Kind;

// A place of a location: where one of its calls begins, or where all that it needed is there.
std::uint32_t place(std::uint32_t call, bool at_leave) { return 2 * call + (at_leave ? 1 : 0); }

// Where others go on that wait for a one-sided operation: a call that transfers is over for them
// only when it has what it needs itself.
bool goes_on_at_leave(WaitKind kind) {
  return kind == WaitKind::kEarlyWait || kind == WaitKind::kLock;
}

// Ascending, of one hosted location.
std::vector<std::uint32_t> calls_of(const std::vector<Unmatched>& unmatched, std::uint32_t l) {
  std::vector<std::uint32_t> calls;
  for (const auto& one : unmatched) {
    if (one.location == l) calls.push_back(one.call);
  }
  std::ranges::sort(calls);
  return calls;
}

// What a participant brings to an operation, and what it needs.
struct Part {
  std::uint8_t role = 0;
  std::optional<Kind> needs;
};

Part part_of(const trace::CollectiveKind& kind, const trace::Comm& comm, std::uint32_t rank) {
  const bool is_root = kind.root < comm.members.size() && comm.members[kind.root] == rank;
  const bool sends = kind.sent != 0, receives = kind.received != 0;
  Part part;
  if (is_root) part.role = Step::kIsRoot;
  switch (patterns::collective_class(kind.operation, kind.all_positive)) {
    case CollectiveClass::kBarrier:
      part.role |= Step::kSends;
      part.needs = Kind::kNeedAll;
      break;
    case CollectiveClass::kNToN:
      if (sends) part.role |= Step::kSends;
      if (receives) part.needs = Kind::kNeedAll;
      break;
    case CollectiveClass::kOneToN:
      if (receives && !is_root) part.needs = Kind::kNeedRoot;
      break;
    case CollectiveClass::kNToOne:
      if (sends && !is_root) part.role |= Step::kSends;
      if (receives && is_root) part.needs = Kind::kNeedAll;
      break;
    case CollectiveClass::kPrefix:
      part.role |= Step::kOrdered;
      if (sends || receives) part.needs = Kind::kNeedLower;
      break;
    case CollectiveClass::kNeighborhood:
      part.role |= Step::kOrdered;
      if (receives && kind.all_positive && !comm.sources.empty()) {
        part.needs = Kind::kNeedNeighbors;
      }
      break;
    case CollectiveClass::kWindow:  // add_recorded
    case CollectiveClass::kFence:
    case CollectiveClass::kFile:
      part.role |= Step::kSends;
      break;
    case CollectiveClass::kOther:  // another participant may need this one
      if (sends) part.role |= Step::kSends;
      break;
  }
  if (!part.needs) part.role |= Step::kNeedsNothing;
  return part;
}

}  // namespace

template <typename Call>
CompletionOrder::CompletionOrder(std::size_t count, Call&& call) : count_(count) {
  std::uint32_t last = 0;
  bool in_order = true;
  for (std::uint32_t i = 0; in_order && i < count; ++i) {
    const auto at = call(i);
    in_order = at != kNone && at >= last;
    last = at;
  }
  if (!in_order) {
    for (std::uint32_t i = 0; i < count; ++i) {
      if (call(i) != kNone) order_.push_back(i);
    }
    std::ranges::stable_sort(order_, {}, call);
    count_ = order_.size();
  }
  if (count_ > 0) next_call_ = call(number());
}

void CallSteps::sort() { std::ranges::stable_sort(steps_, {}, &One::call); }

Ticks TimeOutsideMpi::until(Ticks time) {
  auto cursor = cursor_;  // in registers, as all that changes with each step
  auto change = change_;
  Ticks at = at_, sum = sum_;
  bool in_mpi = in_mpi_;
  const auto move = [&](Ticks to) {
    if (!in_mpi) sum += to - at;
    at = to;
  };
  while (change.time <= time) {
    move(change.time);
    in_mpi = mpi_nodes_[change.node] != 0;
    change = cursor.done() ? kNoChange : cursor.next();
  }
  move(std::max(at, time));
  cursor_ = cursor;
  change_ = change;
  at_ = at;
  sum_ = sum;
  in_mpi_ = in_mpi;
  return sum;
}

IdealSteps::IdealSteps(const Recorded& recorded, std::uint32_t l, const Nodes& nodes, bool finalize)
    : recorded_(recorded),
      l_(l),
      rank_(recorded.booking.rank_of(l)),
      events_(recorded.booking.mine[l]),
      nodes_(nodes),
      unmatched_sends_(calls_of(recorded.messages.unmatched().sends, l)),
      unmatched_collectives_(calls_of(recorded.unmatched_collectives.calls, l)),
      receives_(events_.receives.size(), [this](std::uint32_t i) { return receiving_call(i); }),
      sends_(events_.sends.size(), [this](std::uint32_t i) { return sending_call(i); }),
      collectives_(events_.collectives.size(),
                   [this](std::uint32_t i) { return collective_call(i); }),
      outside_(events_, nodes.mpi) {
  add_program(finalize);
  add_recorded();
  for (auto* steps : {&at_enter_, &others_}) steps->sort();
}

std::uint32_t IdealSteps::receiving_call(std::uint32_t receive) const {
  return recorded_.messages.has_send(l_, receive) ? events_.receives[receive].call : kNone;
}

// kNone: it waits for nobody.
std::uint32_t IdealSteps::sending_call(std::uint32_t send) const {
  const auto& message = events_.sends[send];
  if (message.other == kNone || !recorded_.senders.waits_for_receive(l_, send) ||
      std::ranges::binary_search(unmatched_sends_, message.call)) {
    return kNone;
  }
  return message.other;
}

std::uint32_t IdealSteps::collective_call(std::uint32_t collective) const {
  const auto& own = events_.collectives[collective];
  if (own.kind == trace::Collective::kOpen ||
      std::ranges::binary_search(unmatched_collectives_, own.call)) {
    return kNone;
  }
  const auto& comm = recorded_.booking.definitions.comms[events_.kinds[own.kind].comm];
  return comm.inter || comm.size() < 2 ? kNone : own.call;
}

void IdealSteps::add_program(bool finalize) {
  const auto everybody = static_cast<std::uint32_t>(recorded_.booking.definitions.comms.size());
  const auto meet = [&](std::uint32_t call, std::uint32_t instance) {
    if (call == kNone) return;
    at_enter_.add(call, {Kind::kArrive, Step::kSends, everybody, instance});
    others_.add(call, need(Kind::kNeedAll, call, everybody, instance));
  };
  meet(events_.init, 0);
  if (finalize) meet(events_.finalize, 1);
}

// Whether such calls wait depends on more than their arguments: those that did are told.
void IdealSteps::add_recorded() {
  for (const auto& point : recorded_.points.of(l_)) {
    if (!patterns::is_as_recorded(point.kind)) continue;
    const bool at_leave = goes_on_at_leave(point.kind);
    if (point.role == SyncPoint::Role::kMeeting) {
      others_.add(point.call, need(Kind::kNeedAll, point.call, point.partner, point.key));
    } else if (point.role == SyncPoint::Role::kCauser) {
      (at_leave ? at_leave_ : at_enter_)
          .add(point.call, {Kind::kMark, 0, 0, place(point.call, at_leave)});
    } else if (point.partner != kNone) {
      others_.add(point.call,
                  need(Kind::kNeedMark, point.call, point.partner, place(point.key, at_leave)));
    }
  }
}

Step IdealSteps::mark(std::uint32_t call) {
  at_leave_.add(call, {Kind::kMark, 0, 0, place(call, true)});
  return {Kind::kNeedMark, causes::kNoPhase, events_.location, place(call, true)};
}

void IdealSteps::begin(const Step* after, Ticks time) {
  if (after != nullptr) begin_.push_back(*after);
  begin_.push_back(Step::work(std::max<Ticks>(0, time)));
}

void IdealSteps::work_until(Ticks time, memory::Vector<Step>& out) {
  const Ticks rest = work_but_one(time, out);
  if (rest > 0) out.push_back(Step::work(rest));
}

// Returns what is left for the last step.
Ticks IdealSteps::work_but_one(Ticks time, memory::Vector<Step>& out) {
  const Ticks all = outside_.until(time);
  Ticks rest = all - worked_;
  worked_ = all;
  for (; rest > Step::kMostTicks; rest -= Step::kMostTicks) {
    out.push_back(Step::work(Step::kMostTicks));
  }
  return rest;
}

// Together with the time before them.
void IdealSteps::tell_sends(std::uint32_t call, memory::Vector<Step>& out) {
  const auto next = [&] {
    send_call_ = send_ < events_.sends.size() ? events_.sends[send_].call : kNone;
    return send_call_ <= call;
  };
  if (!next()) return work_until(events_.calls[call].enter, out);
  const Ticks rest = work_but_one(events_.calls[call].enter, out);
  out.push_back(Step::send(rest));
  for (++send_; next(); ++send_) out.push_back(Step::send(0));
}

// Its sender may have been blocked until it was posted.
bool IdealSteps::frees_sender(std::uint32_t receive) const {
  const auto& message = events_.receives[receive];
  return recorded_.messages.has_send(l_, receive) &&
         recorded_.senders.may_block(message.peer, rank_, events_.bytes(message));
}

void IdealSteps::tell_posts(std::uint32_t call, memory::Vector<Step>& out) {
  for (; post_ < events_.receives.size(); ++post_) {
    const auto& receive = events_.receives[post_];
    const auto posting = receive.other == kNone ? receive.call : receive.other;
    if (!frees_sender(post_)) continue;
    if (posting != kNone && posting > call) {
      post_call_ = posting;
      return;
    }
    const auto send = recorded_.messages.send_of(rank_, l_, post_);
    out.emplace_back(Kind::kPost, 0, send.location, send.index);
  }
  post_call_ = kNone;
}

void IdealSteps::tell_arrivals(std::uint32_t call, memory::Vector<Step>& out) {
  for (; start_ < events_.collectives.size(); ++start_) {
    const auto& own = events_.collectives[start_];
    const auto start = own.start == kNone ? own.call : own.start;
    if (start != kNone && start > call) {
      start_call_ = start;
      return;
    }
    if (collective_call(start_) == kNone) continue;
    const auto& kind = events_.kinds[own.kind];
    const auto& comm = recorded_.booking.definitions.comms[kind.comm];
    out.emplace_back(Kind::kArrive, part_of(kind, comm, rank_).role, kind.comm, own.instance);
  }
  start_call_ = kNone;
}

void IdealSteps::tell_need(const trace::Collective& own, memory::Vector<Step>& out) const {
  const auto& kind = events_.kinds[own.kind];
  const auto part = part_of(kind, recorded_.booking.definitions.comms[kind.comm], rank_);
  if (part.needs) out.push_back(need(*part.needs, own.call, kind.comm, own.instance));
}

// Calls that need nothing and give nothing to others are no steps.
std::uint32_t IdealSteps::next_call() const {
  return std::min({send_call_, post_call_, start_call_, receives_.next_call(), sends_.next_call(),
                   collectives_.next_call(), at_enter_.next_call(), others_.next_call(),
                   at_leave_.next_call()});
}

void IdealSteps::tell(std::size_t calls, memory::Vector<Step>& out) {
  out.insert(out.end(), begin_.begin(), begin_.end());
  begin_.clear();
  if (call_ == 0) at_leave_.sort();
  for (;; ++call_) {
    call_ = std::max(call_, next_call());
    if (call_ >= calls) break;
    if (send_call_ <= call_) {
      tell_sends(call_, out);
    } else {
      work_until(events_.calls[call_].enter, out);
    }
    at_enter_.take(call_, out);
    if (post_call_ <= call_) tell_posts(call_, out);
    if (start_call_ <= call_) tell_arrivals(call_, out);
    receives_.take(
        call_, [this](std::uint32_t i) { return events_.receives[i].call; },
        [&](std::uint32_t i) {
          recorded_.messages.prefetch_send(rank_, l_, i + memory::kAhead);
          const auto send = recorded_.messages.send_of(rank_, l_, i);
          out.push_back(need(Kind::kNeedSend, call_, send.location, send.index));
        });
    sends_.take(
        call_, [this](std::uint32_t i) { return events_.sends[i].other; },
        [&](std::uint32_t i) { out.push_back(need(Kind::kNeedPost, call_, 0, i)); });
    collectives_.take(
        call_, [this](std::uint32_t i) { return events_.collectives[i].call; },
        [&](std::uint32_t i) { tell_need(events_.collectives[i], out); });
    others_.take(call_, out);
    at_leave_.take(call_, out);
  }
  call_ = static_cast<std::uint32_t>(calls);
  if (call_ == events_.calls.size()) work_until(events_.last, out);
}

}  // namespace latecomer::replay
