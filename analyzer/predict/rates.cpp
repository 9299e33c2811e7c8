// SPDX-License-Identifier: BSD-3-Clause
// Finds the rates of changes: a number per call path that changes, and a pace per location and
// number.
#include "analyzer/predict/rates.hpp"

#include <algorithm>
#include <numeric>

namespace latecomer::predict {
namespace {

using engine::Pace;
using engine::Wide;
using replay::Booking;
using trace::kNone;
using trace::Ticks;

// A product whose terms fit into 62 bits; longer ones lose their last bits.
Pace product(const Pace& a, const Pace& b) {
  auto up = static_cast<Wide>(a.numerator) * b.numerator;
  auto down = static_cast<Wide>(a.denominator) * b.denominator;
  constexpr Wide kMost = std::int64_t{1} << 62;
  while (up > kMost || down > kMost) {
    up /= 2;
    down = std::max<Wide>(1, down / 2);
  }
  const auto common = std::max<std::int64_t>(
      1, std::gcd(static_cast<std::int64_t>(up), static_cast<std::int64_t>(down)));
  return {static_cast<std::int64_t>(up) / common, static_cast<std::int64_t>(down) / common};
}

// True if the time of a call path changes when its pattern is chosen.
bool is_changed(const Booking& booking, const ChosenPaths& chosen, std::uint32_t c,
                Change::Kind kind) {
  const auto& region = booking.definitions.regions[booking.tree.nodes[c].region];
  if (region.mpi) return kind == Change::Kind::kSpeed && chosen.fitting[c];
  return chosen.with_callees[c];
}

// All call paths of calls on files.
ChosenPaths calls_on_files(const Booking& booking) {
  const auto& nodes = booking.tree.nodes;
  ChosenPaths chosen{std::vector<bool>(nodes.size()), std::vector<bool>(nodes.size())};
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    const auto& region = booking.definitions.regions[nodes[c].region];
    chosen.fitting[c] = chosen.with_callees[c] =
        region.is_file_call() || region.file_access || region.file_operation.has_value();
  }
  return chosen;
}

bool is_chosen(const Change& change, std::uint32_t rank) {
  return change.ranks.empty() || std::ranges::any_of(change.ranks, [&](const auto& range) {
           return range.first <= rank && rank <= range.second;
         });
}

// Times of the hosted locations in call paths, by index in Definitions::locations. Collective.
std::vector<Ticks> times_in(const Booking& booking, const std::vector<bool>& paths,
                            parallel::Processes& processes) {
  const auto time = booking.metrics.id("time");
  std::vector<Ticks> times(booking.definitions.locations.size());
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    for (std::uint32_t c = 0; c < paths.size(); ++c) {
      if (paths[c]) times[booking.mine[l].location] += booking.value(time, l, c);
    }
  }
  processes.sum(times);
  return times;
}

// A change that is about call paths, and these.
struct PathChange {
  const Change* change;
  std::vector<bool> paths;
};

std::string ranks_text(const trace::Definitions& definitions) {
  return "the run has " + std::to_string(definitions.processes.size()) + " ranks, 0 to " +
         std::to_string(definitions.processes.size() - 1);
}

}  // namespace

