// SPDX-License-Identifier: BSD-3-Clause
// Matches collective operations. Instances are handled in blocks, so the tables of summaries stay
// small however long the run was.
#include "analyzer/match/collectives.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>

#include "analyzer/match/gap_walk.hpp"
#include "analyzer/match/handed_on.hpp"
#include "analyzer/match/in_time_order.hpp"
#include "analyzer/memory/flat_index.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"

namespace latecomer::replay {
namespace {

using trace::Collective;
using trace::kNone;

constexpr std::uint32_t kBlock = 1 << 16;  // instances per communicator and round

using Who = CollectiveSummary::Who;
constexpr trace::Ticks kNever = CollectiveSummary::kNever;

bool is_later(trace::Ticks a, std::uint32_t rank_a, trace::Ticks b, std::uint32_t rank_b) {
  return a > b || (a == b && rank_a < rank_b);
}
void later(Who& mine, const Who& theirs) {
  if (is_later(theirs.time, theirs.rank, mine.time, mine.rank)) mine = theirs;
}
void sooner(Who& mine, const Who& theirs) {
  if (theirs.time != kNever &&
      (mine.time == kNever || is_later(mine.time, theirs.rank, theirs.time, mine.rank))) {
    mine = theirs;
  }
}
void earlier(trace::Ticks& mine, trace::Ticks theirs) {
  if (theirs != kNever && (mine == kNever || theirs < mine)) mine = theirs;
}

// Uncounted participations never ended, or are on a communicator without this process.
bool is_counted(const Collective& own) {
  return own.kind != Collective::kOpen && own.instance != kNone;
}

constexpr std::int64_t kNoInstance = INT64_MAX;

// The summaries of one round, for all communicators that have any.
class Round {
 public:
  Round(const trace::Definitions& definitions, const std::vector<trace::LocationEvents>& mine,
        std::uint32_t first)
      : definitions_(definitions), first_(first), by_comm_(definitions.comms.size()) {
    for (const auto& events : mine) {
      const std::uint32_t rank = definitions.locations[events.location].process;
      for_each_in_round(events, [&](const Collective& own, const OfKind& of, std::uint32_t at) {
        auto& summaries = *of.summaries;
        while (summaries.size() <= at) {
          auto& fresh = summaries.emplace_back();
          fresh.comm = of.kind->comm;
          fresh.instance = first_ + static_cast<std::uint32_t>(summaries.size()) - 1;
        }
        prefetch(summaries, at + memory::kFewAhead);
        summaries[at].add(rank, events.location, *of.kind, own, of.is_root);
      });
    }
  }

  // Calls f(own, summary) for each participation of a hosted location, even in operations that turn
  // out incomplete.
  template <typename F>
  void for_each(const trace::LocationEvents& events, F&& f) {
    for_each_in_round(events, [&](const Collective& own, const OfKind& of, std::uint32_t at) {
      prefetch(*of.summaries, at + memory::kFewAhead);
      f(own, (*of.summaries)[at]);
    });
  }

  // The least instance after this round that has participants here. Gaps in a trace may be very
  // long, so rounds without participants are skipped.
  [[nodiscard]] std::int64_t next() const { return next_; }

  [[nodiscard]] bool complete(const CollectiveSummary& all) const {
    return all.consistent && all.participants == definitions_.comms[all.comm].size();
  }

  // Merges summaries that have participants on other processes. Each goes to its owner and comes
  // back merged.
  void meet(parallel::Processes& processes) {
    const auto n = static_cast<std::size_t>(processes.size());
    std::vector<parallel::Packer> packs(n);
    std::vector<std::vector<CollectiveSummary*>> asked(n);
    for (auto& summaries : by_comm_) {
      for (auto& summary : summaries) {
        if (summary.participants == 0 || complete(summary)) continue;
        // Blocks of 1024 instances have the same owner.
        const std::size_t owner = (summary.comm + summary.instance / 1024) % n;
        packs[owner].put(summary);
        asked[owner].push_back(&summary);
      }
    }
    const auto answers = processes.exchange(merge(processes.exchange(take_all(packs))));
    for (std::size_t p = 0; p < n; ++p) {
      parallel::Unpacker in(answers[p]);
      for (auto* summary : asked[p]) *summary = in.get<CollectiveSummary>();
    }
  }

