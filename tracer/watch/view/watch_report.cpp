// SPDX-License-Identifier: BSD-3-Clause
// Joins sums and statistics with the names of the run.
#include "tracer/watch/view/watch_report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "patterns/calls/collective_name.hpp"

namespace latecomer::watch {
namespace {

void add_ranks(WatchReport& report, const RunFollower& run, const WaitSums& sums,
               const WaitingNow& now) {
  std::map<Rank, const FollowedProcess*> followed;
  const auto processes = run.processes();
  for (const FollowedProcess& process : processes) {
    if (process.not_followed.empty()) {
      followed[process.rank] = &process;
    } else if (process.elsewhere) {
      report.is_part = true;
    } else {
      report.not_watched.push_back({process.rank, process.not_followed});
    }
  }
  for (Rank rank = 0; rank < report.size; ++rank) {
    const bool here = std::ranges::binary_search(processes, rank, {}, &FollowedProcess::rank);
    if (!here) report.not_watched.push_back({rank, "it has no records here"});
  }
  std::ranges::stable_sort(report.not_watched, {}, &WatchReport::NotWatched::rank);
  // Between the last record that was read and now something may have happened if there are more.
  const bool is_up_to_date = now.time.has_value() && !report.catches_up();
  const Nanoseconds last = sums.last() == INT64_MIN ? 0 : sums.last();
  const Window window(is_up_to_date ? std::max(last, *now.time) : last);
  Nanoseconds first = INT64_MAX;
  for (Rank rank = 0; rank < sums.ranks().size(); ++rank) {
    const RankSums& one = sums.ranks()[rank];
    if (one.elsewhere && one.caused != 0) report.caused_elsewhere.emplace_back(rank, one.caused);
    if (!followed.contains(rank)) continue;
    WatchReport::OfRank& of = report.ranks.emplace_back();
    of.rank = rank;
    of.node = followed[rank]->host;
    of.waits = one.waits;
    of.waiting = one.waiting();
    of.caused = one.caused;
    of.mpi = one.mpi;
    of.begin_end = one.begin_end;
    of.run = one.run();
    of.lost = !one.all_known();
    of.known = one.known();
    of.unseen = one.unseen;
    const auto waiting = std::ranges::lower_bound(now.waiting, rank, {}, &WaitingRank::rank);
    const bool waits = waiting != now.waiting.end() && waiting->rank == rank;
    std::optional<OpenCall> open;
    if (waits && waiting->since < 0) of.waiting_now.reset();
    if (waits && waiting->since >= 0) {
      open = OpenCall{*now.time - waiting->since, waiting->begin, waiting->end};
      if (!waiting->all_came) of.waiting_now = waiting->since;
    }
    LastSeconds seconds = last_seconds(one, open && is_up_to_date ? &*open : nullptr, window);
    of.recent_waiting = seconds.waiting;
    of.recent_mpi = seconds.mpi;
    of.slices = std::move(seconds.slices);
    first = std::min(first, one.first);
  }
  report.begin = first;
  if (first >= sums.last()) return;
  report.run = sums.last() - first;
  report.recent = window.end - std::max(first, window.begin());
}

void add_unfinished(WatchReport& report, RunFollower& run, const WaitSums& sums,
                    const Watcher& watcher, const std::vector<UnfinishedRank>& ranks) {
  report.until = report.run;
  for (const UnfinishedRank& one : ranks) {
    WatchReport::Unfinished& of = report.unfinished.emplace_back();
    of.rank = one.rank;
    of.state = one.state;
    of.gone = one.gone;
    if (one.state == UnfinishedRank::State::kUnknown) continue;
    if (one.in_call) of.path = run.paths().text(one.path);
    const Nanoseconds begin = report.begin == INT64_MAX ? one.from : report.begin;
    of.from = std::max<Nanoseconds>(0, one.from - begin);
    of.length = one.end - one.from;
    const Nanoseconds last = watcher.last_leave(one.rank);
    of.beyond = last == INT64_MIN ? of.length : std::max<Nanoseconds>(0, one.end - last);
    report.until = std::max(report.until, one.end - begin);
    const bool is_known = one.rank < sums.ranks().size() &&
                          (!one.wait || one.wait->begin < sums.ranks()[one.rank].known_until);
    if (!one.wait || !is_known) continue;
    of.kind = one.wait->kind;
    of.waiting = one.wait->time;
    if (one.wait->cause != kNone) of.cause = one.wait->cause;
  }
}

void add_paths(WatchReport& report, CallPaths& paths, const WaitSums& sums) {
  std::map<std::pair<PathId, WaitKind>, WatchReport::OfPath> all;
  for (const auto& [key, sum] : sums.places()) {
    WatchReport::OfPath& of = all[{std::get<0>(key), std::get<1>(key)}];
    of.kind = std::get<1>(key);
    of.all.count += sum.count;
    of.all.time += sum.time;
    of.ranks.emplace_back(std::get<2>(key), sum);
  }
  for (const auto& [key, sum] : sums.causes()) {
    const auto of = all.find({std::get<0>(key), std::get<1>(key)});
    if (of != all.end()) of->second.causes.emplace_back(std::get<2>(key), sum);
  }
  for (auto& [key, of] : all) {
    of.path = paths.text(key.first);
    std::ranges::stable_sort(of.causes, std::greater{},
                             [](const auto& one) { return one.second.time; });
    report.paths.push_back(std::move(of));
  }
  std::ranges::stable_sort(report.paths, [](const auto& a, const auto& b) {
    return std::tie(b.all.time, a.path.path, a.path.place) <
           std::tie(a.all.time, b.path.path, b.path.place);
  });
}

void add_calls(WatchReport& report, CallPaths& paths, const WaitSums& sums) {
  std::map<PathId, WatchReport::OfCalls> all;
  for (const auto& [place, sum] : sums.calls())
    all[place.first].ranks.emplace_back(place.second, sum);
  for (auto& [path, of] : all) {
    of.path = paths.text(path);
    report.calls.push_back(std::move(of));
  }
  std::ranges::stable_sort(report.calls, [](const auto& a, const auto& b) {
    return std::tie(a.path.names, a.path.place) < std::tie(b.path.names, b.path.place);
  });
}

void add_sites(WatchReport& report, RunFollower& run, const CollectiveWatch& collectives) {
  for (const auto& [site, statistics] : collectives.sites()) {
    WatchReport::OfSite& of = report.sites.emplace_back();
    of.communicator = run.comms()[site.comm].name;
    of.operation = patterns::name(static_cast<patterns::CollectiveOperation>(site.operation));
    of.path = run.paths().text(site.path);
    const RunComm& comm = run.comms()[site.comm];
    of.id = std::to_string(comm.owner) + ' ' + std::to_string(comm.number) + ' ' +
            std::to_string(run.paths().hash(site.path));
    of.statistics = statistics;
    for (const auto& [rank, one] : statistics.ranks) of.early += one.arrival.sum();
  }
  std::ranges::stable_sort(report.sites, std::greater{}, &WatchReport::OfSite::early);
}

}  // namespace

Nanoseconds WatchReport::waiting_time() const {
  Nanoseconds sum = 0;
  for (const OfRank& one : ranks) sum += one.waiting;
  return sum;
}

Nanoseconds WatchReport::time() const {
  Nanoseconds sum = 0;
  for (const OfRank& one : ranks) sum += one.known;
  return sum;
}

bool WatchReport::has_known() const {
  return ranks.empty() || std::ranges::any_of(ranks, &OfRank::has_known);
}

std::size_t WatchReport::lost_ranks() const {
  return static_cast<std::size_t>(std::ranges::count(ranks, true, &OfRank::lost));
}

bool WatchReport::partial() const {
  return !ended || !not_watched.empty() || !unfinished.empty() || records.lost != 0 ||
         records.not_written != 0 || records.damages != 0;
}

WatchReport make_report(RunFollower& run, const Watcher& watcher, WaitingNow now,
                        const std::vector<UnfinishedRank>& unfinished) {
  WatchReport report;
  report.experiment = run.directory();
  report.program = run.program();
  report.ended = run.ended();
  report.size = run.size();
  report.nodes = run.nodes();
  report.shared_cores = run.shared_cores();
  WaitSums sums = watcher.waits();
  if (run.ended()) {
    now = {};
    add_unfinished(sums, unfinished);
  } else {
    report.behind = run.behind();
  }
  add_ranks(report, run, sums, now);
  add_unfinished(report, run, sums, watcher, unfinished);
  add_paths(report, run.paths(), sums);
  add_calls(report, run.paths(), sums);
  for (const auto& [key, sum] : sums.node_pairs()) {
    const auto name = [&](std::uint32_t node) {
      return node < report.nodes.size() ? report.nodes[node] : std::to_string(node);
    };
    report.node_pairs.push_back(
        {std::get<0>(key), name(std::get<1>(key)), name(std::get<2>(key)), sum});
  }
  std::ranges::stable_sort(report.node_pairs, std::greater{},
                           [](const auto& one) { return one.sum.time; });
  add_sites(report, run, watcher.collectives());
  report.late = std::move(now.late);
  report.circles = std::move(now.circles);
  for (WaitingRank& one : now.waiting) {
    const PathText& path = run.paths().text(one.path);
    report.waiting.push_back({std::move(one), path});
  }
  report.collectives = watcher.collectives().counts();
  report.messages = watcher.messages();
  report.records = run.counts();
  report.without_place = sums.without_place();
  report.after_loss = sums.after_loss();
  return report;
}

}  // namespace latecomer::watch
