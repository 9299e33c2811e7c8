// SPDX-License-Identifier: BSD-3-Clause
// Chooses the largest causes of waiting and replays the run with each of them changed.
#include "analyzer/predict/gains.hpp"

#include <algorithm>
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
  const auto seconds = [&](const Replayed& one) {
    return static_cast<double>(replay.end(one)) / second;
  };

  report::Gains gains;
  gains.recorded = seconds(replay.recorded());
  const std::size_t locations = booking.definitions.locations.size();
  for (std::size_t i = 0; i < causes.size(); ++i) {
    std::vector<Ticks> of_cause;
    for (std::size_t l = 0; l < locations; ++l) of_cause.push_back(times[l * causes.size() + i]);
    const Durations unchanged{.rates = static_cast<std::uint32_t>(causes.size()),
                              .of_rate = std::vector<Pace>(locations * causes.size())};
    Durations in_balance = unchanged;
    const auto pace = balanced(booking.definitions, of_cause);
    for (std::size_t l = 0; l < locations; ++l) in_balance.of_rate[l * causes.size() + i] = pace[l];
    report::Gains::Cause cause{.call_path = causes[i],
                               .balanced = seconds(replay.with(in_balance))};
    for (const Pace& part : kParts) {
      Durations less = unchanged;
      for (std::size_t l = 0; l < locations; ++l) less.of_rate[l * causes.size() + i] = part;
      cause.curve.push_back(
          {static_cast<double>(part.numerator) / static_cast<double>(part.denominator),
           seconds(replay.with(less))});
    }
    cause.faster = cause.curve.front().run_time;
    gains.causes.push_back(std::move(cause));
  }
  std::ranges::stable_sort(gains.causes, {}, [](const report::Gains::Cause& cause) {
    return std::min(cause.balanced, cause.faster);
  });
  return gains;
}

}  // namespace latecomer::predict