Result<Rates> find_rates(const Booking& booking, std::span<const Change> changes,
                         const ChoosePaths& choose, parallel::Processes& processes) {
  const auto& definitions = booking.definitions;
  const std::size_t nodes = booking.tree.nodes.size(), locations = definitions.locations.size();
  Rates rates;
  std::vector<PathChange> all;
  for (const Change& change : changes) {
    ChosenPaths chosen;
    switch (change.kind) {
      case Change::Kind::kLatency:
      case Change::Kind::kBandwidth: {
        auto& pace = change.kind == Change::Kind::kLatency ? rates.durations.latency
                                                           : rates.durations.bandwidth;
        pace = product(pace, change.pace);
        rates.shares = true;
        continue;
      }
      case Change::Kind::kEagerLimit:
        rates.eager_limit = std::max(rates.eager_limit.value_or(0), change.bytes);
        rates.durations.eager = true;
        continue;
      case Change::Kind::kFileTime:
        chosen = calls_on_files(booking);
        break;
      default: {
        auto found = choose(change.pattern);
        if (!found) return found.problem();
        chosen = std::move(*found);
      }
    }
    for (const auto& [first, last] : change.ranks) {
      if (last >= definitions.processes.size()) {
        return Problem{change.text + ": there is no rank " + std::to_string(last),
                       ranks_text(definitions), Exit::kUsage};
      }
    }
    auto& one = all.emplace_back(&change, std::vector<bool>(nodes));
    bool any = false;
    for (std::uint32_t c = 0; c < nodes; ++c) {
      one.paths[c] = change.kind == Change::Kind::kFileTime
                         ? chosen.fitting[c]
                         : is_changed(booking, chosen, c, change.kind);
      any = any || one.paths[c];
    }
    if (any) continue;
    if (change.kind == Change::Kind::kFileTime) {
      return Problem{change.text + ": no calls on files were recorded",
                     "scan records them unless it is told not to", Exit::kUsage};
    }
    return Problem{change.text + ": there is no computation in these call paths",
                   "name the function of MPI itself to change its own time", Exit::kUsage};
  }

  // Only call paths of some change get a number.
  rates.of_node.assign(nodes, kNone);
  std::vector<std::uint32_t> rated;
  for (std::uint32_t c = 0; c < nodes; ++c) {
    if (std::ranges::none_of(all, [&](const auto& one) { return one.paths[c]; })) continue;
    rates.of_node[c] = static_cast<std::uint32_t>(rated.size());
    rated.push_back(c);
  }
  auto& durations = rates.durations;
  durations.rates = static_cast<std::uint32_t>(rated.size());
  durations.of_rate.resize(locations * rated.size());
  for (const auto& [change, paths] : all) {
    std::vector<Pace> pace(locations, change->pace);
    if (change->kind == Change::Kind::kBalance) {
      const auto times = times_in(booking, paths, processes);
      const auto count = std::ranges::count_if(times, [](Ticks time) { return time > 0; });
      const auto mean = std::accumulate(times.begin(), times.end(), Ticks{0}) /
                        std::max<std::ptrdiff_t>(1, count);
      for (std::size_t l = 0; l < locations; ++l) {
        if (times[l] > 0) pace[l] = product({mean, times[l]}, {});
      }
    }
    for (std::uint32_t l = 0; l < locations; ++l) {
      if (!is_chosen(*change, definitions.locations[l].process)) continue;
      for (const auto c : rated) {
        if (!paths[c]) continue;
        Pace& of = durations.of_rate[std::size_t{l} * rated.size() + rates.of_node[c]];
        of = product(of, pace[l]);
      }
    }
  }

  // How much changes, for the reader.
  const auto time = booking.metrics.id("time");
  std::vector<std::int64_t> sums(2 + rated.size());
  std::int64_t changed_locations = 0;
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    bool any = false;
    for (std::size_t r = 0; r < rated.size(); ++r) {
      const Ticks before = booking.value(time, l, rated[r]);
      const Pace& pace = durations.of_rate[booking.mine[l].location * rated.size() + r];
      if (before <= 0 || !pace.changes()) continue;
      sums[0] += before;
      sums[1] += pace.of(before);
      sums[2 + r] = 1;
      any = true;
    }
    if (any) ++changed_locations;
  }
  processes.sum(sums);
  rates.before = sums[0];
  rates.after = sums[1];
  rates.call_paths = static_cast<std::uint64_t>(
      std::count_if(sums.begin() + 2, sums.end(), [](std::int64_t n) { return n > 0; }));
  rates.locations = static_cast<std::uint64_t>(processes.sum(changed_locations));
  return rates;
}

}  // namespace latecomer::predict