 private:
  // Common values of all participations of a location in operations of one kind.
  struct OfKind {
    const trace::CollectiveKind* kind = nullptr;
    memory::Vector<CollectiveSummary>* summaries = nullptr;  // null: no other member
    bool is_root = false;
  };
  // Calls f(own, of its kind, place in the round).
  template <typename F>
  void for_each_in_round(const trace::LocationEvents& events, F&& f) {
    const std::uint32_t rank = definitions_.locations[events.location].process;
    std::vector<OfKind> kinds;
    for (const auto& kind : events.kinds) {
      const auto& comm = definitions_.comms[kind.comm];
      const auto& members = comm.members;
      kinds.push_back({&kind, comm.size() < 2 ? nullptr : &by_comm_[kind.comm],
                       kind.root < members.size() && members[kind.root] == rank});
    }
    events.collectives.for_each([&](const Collective& own) {
      if (!is_counted(own) || own.instance < first_) return;
      const OfKind& of = kinds[own.kind];
      if (of.summaries == nullptr) return;
      if (own.instance - first_ < kBlock) return f(own, of, own.instance - first_);
      next_ = std::min<std::int64_t>(next_, own.instance);
    });
  }
  LATECOMER_PREFETCHES static void prefetch(const memory::Vector<CollectiveSummary>& summaries,
                                            std::size_t at) {
    if (at < summaries.size()) memory::prefetch_whole(&summaries[at]);
  }
  // The owner's part: merges the summaries of each operation and answers in the order of asking.
  static std::vector<parallel::Bytes> merge(const std::vector<parallel::Bytes>& asked) {
    trace::FlatIndex<trace::IntKey> index(1024);
    std::vector<CollectiveSummary> merged;
    const auto key = [](const CollectiveSummary& s) {
      return trace::IntKey{(std::uint64_t{s.comm} << 32) | s.instance};
    };
    for (const auto& bytes : asked) {
      for (parallel::Unpacker in(bytes); !in.done();) {
        const auto part = in.get<CollectiveSummary>();
        const auto next = static_cast<std::uint32_t>(merged.size());
        const auto at = index.at(key(part), next);
        if (at == next) {
          merged.push_back(part);
        } else {
          merged[at].merge(part);
        }
      }
    }
    std::vector<parallel::Packer> packs(asked.size());
    for (std::size_t p = 0; p < asked.size(); ++p) {
      for (parallel::Unpacker in(asked[p]); !in.done();) {
        packs[p].put(merged[index.find(key(in.get<CollectiveSummary>()))]);
      }
    }
    return take_all(packs);
  }

  const trace::Definitions& definitions_;
  std::uint32_t first_;
  std::int64_t next_ = kNoInstance;
  std::vector<memory::Vector<CollectiveSummary>> by_comm_;
};

}  // namespace

void CollectiveSummary::add(std::uint32_t world_rank, std::uint32_t location,
                            const trace::CollectiveKind& kind, const Collective& own,
                            bool is_root) {
  const Who begin{own.begin, world_rank, location, own.start};
  const bool sends = kind.sent != 0, receives = kind.received != 0;
  if (participants == 0) operation = kind.operation;
  consistent = consistent && operation == kind.operation;
  all_positive = all_positive && kind.all_positive;
  ++participants;
  later(latest, begin);
  sooner(earliest, begin);
  earlier(earliest_end, own.end);
  if (is_root) later(root, begin);
  if (!sends) return;
  later(latest_sender, begin);
  if (receives) earlier(earliest_exchange_end, own.end);
  if (is_root) return;
  later(latest_other_sender, begin);
  sooner(earliest_other_sender, begin);
}

void CollectiveSummary::merge(const CollectiveSummary& other) {
  if (operation != other.operation || !other.consistent) consistent = false;
  all_positive = all_positive && other.all_positive;
  participants += other.participants;
  later(latest, other.latest);
  later(latest_sender, other.latest_sender);
  later(latest_other_sender, other.latest_other_sender);
  later(root, other.root);
  earlier(earliest_end, other.earliest_end);
  earlier(earliest_exchange_end, other.earliest_exchange_end);
  sooner(earliest, other.earliest);
  sooner(earliest_other_sender, other.earliest_other_sender);
}

namespace {

// Members of communicators. Each list of members is examined once, even if many communicators share
// it.
class Memberships {
 public:
  explicit Memberships(std::size_t processes) : processes_(processes) {}
  [[nodiscard]] bool is_member(const trace::Comm& comm, std::uint32_t process) {
    return comm.self || is_among(comm.members, process) || is_among(comm.remote, process);
  }

