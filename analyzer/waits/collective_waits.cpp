// SPDX-License-Identifier: BSD-3-Clause
// One formula per class of operations. The summaries contain all that it needs of the others.
#include "analyzer/waits/collective_waits.hpp"

#include <algorithm>
#include <functional>

#include "patterns/calls/collective_class.hpp"
#include "patterns/waits/barrier_completion.hpp"
#include "patterns/waits/barrier_wait.hpp"
#include "patterns/waits/early_reduce.hpp"
#include "patterns/waits/early_scan.hpp"
#include "patterns/waits/file_wait.hpp"
#include "patterns/waits/late_broadcast.hpp"
#include "patterns/waits/late_contributor.hpp"
#include "patterns/waits/late_neighbor.hpp"
#include "patterns/waits/nxn_completion.hpp"
#include "patterns/waits/wait_nxn.hpp"
#include "patterns/waits/window_wait.hpp"

namespace latecomer::replay {
namespace {

using patterns::WaitKind;
using trace::kNone;
using trace::Ticks;

}  // namespace

// The operation is created on first use. Successive queries are usually for the same one.
CollectiveWaits::Operation& CollectiveWaits::Operations::at(std::uint32_t comm,
                                                            std::uint32_t instance) {
  if (last_ != nullptr && last_->instance == instance && last_->comm == comm) return *last_;
  if (comm >= by_comm_.size()) by_comm_.resize(comm + 1);
  auto& all = by_comm_[comm];
  all.prefetch(instance + memory::kFewAhead);
  last_ = &all[instance];
  last_->comm = comm;
  last_->instance = instance;
  return *last_;
}

template <typename F>
void CollectiveWaits::Operations::take(F&& f) {
  last_ = nullptr;
  for (auto& of_comm : by_comm_) {
    of_comm.for_each([&](const Operation& one) {
      if (one.comm != kNone) f(one);
    });
    of_comm = {};
  }
}

// Waits of nonblocking operations are only collected. Their booking depends on the other waits of
// the call that completes them, which book_nonblocking() knows.
void CollectiveWaits::book_wait(const WaitMetrics& metrics, const Participant& one, Ticks time,
                                const CollectiveSummary::Who& cause, bool waits) {
  const auto& own = one.own;
  if (!one.kind.nonblocking) {
    return add(&Operation::wait, metrics, one, time, 0, one.begin, cause);
  }
  const Ticks polled = waits ? polls_.time(one.location, own.call, own.begin, cause.time) : 0;
  nonblocking_.add({one.location, &own, &metrics, time + polled, polled, cause});
}

void CollectiveWaits::book_nonblocking(const ReceiverWaits& receivers, const SenderWaits& senders) {
  nonblocking_.end(receivers, senders, [&](const NonblockingWaits::Wait& w) {
    const Participant one(w.location, booking_.mine, *w.own);
    // Polls come before the call, so the first wait has them first.
    const Ticks time = w.time - w.rest, polled = std::min(w.polled, time);
    add(&Operation::wait, *w.metrics, one, time, polled, one.begin, w.cause);
    if (w.metrics->kind) {
      links_.completion(*w.metrics->kind, one, time, polled, w.cause, w.rest > 0);
    }
    if (w.rest <= 0) return;
    add(&Operation::completion, booking_.map[patterns::WaitState::kLateContributor], one, w.rest,
        w.polled - polled, std::max(one.begin, w.cause.time), w.last);
    links_.last_contribution(one, w.rest, w.polled - polled, w.cause, w.last);
  });
}

void CollectiveWaits::book_root(const Participant& one, Ticks time, Ticks rest,
                                const CollectiveSummary& all) {
  const auto& own = one.own;
  const auto& first = all.earliest_other_sender;
  const auto& last = all.latest_other_sender;
  if (!one.kind.nonblocking) {
    return add(&Operation::completion, booking_.map[patterns::WaitState::kLateContributor], one,
               rest, 0, std::max(one.begin, first.time), last);
  }
  const Ticks before = polls_.time(one.location, own.call, own.begin, first.time);
  const Ticks polled = polls_.time(one.location, own.call, own.begin, last.time);
  nonblocking_.add({.location = one.location,
                    .own = &own,
                    .metrics = &booking_.map[patterns::WaitState::kEarlyReduce],
                    .time = time + rest + polled,
                    .polled = polled,
                    .cause = first,
                    .rest = rest + polled - before,
                    .last = last});
}

// Books the share of one participant and adds it to the whole operation, from which the worst
// instances are chosen.
void CollectiveWaits::add(Share Operation::*to, const WaitMetrics& metrics, const Participant& one,
                          Ticks time, Ticks polled, Ticks begin,
                          const CollectiveSummary::Who& cause) {
  const auto& [location, events, own, kind, call, begin_of_wait] = one;
  auto& whole = operations_.at(kind.comm, own.instance);
  whole.enter = std::min(whole.enter, call.enter);
  whole.exit = std::max(whole.exit, call.leave);
  (whole.*to).metric = metrics.base;
  if (time <= 0) return;
  const Booking::Part part{
      location,   call,  time, booking_.definitions.comms[kind.comm].spans_metahosts,
      cause.rank, false, begin};
  if (polled > 0) {
    polls_.book(booking_, metrics, part, own.call, polled, own.begin, cause.time);
  } else {
    booking_.part(metrics, part);
  }
  (whole.*to).add({metrics.base, 1, time, time, begin, booking_.rank_of(location), events.location,
                   booking_.tree.from_local[call.node], cause.rank});
}

// Books what one participant waited, by the class of the operation. Prefix and neighborhood
// operations are collected, since each participant there needs other members; book_partial() books
// them later.
void CollectiveWaits::on_collective(std::size_t location, const trace::Collective& own,
                                    const CollectiveSummary& all) {
  const Participant one(location, booking_.mine, own);
  const auto& kind = one.kind;
  if (booking_.definitions.comms[kind.comm].inter || (kind.nonblocking && compatible_)) return;
  const Ticks begin = one.begin;
  const auto& map = booking_.map;
  const bool sends = kind.sent != 0, receives = kind.received != 0;
  const bool is_root = all.root.rank == booking_.rank_of(location);
  switch (patterns::collective_class(kind.operation, all.all_positive && !compatible_)) {
    case patterns::CollectiveClass::kBarrier: {
      const Ticks wait = patterns::barrier_wait(begin, own.end, all.latest.time);
      const Ticks completion =
          patterns::barrier_completion(own.end, all.latest.time, all.earliest_end);
      check(one, all.latest.time);
      book_wait(map[patterns::WaitState::kBarrier], one, wait, all.latest);
      book_completion(map[patterns::WaitState::kBarrierCompletion], one, completion);
      links_.meeting(WaitKind::kBarrier, one, wait, completion, all.latest, all.earliest_end);
      break;
    }
    case patterns::CollectiveClass::kNToN: {
      const auto& last = all.latest_sender;
      if (last.rank == kNone) break;
      if (receives) check(one, last.time);
      const Ticks wait = receives ? patterns::wait_nxn(begin, own.end, last.time) : 0;
      const Ticks completion =
          sends && receives
              ? patterns::nxn_completion(own.end, last.time, all.earliest_exchange_end)
              : 0;
      book_wait(map[patterns::WaitState::kNxN], one, wait, last, receives);
      book_completion(map[patterns::WaitState::kNxNCompletion], one, completion);
      links_.meeting(WaitKind::kNxN, one, wait, completion, last, all.earliest_end);
      break;
    }
    case patterns::CollectiveClass::kOneToN: {
      if (all.root.rank == kNone) break;
      const bool waits = !is_root && receives;
      if (waits) check(one, all.root.time);
      const Ticks wait = waits ? patterns::late_broadcast(begin, own.end, all.root.time) : 0;
      book_wait(map[patterns::WaitState::kLateBroadcast], one, wait, all.root, waits);
      links_.pair(WaitKind::kLateBroadcast, one, wait, all.root);
      break;
    }
    case patterns::CollectiveClass::kNToOne: {
      const auto& first = all.earliest_other_sender;
      if (first.rank == kNone) break;
      const bool waits = is_root && receives;
      // The root's end must not precede the last contribution.
      if (waits) check(one, all.latest_other_sender.time);
      const Ticks wait = waits ? patterns::early_reduce(begin, own.end, first.time) : 0;
      const bool goes_on = waits && !compatible_;
      if (!goes_on || !kind.nonblocking) {
        book_wait(map[patterns::WaitState::kEarlyReduce], one, wait, first, waits);
      }
      const auto& last = all.latest_other_sender;
      const Ticks rest =
          goes_on ? patterns::late_contributor(begin, own.end, first.time, last.time) : 0;
      if (goes_on) book_root(one, wait, rest, all);
      links_.reduction(one, all, waits, {wait, rest});
      break;
    }
    case patterns::CollectiveClass::kWindow:
    case patterns::CollectiveClass::kFence:
      if (!compatible_) on_window(one, all);
      break;
    case patterns::CollectiveClass::kFile:
      if (!compatible_) on_file(one, all);
      break;
    case patterns::CollectiveClass::kNeighborhood:
      if (compatible_) break;  // Scalasca does not know them
      [[fallthrough]];
    case patterns::CollectiveClass::kPrefix:
      partial_.push_back({location, &own});
      break;
    case patterns::CollectiveClass::kOther:
      break;
  }
}

// Collective calls on windows. A fence also counts partners that were not needed, if all transfers
// around it are known.
void CollectiveWaits::on_window(const Participant& one, const CollectiveSummary& all) {
  using patterns::CollectiveOperation;
  const auto& map = booking_.map;
  const auto& [location, events, own, kind, call, begin] = one;
  const auto operation = static_cast<CollectiveOperation>(kind.operation);
  const auto& metrics =
      operation == CollectiveOperation::kWindowCreate ? map[patterns::WaitState::kWindowCreate]
      : operation == CollectiveOperation::kWindowFree ? map[patterns::WaitState::kWindowFree]
                                                      : map[patterns::WaitState::kFence];
  const Ticks wait = patterns::window_wait(own.begin, all.latest.time, all.earliest_end);
  book_wait(metrics, one, wait, all.latest);
  // The time after all processes have arrived is the process's own time, as in a barrier.
  links_.meeting(*metrics.kind, one, wait,
                 patterns::barrier_completion(own.end, all.latest.time, all.earliest_end),
                 all.latest, all.earliest_end);
  if (operation != CollectiveOperation::kFence) return;
  const auto rank = booking_.rank_of(location);
  const bool knows_all = transfers_.knows_all(kind.comm);
  if (knows_all) {
    const auto partners = transfers_.partners_around(kind.comm, own.instance, rank);
    const auto members = booking_.definitions.comms[kind.comm].size();
    booking_.add(map.unneeded, location, call.node,
                 static_cast<std::int64_t>(members - std::min<std::size_t>(partners, members)));
  }
  if (kind.all_positive) check(one, all.latest.time);
  if (wait == 0 || !knows_all) return;
  const auto* last = transfers_.last(kind.comm, own.instance, rank);
  if (last == nullptr) return;
  booking_.part(map[patterns::WaitState::kEarlyFence],
                {location, call, patterns::early_fence(own.begin, last->time, wait),
                 booking_.definitions.comms[kind.comm].spans_metahosts});
}

void CollectiveWaits::on_file(const Participant& one, const CollectiveSummary& all) {
  const auto& own = one.own;
  const auto region = booking_.region_of(one.call);
  const auto& metrics = booking_.map.is_collective_file_region[region]
                            ? booking_.map[patterns::WaitState::kFile]
                            : booking_.map[patterns::WaitState::kFileManagement];
  const Ticks wait = patterns::file_wait(own.begin, all.latest.time, all.earliest_end);
  book_wait(metrics, one, wait, all.latest);
  links_.meeting(*metrics.kind, one, wait,
                 patterns::barrier_completion(own.end, all.latest.time, all.earliest_end),
                 all.latest, all.earliest_end);
}

// Prefix and neighborhood operations: each participant waits for the latest of those that it needs.
void CollectiveWaits::book_partial(parallel::Processes& processes, ClockCheck& clocks) {
  using patterns::CollectiveClass;
  find_latest_needed(
      booking_.definitions, booking_.mine, partial_, processes,
      [&](const Participation& participation, const CollectiveSummary::Who& latest) {
        const trace::Collective& own = *participation.own;
        const Participant one(participation.location, booking_.mine, own);
        const Ticks begin = one.begin;
        const auto& kind = one.kind;
        if (patterns::collective_class(kind.operation) == CollectiveClass::kNeighborhood) {
          const bool waits = kind.received != 0 && kind.all_positive && latest.rank != kNone;
          if (waits) {
            check(one, latest.time);
            clocks.on_needed(own.end, latest.time);
          }
          const Ticks wait = waits ? patterns::late_neighbor(begin, own.end, latest.time) : 0;
          book_wait(booking_.map[patterns::WaitState::kLateNeighbor], one, wait, latest, waits);
          links_.pair(WaitKind::kLateNeighbor, one, wait, latest);
          return;
        }
        const bool waits = kind.sent != 0 || kind.received != 0;
        if (waits) check(one, latest.time);
        const Ticks wait = waits ? patterns::early_scan(begin, own.end, latest.time) : 0;
        book_wait(booking_.map[patterns::WaitState::kEarlyScan], one, wait, latest, waits);
        if (!compatible_) links_.pair(WaitKind::kEarlyScan, one, wait, latest);
      });
  partial_.clear();
}

// Shares of an operation meet at its owner, which offers the whole as a candidate.
void CollectiveWaits::find_worst(parallel::Processes& processes) {
  const auto n = static_cast<std::size_t>(processes.size());
  const auto offer = [&](const Operation& all) {
    for (const Share& one : {std::cref(all.wait), std::cref(all.completion)}) {
      if (one.sum <= 0 || !booking_.statistics.may_keep(one.metric, one.call_path, one.sum)) {
        continue;
      }
      booking_.statistics.add(
          one.metric, Instance{one.sum, all.enter, all.exit, one.call_path, one.rank, one.cause,
                               one.location, all.comm, one.waiting, one.begin, one.longest});
    }
  };
  // A single process knows all shares.
  if (n == 1) return operations_.take(offer);
  std::vector<parallel::Packer> packs(n);
  operations_.take(
      [&](const Operation& part) { packs[(part.comm + part.instance / 1024) % n].put(part); });
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto part = in.get<Operation>();
      auto& whole = operations_.at(part.comm, part.instance);
      whole.enter = std::min(whole.enter, part.enter);
      whole.exit = std::max(whole.exit, part.exit);
      for (const auto share : {&Operation::wait, &Operation::completion}) {
        if ((part.*share).metric != patterns::MetricTree::kNone) (whole.*share).add(part.*share);
      }
    }
  }
  operations_.take(offer);
}

}  // namespace latecomer::replay
