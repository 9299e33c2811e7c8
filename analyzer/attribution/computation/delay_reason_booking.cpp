// SPDX-License-Identifier: BSD-3-Clause
// Times without a core are known of each delay. Samples are added up over the delays of a call
// path.
#include "analyzer/attribution/computation/delay_reason_booking.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/attribution/computation/computation_shares.hpp"
#include "analyzer/booking/counters.hpp"

namespace latecomer::replay {
namespace {

constexpr auto kReasons = static_cast<std::size_t>(DelayReason::kCount);
constexpr auto kComputed = static_cast<std::size_t>(DelayReason::kComputed),
               kPreempted = static_cast<std::size_t>(DelayReason::kPreempted),
               kBlocked = static_cast<std::size_t>(DelayReason::kBlocked);
constexpr std::array<const char*, kReasons> kNames = {
    "delay_computed", "delay_preempted", "delay_blocked", "delay_kernel", "delay_off_core"};

// Time that is neither on a core, preempted nor blocked was in the kernel if all else is known.
OfReasons by_reason(const ComputationParts::Values& parts, bool rest_is_kernel) {
  using Parts = ComputationParts;
  const std::int64_t rest =
      std::max<std::int64_t>(0, parts[Parts::kTime] - parts[Parts::kOn] - parts[Parts::kPreempted] -
                                    parts[Parts::kBlocked]);
  return {parts[Parts::kOn] - parts[Parts::kInKernel], parts[Parts::kPreempted],
          parts[Parts::kBlocked], parts[Parts::kInKernel] + (rest_is_kernel ? rest : 0),
          rest_is_kernel ? 0 : rest};
}

// Whole ticks in proportion to weights, whose sum is the cost. Nothing if there are no weights.
OfReasons in_proportion(std::int64_t cost, const std::array<double, kReasons>& weights) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  OfReasons out{};
  double before = 0;
  std::int64_t given = 0;
  for (std::size_t r = 0; r < kReasons && sum > 0; ++r) {
    before += weights[r];
    const auto until = r + 1 == kReasons || before >= sum
                           ? cost
                           : std::llround(static_cast<double>(cost) * (before / sum));
    out[r] = until - given;
    given = until;
  }
  return out;
}

// Instructions of a cause or a waiter in the stretches of its delays.
Instructions instructions_of(const causes::Computed& side, std::uint64_t ticks_per_second) {
  const auto kernel = static_cast<std::int64_t>(1e-9 * static_cast<double>(ticks_per_second) *
                                                static_cast<double>(side.kernel));
  return {1, side.instructions, std::max<std::int64_t>(side.ticks - kernel, 0)};
}

// Number of samples of each hosted location by call path of the global call tree.
using SamplesOf = std::unordered_map<std::uint32_t, std::uint64_t>;
std::vector<SamplesOf> samples_by_call_path(const Booking& booking) {
  std::vector<SamplesOf> out(booking.mine.size());
  for (std::size_t l = 0; l < out.size(); ++l) {
    for (const auto& one : booking.mine[l].sampled) {
      out[l][booking.tree.from_local[one.node]] += one.count;
    }
  }
  return out;
}

// Several may wait for one stretch, which adds no samples. So n samples of the whole run leave at
// least the variance t * t / n of the time t in all stretches together. Square microseconds.
std::int64_t least_variance(const causes::ExcessParts& told, const SamplesOf& samples,
                            std::uint32_t call_path) {
  constexpr double kMost = 1e18;
  const auto found = samples.find(call_path);
  if (found == samples.end() || found->second == 0) return 0;
  const double time =
      1e-3 * (static_cast<double>(told.cause.user) + static_cast<double>(told.cause.kernel));
  return static_cast<std::int64_t>(
      std::min(kMost, time * time / static_cast<double>(found->second)));
}

}  // namespace