 private:
  bool is_among(const trace::Members& members, std::uint32_t process) {
    if (process < members.size() && members[process] == process) return true;
    if (members.size() <= kFew) return std::ranges::find(members, process) != members.end();
    auto& among = known_[&members.ranks()];
    if (among.empty()) {
      among.resize(processes_);
      for (const auto rank : members) {
        if (rank < processes_) among[rank] = true;
      }
    }
    return among[process];
  }
  static constexpr std::size_t kFew = 64;  // a search is cheaper than a bit per process
  std::size_t processes_;
  std::unordered_map<const trace::Members::Ranks*, std::vector<bool>> known_;
};

// The smallest number of all processes, per communicator.
CountedByAll least_of_all(const std::vector<std::int64_t>& least, parallel::Processes& processes) {
  parallel::Packer pack;
  for (const std::int64_t count : least) pack.put(count);
  std::vector<std::int64_t> all = least;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    parallel::Unpacker in(bytes);
    for (auto& count : all) count = std::min(count, in.get<std::int64_t>());
  }
  CountedByAll counted(all.size());
  for (std::size_t i = 0; i < counted.size(); ++i) {
    counted[i] = static_cast<std::uint32_t>(std::min<std::int64_t>(all[i], kNone));
  }
  return counted;
}

}  // namespace

// Walks over the operations and gaps of each process in the order of starting, and counts per
// communicator.
CountedByAll count_instances(const trace::Definitions& definitions,
                             std::vector<trace::LocationEvents>& mine,
                             parallel::Processes& processes) {
  std::vector<std::uint32_t> next(definitions.comms.size());
  std::vector<std::optional<bool>> member(definitions.comms.size());  // known if used
  Memberships memberships(definitions.processes.size());
  std::vector<std::int64_t> least(next.size(), INT64_MAX);
  const bool any_here =
      std::ranges::any_of(mine, [](const auto& events) { return !events.collective_gaps.empty(); });
  // The smallest counts are needed only if some process has gaps.
  const bool any = processes.max(any_here ? 1 : 0) != 0;
  for (std::size_t first = 0, last = 0; first < mine.size(); first = last) {
    const std::uint32_t process = definitions.locations[mine[first].location].process;
    while (last < mine.size() && definitions.locations[mine[last].location].process == process) {
      ++last;
    }
    // Threads of one process share the count, since collective calls of a process come one at a
    // time.
    std::ranges::fill(next, 0);
    std::ranges::fill(member, std::nullopt);
    GapWalk gaps(
        mine, first, last, &trace::LocationEvents::collective_gaps,
        [&](const trace::Gap& gap) { next[gap.comm] += static_cast<std::uint32_t>(gap.count); });
    const HandedOn handed_on(mine, first, last, &trace::LocationEvents::collectives_elsewhere);
    const auto begun = [](const auto&, const Collective& own) { return own.begin; };
    in_time_order(mine, first, last, &trace::LocationEvents::collectives, begun,
                  [&](auto l, auto i, const auto&) {
                    gaps.before(l, i);
                    const auto at = handed_on.find(l, i);
                    if (!at) return;
                    auto& own = mine[at->location].collectives[at->index];
                    if (own.kind == Collective::kOpen) return;
                    const auto comm = mine[at->location].kinds[own.kind].comm;
                    if (!member[comm]) {
                      member[comm] = memberships.is_member(definitions.comms[comm], process);
                    }
                    own.instance = *member[comm] ? next[comm]++ : kNone;
                  });
    gaps.rest();
    for (std::size_t comm = 0; any && comm < next.size(); ++comm) {
      if (next[comm] == 0 && !memberships.is_member(definitions.comms[comm], process)) continue;
      least[comm] = std::min<std::int64_t>(least[comm], next[comm]);
    }
  }
  return any ? least_of_all(least, processes) : CountedByAll();
}

UnmatchedCollectives match_collectives(const trace::Definitions& definitions,
                                       const std::vector<trace::LocationEvents>& mine,
                                       const CountedByAll& counted, parallel::Processes& processes,
                                       const OnCollective& on_collective) {
  UnmatchedCollectives unmatched;
  for (std::size_t l = 0; l < mine.size(); ++l) {
    mine[l].collectives.for_each([&](const Collective& own) {
      if (own.kind == Collective::kOpen || is_counted(own)) return;
      if (definitions.comms[mine[l].kinds[own.kind].comm].size() < 2) return;
      unmatched.calls.push_back({l, own.call});
    });
  }
  // Rounds of kBlock instances, skipping instances without participants.
  for (std::int64_t first = 0, next = 0; first != kNoInstance; first = next) {
    Round round(definitions, mine, static_cast<std::uint32_t>(first));
    next = processes.min(round.next());
    round.meet(processes);
    for (std::size_t l = 0; l < mine.size(); ++l) {
      round.for_each(mine[l], [&](const Collective& own, const CollectiveSummary& all) {
        if (round.complete(all)) {
          on_collective(l, own, all);
        } else if (all.consistent && all.comm < counted.size() &&
                   own.instance < counted[all.comm]) {
          unmatched.at_edges.push_back({l, own.call});
        } else {
          unmatched.calls.push_back({l, own.call});
        }
      });
    }
  }
  return unmatched;
}

}  // namespace latecomer::replay
