// SPDX-License-Identifier: BSD-3-Clause
// One formula per class of operations; the summaries hold what it needs of the others.
#include "analyzer/replay/collective_waits.hpp"

#include <algorithm>

#include "patterns/barrier_completion.hpp"
#include "patterns/barrier_wait.hpp"
#include "patterns/collective_class.hpp"
#include "patterns/early_reduce.hpp"
#include "patterns/early_scan.hpp"
#include "patterns/file_wait.hpp"
#include "patterns/late_broadcast.hpp"
#include "patterns/late_neighbor.hpp"
#include "patterns/nxn_completion.hpp"
#include "patterns/wait_nxn.hpp"
#include "patterns/window_wait.hpp"

namespace latecomer::replay {
namespace {

using patterns::WaitKind;
using trace::kNone;
using trace::Ticks;

}  // namespace

void CollectiveWaits::Operations::add(Which which, const Operation& part) {
  if (part.comm >= by_comm_.size()) by_comm_.resize(part.comm + 1);
  auto& all = by_comm_[part.comm][which];
  all.prefetch(part.instance + memory::kFewAhead);
  auto& whole = all[part.instance];
  whole.metric = part.metric;
  whole.comm = part.comm;
  whole.instance = part.instance;
  whole.sum += part.sum;
  whole.enter = std::min(whole.enter, part.enter);
  whole.exit = std::max(whole.exit, part.exit);
  if (part.longest < whole.longest || (part.longest == whole.longest && part.rank > whole.rank)) {
    return;
  }
  whole.longest = part.longest;
  whole.begin = part.begin;
  whole.location = part.location;
  whole.rank = part.rank;
  whole.call_path = part.call_path;
  whole.cause = part.cause;
}

template <typename F>
void CollectiveWaits::Operations::take(F&& f) {
  for (auto& metrics : by_comm_) {
    for (const Which which : {kWait, kCompletion}) {
      metrics[which].for_each([&](const Operation& one) {
        if (one.metric != patterns::MetricTree::kNone) f(which, one);
      });
      metrics[which] = {};
    }
  }
}

void CollectiveWaits::book_wait(const WaitMetrics& metrics, std::size_t location,
                                const trace::Collective& own, Ticks time,
                                const CollectiveSummary::Who& cause, bool waits) {
  const auto& events = booking_.mine[location];
  if (!events.kinds[own.kind].nonblocking) {
    return add(Operations::kWait, metrics, location, own, time, 0, cause);
  }
  const Ticks polled = waits ? polls_.time(location, own.call, own.begin, cause.time) : 0;
  nonblocking_.add({location, &own, &metrics, time + polled, polled, cause});
}

void CollectiveWaits::book_nonblocking(const ReceiverWaits& receivers, const SenderWaits& senders) {
  nonblocking_.end(receivers, senders, [&](const NonblockingWaits::Wait& w) {
    add(Operations::kWait, *w.metrics, w.location, *w.own, w.time, w.polled, w.cause);
    if (w.metrics->kind) {
      links_.completion(*w.metrics->kind, w.location, *w.own, w.time, w.polled, w.cause);
    }
  });
}

void CollectiveWaits::add(Operations::Which which, const WaitMetrics& metrics, std::size_t location,
                          const trace::Collective& own, Ticks time, Ticks polled,
                          const CollectiveSummary::Who& cause) {
  const auto& events = booking_.mine[location];
  const auto& call = events.calls[own.call];
  const auto comm = events.kinds[own.kind].comm;
  const Ticks begin =
      which == Operations::kCompletion ? own.end - time : begin_of_wait(location, own);
  polls_.book(booking_, metrics,
              {location, call, time, booking_.definitions.comms[comm].spans_metahosts, cause.rank,
               false, begin},
              own.call, polled, own.begin, cause.time);
  operations_.add(which, {metrics.base, comm, own.instance, time, call.enter, call.leave, time,
                          begin, booking_.rank_of(location), events.location,
                          booking_.tree.from_local[call.node], cause.rank});
}

void CollectiveWaits::on_collective(std::size_t location, const trace::Collective& own,
                                    const CollectiveSummary& all) {
  const auto& kind = booking_.mine[location].kinds[own.kind];
  if (booking_.definitions.comms[kind.comm].inter || (kind.nonblocking && compatible_)) return;
  const Ticks begin = begin_of_wait(location, own);
  const auto& map = booking_.map;
  const bool sends = kind.sent != 0, receives = kind.received != 0;
  const bool is_root = all.root.rank == booking_.rank_of(location);
  switch (patterns::collective_class(kind.operation, all.all_positive && !compatible_)) {
    case patterns::CollectiveClass::kBarrier: {
      const Ticks wait = patterns::barrier_wait(begin, own.end, all.latest.time);
      const Ticks completion =
          patterns::barrier_completion(own.end, all.latest.time, all.earliest_end);
      check(location, own, all.latest.time);
      book_wait(map.barrier_wait, location, own, wait, all.latest);
      book_completion(map.barrier_completion, location, own, completion);
      links_.meeting(WaitKind::kBarrier, location, own, wait, completion, all.latest,
                     all.earliest_end);
      break;
    }
    case patterns::CollectiveClass::kNToN: {
      const auto& last = all.latest_sender;
      if (last.rank == kNone) break;
      if (receives) check(location, own, last.time);
      const Ticks wait = receives ? patterns::wait_nxn(begin, own.end, last.time) : 0;
      const Ticks completion =
          sends && receives
              ? patterns::nxn_completion(own.end, last.time, all.earliest_exchange_end)
              : 0;
      book_wait(map.wait_nxn, location, own, wait, last, receives);
      book_completion(map.nxn_completion, location, own, completion);
      links_.meeting(WaitKind::kNxN, location, own, wait, completion, last, all.earliest_end);
      break;
    }
    case patterns::CollectiveClass::kOneToN: {
      if (all.root.rank == kNone) break;
      const bool waits = !is_root && receives;
      if (waits) check(location, own, all.root.time);
      const Ticks wait = waits ? patterns::late_broadcast(begin, own.end, all.root.time) : 0;
      book_wait(map.late_broadcast, location, own, wait, all.root, waits);
      links_.pair(WaitKind::kLateBroadcast, location, own, wait, all.root);
      break;
    }
    case patterns::CollectiveClass::kNToOne: {
      const auto& first = all.earliest_other_sender;
      if (first.rank == kNone) break;
      const bool waits = is_root && receives;
      // What must not come after the root's end is the last contribution.
      if (waits) check(location, own, all.latest_other_sender.time);
      const Ticks wait = waits ? patterns::early_reduce(begin, own.end, first.time) : 0;
      book_wait(map.early_reduce, location, own, wait, first, waits);
      links_.reduction(location, own, all, waits, wait);
      break;
    }
    case patterns::CollectiveClass::kWindow:
    case patterns::CollectiveClass::kFence:
      if (!compatible_) on_window(location, own, all);
      break;
    case patterns::CollectiveClass::kFile:
      if (!compatible_) on_file(location, own, all);
      break;
    case patterns::CollectiveClass::kNeighborhood:
      if (compatible_) break;  // the base does not know them
      [[fallthrough]];
    case patterns::CollectiveClass::kPrefix:
      partial_.push_back({location, &own});
      break;
    case patterns::CollectiveClass::kOther:
      break;
  }
}

void CollectiveWaits::on_window(std::size_t location, const trace::Collective& own,
                                const CollectiveSummary& all) {
  using patterns::CollectiveOperation;
  const auto& map = booking_.map;
  const auto& kind = booking_.mine[location].kinds[own.kind];
  const auto operation = static_cast<CollectiveOperation>(kind.operation);
  const auto& metrics = operation == CollectiveOperation::kWindowCreate ? map.wait_at_create
                        : operation == CollectiveOperation::kWindowFree ? map.wait_at_free
                                                                        : map.wait_at_fence;
  const Ticks wait = patterns::window_wait(own.begin, all.latest.time, all.earliest_end);
  book_wait(metrics, location, own, wait, all.latest);
  // What comes after everybody was there is the process's own time, here as in a barrier.
  links_.meeting(*metrics.kind, location, own, wait,
                 patterns::barrier_completion(own.end, all.latest.time, all.earliest_end),
                 all.latest, all.earliest_end);
  if (operation != CollectiveOperation::kFence) return;
  const auto rank = booking_.rank_of(location);
  const bool knows_all = transfers_.knows_all(kind.comm);
  if (knows_all) {
    const auto partners = transfers_.partners_around(kind.comm, own.instance, rank);
    const auto members = booking_.definitions.comms[kind.comm].size();
    booking_.add(map.unneeded, location, booking_.mine[location].calls[own.call].node,
                 static_cast<std::int64_t>(members - std::min<std::size_t>(partners, members)));
  }
  if (kind.all_positive) check(location, own, all.latest.time);
  if (wait == 0 || !knows_all) return;
  const auto* last = transfers_.last(kind.comm, own.instance, rank);
  if (last == nullptr) return;
  const auto& call = booking_.mine[location].calls[own.call];
  booking_.part(map.early_fence,
                {location, call, patterns::early_fence(own.begin, last->time, wait),
                 booking_.definitions.comms[kind.comm].spans_metahosts});
}

void CollectiveWaits::on_file(std::size_t location, const trace::Collective& own,
                              const CollectiveSummary& all) {
  const auto& call = booking_.mine[location].calls[own.call];
  const auto region = booking_.region_of(call);
  const auto& metrics = booking_.map.is_collective_file_region[region]
                            ? booking_.map.file_io_wait
                            : booking_.map.file_management_wait;
  const Ticks wait = patterns::file_wait(own.begin, all.latest.time, all.earliest_end);
  book_wait(metrics, location, own, wait, all.latest);
  links_.meeting(*metrics.kind, location, own, wait,
                 patterns::barrier_completion(own.end, all.latest.time, all.earliest_end),
                 all.latest, all.earliest_end);
}

void CollectiveWaits::book_partial(parallel::Processes& processes, ClockCheck& clocks) {
  using patterns::CollectiveClass;
  find_latest_needed(
      booking_.definitions, booking_.mine, partial_, processes,
      [&](const Participation& one, const CollectiveSummary::Who& latest) {
        const std::size_t location = one.location;
        const trace::Collective& own = *one.own;
        const Ticks begin = begin_of_wait(location, own);
        const auto& kind = booking_.mine[location].kinds[own.kind];
        if (patterns::collective_class(kind.operation) == CollectiveClass::kNeighborhood) {
          const bool waits = kind.received != 0 && kind.all_positive && latest.rank != kNone;
          if (waits) {
            check(location, own, latest.time);
            clocks.on_needed(own.end, latest.time);
          }
          const Ticks wait = waits ? patterns::late_neighbor(begin, own.end, latest.time) : 0;
          book_wait(booking_.map.late_neighbor, location, own, wait, latest, waits);
          links_.pair(WaitKind::kLateNeighbor, location, own, wait, latest);
          return;
        }
        const bool waits = kind.sent != 0 || kind.received != 0;
        if (waits) check(location, own, latest.time);
        const Ticks wait = waits ? patterns::early_scan(begin, own.end, latest.time) : 0;
        book_wait(booking_.map.early_scan, location, own, wait, latest, waits);
        if (!compatible_) links_.pair(WaitKind::kEarlyScan, location, own, wait, latest);
      });
  partial_.clear();
}

void CollectiveWaits::find_worst(parallel::Processes& processes) {
  const auto n = static_cast<std::size_t>(processes.size());
  struct Part {
    Operations::Which which;
    Operation operation;
  };
  std::vector<parallel::Packer> packs(n);
  operations_.take([&](Operations::Which which, const Operation& part) {
    packs[(part.comm + part.instance / 1024) % n].put(Part{which, part});
  });
  for (const auto& bytes : processes.exchange(take_all(packs))) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const auto part = in.get<Part>();
      operations_.add(part.which, part.operation);
    }
  }
  operations_.take([&](Operations::Which, const Operation& all) {
    if (all.sum <= 0) return;
    booking_.statistics.add(
        all.metric, Instance{all.sum, all.enter, all.exit, all.call_path, all.rank, all.cause,
                             all.location, all.comm, all.begin, all.longest});
  });
}

}  // namespace latecomer::replay
