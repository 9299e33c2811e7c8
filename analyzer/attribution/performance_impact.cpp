// SPDX-License-Identifier: BSD-3-Clause
// Computes the profile of the critical path and its impact on all processes.
#include "analyzer/attribution/performance_impact.hpp"

#include <algorithm>

#include "analyzer/memory/ratio.hpp"

namespace latecomer::replay {
namespace {

using memory::rounded_ratio;
using patterns::WaitKind;
using trace::kNone;
using trace::Ticks;

// Times by call path of the global call tree.
using Times = std::vector<Ticks>;

// Wait states that Scalasca knows here. It uses the root's wait for the last sender instead of
// Early Reduce.
constexpr bool counts_in_scalasca(WaitKind kind) {
  switch (kind) {
    case WaitKind::kLateSender:
    case WaitKind::kLateReceiver:
    case WaitKind::kBarrier:
    case WaitKind::kNxN:
    case WaitKind::kLateBroadcast:
    case WaitKind::kFile:
    case WaitKind::kFinalize:
    case WaitKind::kThreadBarrier:
      return true;
    default:
      return false;
  }
}

// The time of a hosted location in each call path without waits.
Times own_times(const Booking& booking, const causes::SyncPoints& points, std::size_t l,
                const CauseMetrics& metrics) {
  Times own(booking.tree.nodes.size());
  const auto& events = booking.mine[l];
  if (metrics.idle == patterns::MetricTree::kNone) {
    for (std::uint32_t node = 0; node < events.time.size(); ++node) {
      own[booking.tree.from_local[node]] += events.time[node];
    }
  } else {  // times that threads recorded outside of their teams are replaced
    for (std::uint32_t c = 0; c < own.size(); ++c) {
      own[c] = booking.value(metrics.time, l, c) - booking.value(metrics.idle, l, c);
    }
  }
  const auto counts = [&](WaitKind kind) {
    if (kind == WaitKind::kIdleThread) return false;
    return !points.compatible() || counts_in_scalasca(kind);
  };
  for (std::uint32_t c = 0; c < own.size(); ++c) {
    for (std::size_t k = 0; k < metrics.wait.size(); ++k) {
      if (counts(static_cast<WaitKind>(k))) own[c] -= metrics.waited(booking, k, l, c);
    }
  }
  for (const auto& point : points.of(l)) {
    auto& time = own[booking.tree.from_local[point.node]];
    if (!counts(point.kind) && point.kind != WaitKind::kIdleThread) time -= point.wait;
    if (point.partner == causes::kEverybody && point.call == events.init) {
      time -= point.over - events.calls[point.call].enter;  // no process could begin before
    }
  }
  return own;
}

// Costs of the imbalance of the critical path: what each call path on it costs locations that spend
// less time in it.
struct Impact {
  Times all, inter;  // inter: of locations that never visit the call path
};

// `lost` is the time that this process did not use. It is divided among the call paths in which it
// did less than the critical path.
void add_impact(const Booking& booking, std::size_t l, const Times& path, Ticks length,
                const Times& own, Impact& impact) {
  Ticks done = 0, headroom = 0, elsewhere = 0;
  Times less(path.size());
  std::vector<bool> visited(path.size());
  for (std::uint32_t c = 0; c < path.size(); ++c) {
    done += own[c];
    if (path[c] <= 0) continue;
    less[c] = path[c] - std::min(path[c], own[c]);
    visited[c] = booking.value(booking.map.visits, l, c) != 0;
    headroom += less[c];
    if (!visited[c]) elsewhere += less[c];
  }
  const Ticks lost = length - done;
  for (std::uint32_t c = 0; c < path.size(); ++c) {
    if (less[c] == 0) continue;
    impact.all[c] += rounded_ratio(less[c], lost, headroom);
    if (!visited[c]) {
      impact.inter[c] += rounded_ratio(less[c], lost - (headroom - elsewhere), elsewhere);
    }
  }
}

// Times of the critical path on each hosted location, by call path.
std::vector<Times> path_times(const Booking& booking, const causes::SyncPoints& points,
                              const std::vector<causes::CallPathTimes>& times,
                              const std::vector<causes::PathPart>& path) {
  std::vector<Times> out(booking.mine.size(), Times(booking.tree.nodes.size()));
  const auto& global = booking.tree.from_local;
  causes::NodeTimes part(global.size());
  // The path is one sequence from the end back.
  std::vector<causes::CallPathTimes::Parts> parts(times.begin(), times.end());
  std::vector<Times> walked(booking.mine.size(), Times(global.size()));
  for (const auto& [location, from, to] : path) {
    const auto l = points.hosted(location);
    if (l == kNone || parts[l].add(from, to, walked[l].data())) continue;
    times[l].add_all(from, to, part);
    part.for_each([&](std::uint32_t node, Ticks time) { out[l][global[node]] += time; });
    part.clear();
  }
  for (std::size_t l = 0; l < walked.size(); ++l) {
    for (std::size_t node = 0; node < global.size(); ++node) {
      out[l][global[node]] += walked[l][node];
    }
  }
  return out;
}

}  // namespace

RunLimits run_limits(const Booking& booking, parallel::Processes& processes) {
  RunLimits limits;
  Ticks start = INT64_MIN, end = INT64_MIN;
  std::int64_t location = kNone, call = kNone;
  for (const auto& events : booking.mine) {
    if (events.init != kNone) start = std::max(start, events.calls[events.init].enter);
    if (events.init == kNone && events.finalize == kNone) continue;
    const bool finished = events.finalize != kNone;
    const Ticks last = finished ? events.calls[events.finalize].enter : events.last;
    if (last > end) {
      end = last;
      location = events.location;
      call = finished ? events.finalize : static_cast<std::uint32_t>(events.calls.size());
    }
  }
  const Ticks latest = processes.max(end);
  const auto first = processes.min(end == latest ? location : std::int64_t{kNone});
  limits.end.location = static_cast<std::uint32_t>(first);
  limits.end.time = latest;
  limits.end.call = static_cast<std::uint32_t>(
      processes.min(location == first && end == latest ? call : std::int64_t{kNone}));
  limits.start = processes.max(start);
  if (limits.start == INT64_MIN) limits.end.location = kNone;
  return limits;
}

// The critical path is one sequence for the whole run. Its time per call path is compared with the
// time of every process in that call path, and the differences are booked.
void book_performance_impact(Booking& booking, const causes::SyncPoints& points,
                             const std::vector<causes::CallPathTimes>& times,
                             const std::vector<causes::PathPart>& path, const CauseMetrics& metrics,
                             parallel::Processes& processes) {
  const auto call_paths = booking.tree.nodes.size();
  const auto on_path = path_times(booking, points, times, path);
  Times whole(call_paths), average(call_paths);
  std::vector<Times> own;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    own.push_back(own_times(booking, points, l, metrics));
    for (std::size_t c = 0; c < call_paths; ++c) {
      whole[c] += on_path[l][c];
      average[c] += own[l][c];
    }
  }
  processes.sum(whole);
  processes.sum(average);
  const auto locations = static_cast<Ticks>(booking.definitions.locations.size());
  for (auto& time : average) time = rounded_ratio(time, 1, locations);
  Ticks length = 0;
  for (const auto time : whole) length += time;