OfReasons divided_cost(std::int64_t cost, const OfReasons& own, const OfReasons& all,
                       std::int64_t locations) {
  const auto others = static_cast<double>(std::max<std::int64_t>(locations - 1, 1));
  std::array<double, kReasons> weights{};
  double sum = 0;
  for (std::size_t r = 0; r < kReasons; ++r) {
    const double mean = static_cast<double>(all[r] - own[r]) / others;
    weights[r] = std::max(0.0, static_cast<double>(own[r]) - mean);
    sum += weights[r];
  }
  // Ranks that are late in turn are hardly longer on the whole, so the differences would be noise.
  constexpr double kExplains = 0.5;
  if (sum * others < kExplains * static_cast<double>(cost)) {
    sum = 0;
    for (std::size_t r = 0; r < kReasons; ++r) {
      weights[r] = static_cast<double>(std::max<std::int64_t>(0, own[r]));
      sum += weights[r];
    }
  }
  return in_proportion(cost, weights);
}

std::optional<OfReasons> divided_by_samples(std::int64_t cost, const causes::ExcessParts& told,
                                            std::uint64_t ticks_per_second, bool rest_is_kernel) {
  constexpr double kFewest = 10;  // samples
  constexpr double kErrors = 3;
  // A time of so many periods has a sample, except once in eight thousand times.
  constexpr double kSurePeriods = 9;
  const double ticks = 1e-9 * static_cast<double>(ticks_per_second);  // of a nanosecond
  const auto sampled = [](const causes::Computed& side) {
    return static_cast<double>(side.user) + static_cast<double>(side.kernel);
  };
  const double all = 1e-3 * (sampled(told.cause) + sampled(told.waiter));  // microseconds
  const auto variance = static_cast<double>(told.variance);
  if (!(variance > 0) || !(all * all >= kFewest * variance)) return {};
  const double user =
      ticks * (static_cast<double>(told.cause.user) - static_cast<double>(told.waiter.user));
  const double kernel =
      ticks * (static_cast<double>(told.cause.kernel) - static_cast<double>(told.waiter.kernel));
  double rest = static_cast<double>(cost) - user - kernel;
  const double least = std::max(kErrors * std::sqrt(variance), kSurePeriods * variance / all);
  if (rest < 1e3 * ticks * least) rest = 0;
  std::array<double, kReasons> weights{};
  weights[kComputed] = std::max(0.0, user);
  weights[static_cast<std::size_t>(DelayReason::kKernel)] =
      std::max(0.0, kernel) + (rest_is_kernel ? rest : 0);
  weights[static_cast<std::size_t>(DelayReason::kOffCore)] = rest_is_kernel ? 0 : rest;
  if (std::ranges::max(weights) <= 0) return {};
  return in_proportion(cost, weights);
}

std::optional<MoreOrSlower> compared_in_stretches(const causes::ExcessParts& told,
                                                  std::uint64_t ticks_per_second) {
  const auto cause = instructions_of(told.cause, ticks_per_second),
             waiter = instructions_of(told.waiter, ticks_per_second);
  if (cause.number <= 0 || waiter.number <= 0) return {};
  return compared(cause, {.locations = 2,
                          .number = cause.number + waiter.number,
                          .ticks = cause.ticks + waiter.ticks});
}

