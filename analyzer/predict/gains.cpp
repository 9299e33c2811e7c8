// SPDX-License-Identifier: BSD-3-Clause
// Chooses the largest causes of waiting and replays the run with each of them changed.
#include "analyzer/predict/gains.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/predict/rates.hpp"

namespace latecomer::predict {
namespace {

using engine::Durations;
using engine::Pace;
using replay::Booking;
using trace::kNone;
using trace::Ticks;

constexpr std::size_t kMostCauses = 5;
constexpr std::int64_t kSmallestShare = 100;  // a cause has at least one 100th of the delay costs
// Parts of the time of a cause that remain. The first one is a tenth less.
constexpr Pace kParts[] = {{9, 10}, {3, 4}, {1, 2}, {0, 1}};
constexpr double kRounding = 1e-6;  // of the run time
static_assert(kMostCauses <= engine::Graded::kMostRates);

// The call paths outside MPI with the largest delay costs, the largest first. Collective.
std::vector<std::uint32_t> largest_causes(const Booking& booking, parallel::Processes& processes) {
  const replay::CauseMetrics metrics(booking.metrics);
  const auto& nodes = booking.tree.nodes;
  std::vector<Ticks> costs(nodes.size());
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    if (booking.definitions.regions[nodes[c].region].mpi) continue;
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      costs[c] += metrics.delay_costs(booking, l, c);
    }
  }
  processes.sum(costs);
  const auto all = std::accumulate(costs.begin(), costs.end(), Ticks{0});
  std::vector<std::uint32_t> causes;
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    if (costs[c] > 0 && costs[c] >= all / kSmallestShare) causes.push_back(c);
  }
  std::ranges::stable_sort(causes, std::ranges::greater(),
                           [&](std::uint32_t c) { return costs[c]; });
  if (causes.size() > kMostCauses) causes.resize(kMostCauses);
  return causes;
}

// Times by location and cause. Collective.
std::vector<Ticks> times_of(const Booking& booking, const std::vector<std::uint32_t>& causes,
                            parallel::Processes& processes) {
  const auto time = booking.metrics.id("time");
  std::vector<Ticks> times(booking.definitions.locations.size() * causes.size());
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::size_t i = 0; i < causes.size(); ++i) {
      times[booking.mine[l].location * causes.size() + i] = booking.value(time, l, causes[i]);
    }
  }
  processes.sum(times);
  return times;
}

// Replays a run in which causes take parts of their times, and keeps the paths that limit these
// runs. A run is as long as the longest of its paths, and the length of a path is linear in the
// parts. So the longest of the kept paths is never longer than the run, but for rounding. If there
// is one cause only, its curve says all, and no paths are kept.
class LimitingPaths {
 public:
  using Parts = std::vector<Pace>;  // by cause

  LimitingPaths(WholeReplay& replay, std::size_t locations, std::size_t causes)
      : replay_(replay), locations_(locations), causes_(causes) {}

  // The run time for these parts. Collective.
  Ticks replayed(const Parts& parts) {
    Durations durations{.rates = static_cast<std::uint32_t>(causes_), .of_rate = {}};
    for (std::size_t l = 0; l < locations_; ++l) {
      durations.of_rate.insert(durations.of_rate.end(), parts.begin(), parts.end());
    }
    if (causes_ == 1) return replay_.end(replay_.with(durations));
    const engine::Graded end = replay_.graded_end(durations);
    engine::Graded path = end;
    for (std::size_t i = 0; i < causes_; ++i) path.at -= parts[i].of(end.of_rate[i]);
    const auto same = [&path](const engine::Graded& one) { return one.of_rate == path.of_rate; };
    const auto known = std::ranges::find_if(paths_, same);
    if (known == paths_.end()) {
      paths_.push_back(path);
    } else {
      known->at = std::max(known->at, path.at);
    }
    return end.at;
  }
  // The length of the longest path.
  [[nodiscard]] Ticks longest(const Parts& parts) const {
    Ticks longest = 0;
    for (const auto& path : paths_) {
      Ticks length = path.at;
      for (std::size_t i = 0; i < causes_; ++i) length += parts[i].of(path.of_rate[i]);
      longest = std::max(longest, length);
    }
    return longest;
  }
  [[nodiscard]] Parts unchanged() const { return Parts(causes_); }
  // Each path by its time outside the causes, and in each of them.
  [[nodiscard]] const std::vector<engine::Graded>& paths() const { return paths_; }

 private:
  WholeReplay& replay_;
  std::size_t locations_, causes_;
  std::vector<engine::Graded> paths_;
};