  Impact impact{Times(call_paths), Times(call_paths)};
  for (std::size_t l = 0; l < own.size(); ++l) {
    add_impact(booking, l, whole, length, own[l], impact);
  }
  processes.sum(impact.all);
  processes.sum(impact.inter);

  for (std::size_t l = 0; l < own.size(); ++l) {
    for (std::uint32_t c = 0; c < call_paths; ++c) {
      const Ticks here = on_path[l][c];
      booking.add_up_at(metrics.other_activities, l, c, std::max<Ticks>(0, own[l][c] - whole[c]));
      if (whole[c] <= 0) continue;
      booking.add_up_at(metrics.activities, l, c, std::min(whole[c], own[l][c]));
      booking.add_at(metrics.critical_path, l, c, here);
      booking.add_at(metrics.path_imbalance, l, c,
                     rounded_ratio(std::max<Ticks>(0, whole[c] - average[c]), here, whole[c]));
      const Ticks all = rounded_ratio(impact.all[c], here, whole[c]);
      const Ticks inter = rounded_ratio(std::max<Ticks>(0, impact.inter[c]), here, whole[c]);
      booking.add_up_at(metrics.inter_partition, l, c, inter);
      booking.add_up_at(metrics.intra_partition, l, c, all - inter);
    }
  }
}

}  // namespace latecomer::replay
