// SPDX-License-Identifier: BSD-3-Clause
// One formula per class of operations; the summaries hold what it needs of the others.
#include "analyzer/replay/collective_waits.hpp"

#include <algorithm>
#include <span>

#include "patterns/barrier_completion.hpp"
#include "patterns/barrier_wait.hpp"
#include "patterns/collective_class.hpp"
#include "patterns/early_reduce.hpp"
#include "patterns/early_scan.hpp"
#include "patterns/late_broadcast.hpp"
#include "patterns/nxn_completion.hpp"
#include "patterns/wait_nxn.hpp"

namespace latecomer::replay {
namespace {

using trace::kNone;
using trace::Ticks;

}  // namespace

void CollectiveWaits::book(const WaitMetrics& metrics, std::size_t location,
                           const trace::Collective& own, Ticks wait,
                           const CollectiveSummary::Who& needed, bool grid) {
  if (own.end < needed.time) booking_.count(trace::Quality::kReversedCollectives, location);
  booking_.wait(metrics, location, booking_.mine[location].calls[own.call], wait, needed.rank,
                grid);
}

void CollectiveWaits::on_collective(std::size_t location, const trace::Collective& own,
                                    const CollectiveSummary& all) {
  const auto& kind = booking_.mine[location].kinds[own.kind];
  const auto& comm = booking_.definitions.comms[kind.comm];
  if (kind.nonblocking || comm.inter) return;
  const bool grid = comm.spans_metahosts;
  const auto& call = booking_.mine[location].calls[own.call];
  const auto& map = booking_.map;
  const bool sends = kind.sent != 0, receives = kind.received != 0;
  const bool is_root = all.root.rank == booking_.rank_of(location);
  switch (patterns::collective_class(kind.operation)) {
    case patterns::CollectiveClass::kBarrier:
      book(map.barrier_wait, location, own,
           patterns::barrier_wait(own.begin, own.end, all.latest.time), all.latest, grid);
      booking_.time(map.barrier_completion, location, call,
                    patterns::barrier_completion(own.end, all.latest.time, all.earliest_end), grid);
      break;
    case patterns::CollectiveClass::kNToN:
      if (all.latest_sender.rank == kNone) break;
      if (receives) {
        book(map.wait_nxn, location, own,
             patterns::wait_nxn(own.begin, own.end, all.latest_sender.time), all.latest_sender,
             grid);
      }
      if (sends && receives) {
        booking_.time(
            map.nxn_completion, location, call,
            patterns::nxn_completion(own.end, all.latest_sender.time, all.earliest_exchange_end),
            grid);
      }
      break;
    case patterns::CollectiveClass::kOneToN:
      if (is_root || !receives || all.root.rank == kNone) break;
      book(map.late_broadcast, location, own,
           patterns::late_broadcast(own.begin, own.end, all.root.time), all.root, grid);
      break;
    case patterns::CollectiveClass::kNToOne: {
      const auto& first = all.earliest_other_sender;
      if (!is_root || !receives || first.rank == kNone) break;
      // What must not come after the root's end is the last contribution.
      if (own.end < all.latest_other_sender.time) {
        booking_.count(trace::Quality::kReversedCollectives, location);
      }
      booking_.wait(map.early_reduce, location, call,
                    patterns::early_reduce(own.begin, own.end, first.time), first.rank, grid);
      break;
    }
    case patterns::CollectiveClass::kPrefix:
      prefixes_.push_back(
          {location, own.call, kind.comm, own.instance, own.begin, own.end, sends || receives});
      break;
    case patterns::CollectiveClass::kOther:
      break;
  }
}

void CollectiveWaits::end(parallel::Processes& processes) {
  struct Part {
    std::uint32_t comm = 0, instance = 0;
    std::uint32_t member = 0, rank = 0;  // rank in the communicator, world rank
    Ticks begin = 0;
    std::uint32_t index = 0;  // of prefixes_ there
  };
  struct Answer {
    std::uint32_t index = 0;
    std::uint32_t rank = kNone;  // of the latest up to this one
    Ticks begin = 0;
  };
  const auto n = static_cast<std::size_t>(processes.size());
  std::vector<parallel::Packer> packs(n);
  for (std::uint32_t i = 0; i < prefixes_.size(); ++i) {
    const auto& p = prefixes_[i];
    const auto& members = booking_.definitions.comms[p.comm].members;
    const std::uint32_t rank = booking_.rank_of(p.location);
    const auto member =
        static_cast<std::uint32_t>(std::ranges::find(members, rank) - members.begin());
    packs[(p.comm + p.instance) % n].put(Part{p.comm, p.instance, member, rank, p.begin, i});
  }
  const auto take = [&] {
    std::vector<parallel::Bytes> out;
    for (auto& pack : packs) out.push_back(pack.take());
    return out;
  };
  struct Asked {
    Part part;
    std::size_t process;
  };
  std::vector<Asked> parts;
  const auto asked = processes.exchange(take());
  for (std::size_t p = 0; p < n; ++p) {
    for (parallel::Unpacker in(asked[p]); !in.done();) parts.push_back({in.get<Part>(), p});
  }
  std::ranges::sort(parts, {}, [](const Asked& a) {
    return std::tuple(a.part.comm, a.part.instance, a.part.member);
  });
  CollectiveSummary::Who latest;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const Part& part = parts[i].part;
    if (i == 0 || part.comm != parts[i - 1].part.comm ||
        part.instance != parts[i - 1].part.instance) {
      latest = {};
    }
    if (latest.rank == kNone || part.begin > latest.time) latest = {part.begin, part.rank};
    packs[parts[i].process].put(Answer{part.index, latest.rank, latest.time});
  }
  for (const auto& bytes : processes.exchange(take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      const Answer answer = in.get<Answer>();
      const auto& p = prefixes_[answer.index];
      if (!p.waits) continue;
      trace::Collective own;
      own.call = p.call;
      own.begin = p.begin;
      own.end = p.end;
      book(booking_.map.early_scan, p.location, own,
           patterns::early_scan(p.begin, p.end, answer.begin), {answer.begin, answer.rank},
           booking_.definitions.comms[p.comm].spans_metahosts);
    }
  }
  prefixes_.clear();
}

}  // namespace latecomer::replay
