// SPDX-License-Identifier: BSD-3-Clause
// Joins sums and statistics with the names of the run.
#include "tracer/watch/view/watch_report.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "patterns/calls/collective_name.hpp"

namespace latecomer::watch {
namespace {

void add_ranks(WatchReport& report, const RunFollower& run, const WaitSums& sums) {
  std::map<Rank, const FollowedProcess*> followed;
  const auto processes = run.processes();
  for (const FollowedProcess& process : processes) {
    if (process.not_followed.empty()) {
      followed[process.rank] = &process;
    } else {
      report.not_watched.push_back({process.rank, process.not_followed});
    }
  }
  for (Rank rank = 0; rank < report.size; ++rank) {
    const bool here = std::ranges::binary_search(processes, rank, {}, &FollowedProcess::rank);
    if (!here) report.not_watched.push_back({rank, "it has no records here"});
  }
  std::ranges::stable_sort(report.not_watched, {}, &WatchReport::NotWatched::rank);
  const std::int64_t end = sums.last() == INT64_MIN ? 0 : sums.last() / RecentTime::kSlice + 1;
  const std::int64_t begin = end - WatchReport::kRecentSlices;
  Nanoseconds first = INT64_MAX;
  for (Rank rank = 0; rank < sums.ranks().size(); ++rank) {
    const RankSums& one = sums.ranks()[rank];
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
    of.recent_waiting = one.recent_waits.between(begin, end);
    of.recent_mpi = one.recent_mpi.between(begin, end);
    for (std::int64_t slice = end - WatchReport::kShownSlices; slice < end; ++slice) {
      const bool known = !of.lost || (slice + 1) * RecentTime::kSlice <= one.known_end();
      of.slices.push_back(known ? one.recent_waits.between(slice, slice + 1)
                                : WatchReport::kNotKnown);
    }
    first = std::min(first, one.first);
  }
  if (first >= sums.last()) return;
  report.run = sums.last() - first;
  report.recent = std::min(report.run, sums.last() - begin * RecentTime::kSlice);
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

WatchReport make_report(RunFollower& run, const Watcher& watcher, bool now) {
  WatchReport report;
  report.experiment = run.directory();
  report.program = run.program();
  report.ended = run.ended();
  report.size = run.size();
  report.nodes = run.nodes();
  const WaitSums sums = watcher.waits();
  add_ranks(report, run, sums);
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
  if (now) {
    WaitingNow waiting = waiting_now(run);
    report.late = std::move(waiting.late);
    for (WaitingRank& one : waiting.waiting) {
      const PathText& path = run.paths().text(one.path);
      report.waiting.push_back({std::move(one), path});
    }
  }
  report.collectives = watcher.collectives().counts();
  report.messages = watcher.messages();
  report.records = run.counts();
  report.without_place = sums.without_place();
  report.after_loss = sums.after_loss();
  return report;
}

}  // namespace latecomer::watch
