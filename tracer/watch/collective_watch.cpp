// SPDX-License-Identifier: BSD-3-Clause
// Matches collective operations by their numbers, and evaluates each when all members have left it.
#include "tracer/watch/collective_watch.hpp"

#include <algorithm>

#include "patterns/calls/collective_class.hpp"
#include "patterns/calls/collective_name.hpp"
#include "patterns/waits/barrier_wait.hpp"
#include "patterns/waits/early_reduce.hpp"
#include "patterns/waits/late_broadcast.hpp"
#include "patterns/waits/late_contributor.hpp"
#include "patterns/waits/wait_nxn.hpp"

namespace latecomer::watch {

using patterns::CollectiveOperation;

namespace {

std::uint64_t key_of(Rank rank, CommId comm) { return std::uint64_t{rank} << 32 | comm; }

// A point in time with the rank that it is of. Ties go to the lower rank, as after the run.
struct Who {
  Nanoseconds time = 0;
  Rank rank = kNone;

  void later(Nanoseconds t, Rank r) {
    if (rank == kNone || t > time || (t == time && r < rank)) *this = {t, r};
  }
  void sooner(Nanoseconds t, Rank r) {
    if (rank == kNone || t < time || (t == time && r < rank)) *this = {t, r};
  }
};

}  // namespace

void CollectiveWatch::define(CommId comm, std::vector<Rank> members) {
  Comm& known = comms_[comm];
  known.members = std::move(members);
  for (const Rank member : known.members) {
    known.had_loss = known.had_loss || lost_.contains(member);
    known.elsewhere = known.elsewhere || elsewhere_.contains(member);
  }
}

void CollectiveWatch::take(const CallEvent& call, const Operation& operation) {
  auto& open = open_.try_emplace(call.rank, limits_.open_requests).first->second;
  Part part;
  part.rank = call.rank;
  switch (operation.kind) {
    case Operation::Kind::kCollectiveBegins:
      open.begin(operation.request);
      if (Part* const begun = open.find(operation.request)) begun->begin = operation.time;
      return;
    case Operation::Kind::kCollectivesMissing:
      if (operation.count == 0) return;
      part.comm = operation.comm;
      part.missing = operation.count;
      return open.at_once(part);
    case Operation::Kind::kCollective:
      break;
    default:
      return;
  }
  ++counts_.seen;
  part.comm = operation.comm;
  part.path = call.path;
  part.operation = operation.operation;
  part.all_positive = operation.all_positive;
  part.sends = operation.sends;
  part.receives = operation.receives;
  part.root = operation.peer;
  part.end = operation.time;
  part.nonblocking = operation.request != 0;
  if (!part.nonblocking) {
    part.begin = part.wait_begin = operation.begin;
    return open.at_once(part);
  }
  const Part* const begun = open.find(operation.request);
  if (begun == nullptr) {
    // It has no place among the others, so their numbers are not known any more.
    ++counts_.out_of_order;
    return lose(call.rank);
  }
  part.begin = begun->begin;
  part.wait_begin = std::max(part.begin, call.enter);
  static_cast<void>(open.end(operation.request, part));
}

void CollectiveWatch::end_call(Rank rank) {
  const auto open = open_.find(rank);
  if (open == open_.end() || open->second.size() == 0) return;
  if (open->second.hand_on([&](const Part& part) { meet(part); }) != 0) lose(rank);
}

void CollectiveWatch::meet(const Part& part) {
  const auto found = comms_.find(part.comm);
  std::uint64_t& next = next_[key_of(part.rank, part.comm)];
  if (part.missing != 0) {
    next += part.missing;
    return;
  }
  const std::uint64_t instance = next++;
  if (found == comms_.end() || found->second.members.size() < 2) {
    ++counts_.not_watched;
    return;
  }
  Comm& comm = found->second;
  if (comm.elsewhere) {
    ++counts_.elsewhere;
    return;
  }
  if (comm.had_loss) return count_loss(part);
  tell_others(comm, instance, part);
  if (instance < comm.first_valid) {
    ++counts_.no_room;
    return;
  }
  meet_at(comm, instance, part);
}

void CollectiveWatch::tell_others(Comm& comm, std::uint64_t instance, const Part& part) const {
  if (comm.version != others_.version()) {
    comm.version = others_.version();
    comm.has_others =
        std::ranges::any_of(comm.members, [&](Rank rank) { return others_.contains(rank); });
  }
  if (!comm.has_others) return;
  RemoteOperation told;
  told.kind = RemoteOperation::Kind::kCollective;
  told.rank = part.rank;
  told.comm = part.comm;
  told.peer = part.root;
  told.path = part.path;
  told.number = instance;
  told.operation = part.operation;
  told.all_positive = part.all_positive;
  told.sends = part.sends;
  told.receives = part.receives;
  told.time = part.begin;
  told.end = part.end;
  others_.tell(told);
}

void CollectiveWatch::take(const RemoteOperation& told) {
  const auto found = comms_.find(told.comm);
  if (found == comms_.end() || found->second.members.size() < 2) return;
  Comm& comm = found->second;
  if (comm.elsewhere || comm.had_loss || told.number < comm.first_valid) return;
  Part part;
  part.rank = told.rank;
  part.comm = told.comm;
  part.path = told.path;
  part.operation = told.operation;
  part.all_positive = told.all_positive;
  part.sends = told.sends;
  part.receives = told.receives;
  part.root = told.peer;
  part.begin = part.wait_begin = told.time;
  part.end = told.end;
  meet_at(comm, told.number, part);
}

std::int64_t CollectiveWatch::own(const Parts& parts) const {
  return std::ranges::count_if(parts,
                               [&](const Part& part) { return !others_.contains(part.rank); });
}

void CollectiveWatch::forget(const Parts& parts) {
  counts_.pending -= own(parts);
  held_ -= parts.size();
}

void CollectiveWatch::meet_at(Comm& comm, std::uint64_t instance, const Part& part) {
  Parts& parts = comm.pending[instance];
  parts.push_back(part);
  ++held_;
  if (!others_.contains(part.rank)) ++counts_.pending;
  if (parts.size() == comm.members.size()) {
    finish_operation(comm, instance, parts);
    comm.pending.erase(instance);
    // Members come to the operations of a communicator in their order, so those before this one
    // stay incomplete: some member did not record them. Nonblocking ones keep it, too (take()).
    while (!comm.pending.empty() && comm.pending.begin()->first < instance) {
      counts_.not_recorded += own(comm.pending.begin()->second);
      forget(comm.pending.begin()->second);
      comm.pending.erase(comm.pending.begin());
    }
    comm.first_valid = std::max(comm.first_valid, instance + 1);
  } else if (held_ > limits_.parts) {
    drop_oldest();
  }
}

void CollectiveWatch::finish_operation(const Comm& comm, std::uint64_t instance, Parts& parts) {
  const std::int64_t count = own(parts);
  forget(parts);
  std::ranges::sort(parts, {}, &Part::rank);
  const bool consistent =
      std::ranges::all_of(
          parts, [&](const Part& part) { return part.operation == parts.front().operation; }) &&
      std::ranges::adjacent_find(parts, {}, &Part::rank) == parts.end();
  if (!consistent) {
    counts_.inconsistent += count;
    return;
  }
  counts_.finished += count;
  add_waits(comm, parts);
  count_orders(comm, instance, parts);
}

// Calls the formulas of the wait states. Who is waited for, and ties, are as after the run.
void CollectiveWatch::add_waits(const Comm& comm, const Parts& parts) {
  static_cast<void>(comm);
  Who latest, latest_sender, first_other, last_other, root;
  bool all_positive = true;
  for (const Part& part : parts) {
    all_positive = all_positive && part.all_positive;
    latest.later(part.begin, part.rank);
    const bool is_root = part.root == part.rank;
    if (is_root) root.later(part.begin, part.rank);
    if (!part.sends) continue;
    latest_sender.later(part.begin, part.rank);
    if (is_root) continue;
    last_other.later(part.begin, part.rank);
    first_other.sooner(part.begin, part.rank);
  }
  const auto add = [&](WaitKind kind, const Part& part, const Who& cause, Nanoseconds begin,
                       Nanoseconds time) {
    waits_.add({kind, part.rank, cause.rank, part.path, begin, time});
  };
  const auto kind = patterns::collective_class(parts.front().operation, all_positive);
  for (const Part& part : parts) {
    const Nanoseconds begin = part.wait_begin;
    switch (kind) {
      case patterns::CollectiveClass::kBarrier:
        add(WaitKind::kBarrier, part, latest, begin,
            patterns::barrier_wait(begin, part.end, latest.time));
        break;
      case patterns::CollectiveClass::kNToN:
        if (latest_sender.rank == kNone || !part.receives) break;
        add(WaitKind::kNxN, part, latest_sender, begin,
            patterns::wait_nxn(begin, part.end, latest_sender.time));
        break;
      case patterns::CollectiveClass::kOneToN:
        if (root.rank == kNone || part.rank == root.rank || !part.receives) break;
        add(WaitKind::kLateBroadcast, part, root, begin,
            patterns::late_broadcast(begin, part.end, root.time));
        break;
      case patterns::CollectiveClass::kNToOne:
        if (first_other.rank == kNone || part.rank != root.rank || !part.receives) break;
        add(WaitKind::kEarlyReduce, part, first_other, begin,
            patterns::early_reduce(begin, part.end, first_other.time));
        add(WaitKind::kLateContributor, part, last_other, std::max(begin, first_other.time),
            patterns::late_contributor(begin, part.end, first_other.time, last_other.time));
        break;
      default:
        if (!patterns::name(static_cast<CollectiveOperation>(part.operation)).empty() &&
            !others_.contains(part.rank))
          ++counts_.without_formula;
        break;
    }
  }
}

void CollectiveWatch::count_orders(const Comm& comm, std::uint64_t instance, Parts& parts) {
  // The creation of communicators is left out, since it is rarely worth tuning.
  if (patterns::name(static_cast<CollectiveOperation>(parts.front().operation)).empty()) return;
  const CollectiveSite key{parts.front().comm, parts.front().operation, parts.front().path};
  auto site = sites_.find(key);
  if (site == sites_.end()) {
    const std::int64_t count = own(parts);
    if (participants_ + static_cast<std::size_t>(count) > limits_.participants) {
      counts_.without_statistics += count;
      return;
    }
    participants_ += static_cast<std::size_t>(count);
    site = sites_.try_emplace(key).first;
  }
  CollectiveStatistics& all = site->second;
  ++all.operations;
  Nanoseconds latest = INT64_MIN, earliest_end = INT64_MAX;
  for (const Part& part : parts) {
    latest = std::max(latest, part.begin);
    earliest_end = std::min(earliest_end, part.end);
  }
  // Another watcher counts its own ranks.
  ParticipantStatistics ignored;
  const auto of = [&](Rank rank) -> ParticipantStatistics& {
    return others_.contains(rank) ? ignored : all.ranks[rank];
  };
  for (const Part& part : parts) {
    ParticipantStatistics& one = of(part.rank);
    ++one.count;
    one.arrival.add(static_cast<std::int64_t>(instance), latest - part.begin);
    one.departure.add(static_cast<std::int64_t>(instance), part.end - earliest_end);
  }
  const std::size_t size = comm.members.size();
  const auto place = [&](std::size_t i) { return size <= kPlaces ? i : i * kPlaces / size; };
  // On ties the lower rank came first. It also counts as the last one of several that came last.
  std::ranges::stable_sort(parts, {}, &Part::begin);
  ++of(parts.front().rank).first;
  ++of(std::ranges::find(parts, latest, &Part::begin)->rank).last;
  for (std::size_t i = 0; i < size; ++i) ++of(parts[i].rank).arrivals[place(i)];
  std::ranges::sort(parts, [](const Part& a, const Part& b) {
    return std::pair(a.end, a.rank) < std::pair(b.end, b.rank);
  });
  ++of(parts.front().rank).left_first;
  ++of(std::ranges::find(parts, parts.back().end, &Part::end)->rank).left_last;
  for (std::size_t i = 0; i < size; ++i) ++of(parts[i].rank).departures[place(i)];
}

void CollectiveWatch::count_loss(const Part& part) {
  ++counts_.after_loss;
  waits_.cut(part.rank, part.wait_begin);
}

void CollectiveWatch::drop_pending(Comm& comm, std::int64_t& reason) {
  for (const auto& [instance, parts] : comm.pending) {
    reason += own(parts);
    forget(parts);
  }
  comm.pending.clear();
}

// Leaves out the incomplete operation that began first.
void CollectiveWatch::drop_oldest() {
  Comm* oldest = nullptr;
  Nanoseconds begin = INT64_MAX;
  for (auto& [id, comm] : comms_) {
    if (comm.pending.empty()) continue;
    const Nanoseconds t = comm.pending.begin()->second.front().begin;
    if (oldest != nullptr && t >= begin) continue;
    oldest = &comm;
    begin = t;
  }
  if (oldest == nullptr) return;
  const auto first = oldest->pending.begin();
  counts_.no_room += own(first->second);
  forget(first->second);
  oldest->first_valid = first->first + 1;
  oldest->pending.erase(first);
}

void CollectiveWatch::lose(Rank rank) {
  if (lost_.insert(rank).second && !others_.contains(rank)) {
    RemoteOperation loss;
    loss.kind = RemoteOperation::Kind::kLoss;
    loss.rank = rank;
    loss.only_collectives = true;
    others_.tell(loss);
  }
  for (auto& [id, comm] : comms_) {
    if (std::ranges::find(comm.members, rank) == comm.members.end()) continue;
    comm.had_loss = true;
    for (const auto& [instance, parts] : comm.pending) {
      for (const Part& part : parts) waits_.cut(part.rank, part.wait_begin);
    }
    drop_pending(comm, counts_.after_loss);
  }
  // Requests that were begun before may have been completed in the gap.
  if (const auto open = open_.find(rank); open != open_.end()) {
    open->second.close();
    end_call(rank);
  }
}

void CollectiveWatch::leave_out(Rank rank) {
  elsewhere_.insert(rank);
  for (auto& [id, comm] : comms_) {
    if (std::ranges::find(comm.members, rank) == comm.members.end()) continue;
    comm.elsewhere = true;
    drop_pending(comm, counts_.elsewhere);
  }
}

void CollectiveWatch::finish() {
  for (auto& [rank, open] : open_) {
    open.close();
    open.hand_on([&](const Part& part) { meet(part); });
  }
}

}  // namespace latecomer::watch