// Run times for some parts of one cause. Between two replays the run time is at most on the
// straight line between them, and at least that of the paths. Where both are the same, as far as
// rounding tells, no replay is needed. Collective.
std::vector<std::pair<Pace, Ticks>> curve_of(std::size_t cause, Ticks recorded,
                                             LimitingPaths& paths) {
  const auto at = [&](const Pace& part) {
    auto parts = paths.unchanged();
    parts[cause] = part;
    return parts;
  };
  const auto fraction = [](const Pace& pace) {
    return static_cast<double>(pace.numerator) / static_cast<double>(pace.denominator);
  };
  const Pace& none = std::end(kParts)[-1];
  std::vector<std::pair<Pace, Ticks>> curve{{none, paths.replayed(at(none))}};
  for (std::size_t next = std::size(kParts) - 1; next-- > 0;) {
    const auto& [part, time] = curve.back();
    const double rest = (fraction(kParts[next]) - fraction(part)) / (1 - fraction(part));
    const double line = static_cast<double>(time) + rest * static_cast<double>(recorded - time);
    const Ticks least = paths.longest(at(kParts[next]));
    const bool straight = line - static_cast<double>(least) <= kRounding * line;
    // The longest path may be longer than the line, by rounding.
    const Ticks on_line = std::min<Ticks>(least, std::llround(line));
    curve.emplace_back(kParts[next], straight ? on_line : paths.replayed(at(kParts[next])));
  }
  std::ranges::reverse(curve);
  return curve;
}

// Replays runs in which the two largest causes, or all of them, take less time. Returns how much
// longer the last ones were than their longest path. Collective.
Ticks replay_several(std::size_t causes, LimitingPaths& paths) {
  std::vector<std::vector<std::size_t>> sets;
  if (causes > 1) sets.push_back({0, 1});
  if (causes > 2) {
    auto& all = sets.emplace_back(causes);
    std::iota(all.begin(), all.end(), std::size_t{0});
  }
  Ticks error = 0;
  for (const Pace& part : {Pace{0, 1}, Pace{1, 2}}) {
    error = 0;
    for (const auto& set : sets) {
      auto parts = paths.unchanged();
      for (const auto i : set) parts[i] = part;
      const Ticks least = paths.longest(parts);
      error = std::max(error, paths.replayed(parts) - least);
    }
  }
  return error;
}

}  // namespace

std::optional<report::Gains> find_gains(const Run& run, parallel::Processes& processes) {
  const Booking& booking = run.recorded.booking;
  std::int64_t calls = 0;
  for (const auto& events : booking.mine) calls += static_cast<std::int64_t>(events.calls.size());
  if (processes.sum(calls) > kMostCalls) return {};
  const auto causes = largest_causes(booking, processes);
  if (causes.empty()) return {};
  const auto times = times_of(booking, causes, processes);
  const auto second = static_cast<double>(booking.definitions.ticks_per_second);
  const auto seconds = [second](Ticks ticks) { return static_cast<double>(ticks) / second; };

  std::vector<std::uint32_t> rates(booking.tree.nodes.size(), kNone);
  for (std::size_t i = 0; i < causes.size(); ++i) {
    rates[causes[i]] = static_cast<std::uint32_t>(i);
  }
  replay::WholeRun whole{.topology = &run.topology,
                         .comm_links = slowest_links(booking.definitions, run.topology),
                         .transfers = transfer_times(run.messages, second, Model::kLeast),
                         .rate_of_node = {},
                         .shares = false,
                         .eager_limit = {}};
  for (const auto c : booking.tree.from_local) whole.rate_of_node.push_back(rates[c]);
  WholeReplay replay(run, whole, processes);

  const Ticks recorded = replay.end(replay.recorded());
  const std::size_t locations = booking.definitions.locations.size();
  LimitingPaths paths(replay, locations, causes.size());
  if (causes.size() > 1) paths.replayed(paths.unchanged());
  std::vector<report::Gains::Cause> found;
  for (std::size_t i = 0; i < causes.size(); ++i) {
    std::vector<Ticks> of_cause;
    for (std::size_t l = 0; l < locations; ++l) of_cause.push_back(times[l * causes.size() + i]);
    Durations in_balance{.rates = static_cast<std::uint32_t>(causes.size()),
                         .of_rate = std::vector<Pace>(locations * causes.size())};
    const auto pace = balanced(booking.definitions, of_cause);
    for (std::size_t l = 0; l < locations; ++l) in_balance.of_rate[l * causes.size() + i] = pace[l];
    report::Gains::Cause cause{.call_path = causes[i],
                               .balanced = seconds(replay.end(replay.with(in_balance)))};
    for (const auto& [part, time] : curve_of(i, recorded, paths)) {
      cause.curve.push_back(
          {static_cast<double>(part.numerator) / static_cast<double>(part.denominator),
           seconds(time)});
    }
    cause.faster = cause.curve.front().run_time;
    found.push_back(std::move(cause));
  }
  report::Gains gains{.recorded = seconds(recorded)};
  gains.error = seconds(replay_several(causes.size(), paths));

  std::vector<std::size_t> order(causes.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, {}, [&found](std::size_t i) { return std::min(found[i].balanced, found[i].faster); });
  for (const auto i : order) gains.causes.push_back(std::move(found[i]));
  for (const auto& path : paths.paths()) {
    auto& out = gains.paths.emplace_back(report::Gains::Path{.fixed = seconds(path.at)});
    for (const auto i : order) out.of_cause.push_back(seconds(path.of_rate[i]));
  }
  return gains;
}

}  // namespace latecomer::predict