void book_delay_reasons(Booking& booking, const ComputationParts& parts, const DelayParts& delays,
                        parallel::Processes& processes) {
  if (!tells_of_computation(booking.definitions)) return;
  const std::size_t nodes = booking.tree.nodes.size();
  const bool rest_is_kernel = kernel_is_rest(booking);
  const std::uint64_t speed = booking.definitions.ticks_per_second;
  // By call path: the number of locations, then the sums of their parts, then Instructions.
  constexpr std::size_t kInstructionsAt = 1 + kReasons, kColumns = kInstructionsAt + 3;
  std::vector<std::int64_t> sums(nodes * kColumns);
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t c = 0; c < nodes; ++c) {
      if (!parts.computes(l, c)) continue;
      const ComputationParts::Values values = parts.at(l, c);
      const OfReasons own = by_reason(values, rest_is_kernel);
      std::int64_t* const to = &sums[c * kColumns];
      ++to[0];
      for (std::size_t r = 0; r < kReasons; ++r) to[1 + r] += own[r];
      const Instructions counted = ComputationParts::instructions(values);
      to[kInstructionsAt] += counted.locations;
      to[kInstructionsAt + 1] += counted.number;
      to[kInstructionsAt + 2] += counted.ticks;
    }
  }
  processes.sum(sums);
  const CauseMetrics metrics(booking.metrics);
  const auto& regions = booking.definitions.regions;
  std::array<MetricId, kReasons> ids{};
  std::ranges::transform(kNames, ids.begin(),
                         [&](const char* name) { return booking.metrics.id(name); });
  const auto in_mpi = booking.metrics.id("delay_in_mpi"),
             in_files = booking.metrics.id("delay_in_files"),
             not_sampled = booking.metrics.id("delay_not_sampled"),
             more = booking.metrics.id("delay_more"), slower = booking.metrics.id("delay_slower");
  const auto samples_of = samples_by_call_path(booking);
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t c = 0; c < nodes; ++c) {
      const std::int64_t cost = metrics.delay_costs(booking, l, c);
      if (cost == 0) continue;
      const auto& region = regions[booking.tree.nodes[c].region];
      if (region.mpi) {
        const auto found = delays[l].find(c);
        const std::int64_t preempted =
            found == delays[l].end()
                ? 0
                : std::clamp<std::int64_t>(found->second.sums.preempted, 0, cost);
        booking.add_up_at(ids[kPreempted], l, c, preempted);
        booking.add_up_at(in_mpi, l, c, cost - preempted);
      } else if (region.is_file_call()) {
        booking.add_up_at(in_files, l, c, cost);
      } else if (!parts.computes(l, c)) {
        booking.add_up_at(not_sampled, l, c, cost);
      } else {
        const auto found = delays[l].find(c);
        causes::ExcessParts told =
            found == delays[l].end() ? causes::ExcessParts() : found->second.sums;
        told.variance = std::max(told.variance, least_variance(told, samples_of[l], c));
        // Times without a core are exact, and the rest is that of other reasons.
        const auto preempted = std::clamp<std::int64_t>(told.preempted, 0, cost);
        const auto blocked = std::clamp<std::int64_t>(told.blocked, 0, cost - preempted);
        const auto on_core = cost - preempted - blocked;
        auto by_samples = divided_by_samples(on_core, told, speed, rest_is_kernel);
        if (!by_samples) {
          OfReasons own = by_reason(parts.at(l, c), rest_is_kernel), all{};
          std::copy_n(sums.begin() + static_cast<std::ptrdiff_t>(c * kColumns + 1), kReasons,
                      all.begin());
          for (OfReasons* one : {&own, &all}) (*one)[kPreempted] = (*one)[kBlocked] = 0;
          by_samples = divided_cost(on_core, own, all, sums[c * kColumns]);
        }
        OfReasons costs = *by_samples;
        // Nothing else is known of a time without a core.
        if (std::accumulate(costs.begin(), costs.end(), std::int64_t{0}) == 0) {
          costs[kComputed] = on_core;
        }
        costs[kPreempted] = preempted;
        costs[kBlocked] = blocked;
        std::int64_t rest = costs[kComputed];  // how much of it is for either is not known
        const std::int64_t* const counted = &sums[c * kColumns + kInstructionsAt];
        auto longer = compared_in_stretches(told, speed);
        if (!longer) {
          longer = compared(ComputationParts::instructions(parts.at(l, c)),
                            {.locations = counted[0], .number = counted[1], .ticks = counted[2]});
        }
        if (longer) {
          if (const auto of_more = cost_of_more(rest, *longer)) {
            booking.add_up_at(more, l, c, *of_more);
            booking.add_up_at(slower, l, c, rest - *of_more);
            rest = 0;
          }
        }
        booking.add_up_at(ids[kComputed], l, c, rest);
        for (std::size_t r = 0; r < kReasons; ++r) {
          if (r != kComputed) booking.add_up_at(ids[r], l, c, costs[r]);
        }
      }
    }
  }
}

}  // namespace latecomer::replay
