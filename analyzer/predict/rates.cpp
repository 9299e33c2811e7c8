// SPDX-License-Identifier: BSD-3-Clause
// Finds the rates of changes: a number per call path that changes, and a pace per location and
// number.
#include "analyzer/predict/rates.hpp"

#include <algorithm>
#include <cmath>
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

// True if a pattern means functions of MPI: its last name begins like one. A star does not.
bool names_mpi(const std::string& pattern) {
  const auto before = pattern.find_last_of("/> ");
  const auto last = before == std::string::npos ? pattern : pattern.substr(before + 1);
  return last.starts_with("MPI_") || last.starts_with("mpi_");
}

// True if the time of a call path changes when its pattern is chosen.
bool is_changed(const Booking& booking, const ChosenPaths& chosen, std::uint32_t c,
                const Change& change) {
  const auto& region = booking.definitions.regions[booking.tree.nodes[c].region];
  if (region.mpi) {
    return change.kind == Change::Kind::kSpeed && chosen.fitting[c] && names_mpi(change.pattern);
  }
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

// A change that is about call paths, these, and its pace by index in Definitions::locations.
struct PathChange {
  const Change* change;
  std::vector<bool> paths;
  std::vector<Pace> pace = {};
};

// The time of a hosted location in call paths: in those that are open between calls of MPI, less
// what samples found elsewhere, and in those of the samples.
class OwnTimes {
 public:
  OwnTimes(const Booking& booking, const replay::ComputationShares& shares)
      : booking_(booking), shares_(shares), time_(booking.metrics.id("time")) {
    for (std::size_t l = 0; l < booking.mine.size(); ++l) {
      auto& open = open_.emplace_back(booking.tree.nodes.size());
      for (std::uint32_t c = 0; c < open.size(); ++c) open[c] = booking.value(time_, l, c);
      for_each_place(l, [&](std::uint32_t from, std::uint32_t, Ticks time) { open[from] -= time; });
    }
  }
  // Time in which the call path was open and no samples tell more.
  [[nodiscard]] Ticks open(std::size_t l, std::uint32_t c) const { return open_[l][c]; }
  // Calls f(open call path, call path of the samples, ticks) for each sampled place.
  template <typename F>
  void for_each_place(std::size_t l, F&& f) const {
    const auto& sampled = booking_.mine[l].sampled;
    for (std::size_t i = 0; i < sampled.size(); ++i) {
      f(booking_.tree.from_local[sampled[i].node], booking_.tree.from_local[sampled[i].at],
        shares_.of(l)[i]);
    }
  }
  [[nodiscard]] std::int64_t variance(std::size_t l, std::size_t place) const {
    return shares_.variance(l, place);
  }
  // Times in call paths, by index in Definitions::locations. Collective.
  [[nodiscard]] std::vector<Ticks> in(const std::vector<bool>& paths,
                                      parallel::Processes& processes) const {
    std::vector<Ticks> times(booking_.definitions.locations.size());
    for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
      Ticks& sum = times[booking_.mine[l].location];
      for (std::uint32_t c = 0; c < paths.size(); ++c) sum += paths[c] ? open_[l][c] : 0;
      for_each_place(
          l, [&](std::uint32_t, std::uint32_t at, Ticks time) { sum += paths[at] ? time : 0; });
    }
    processes.sum(times);
    return times;
  }

 private:
  const Booking& booking_;
  const replay::ComputationShares& shares_;
  const replay::MetricId time_;
  std::vector<std::vector<Ticks>> open_;  // by hosted location and global call path
};

std::string ranks_text(const trace::Definitions& definitions) {
  return "the run has " + std::to_string(definitions.processes.size()) + " ranks, 0 to " +
         std::to_string(definitions.processes.size() - 1);
}

}  // namespace

std::vector<Pace> balanced(const trace::Definitions& definitions, const std::vector<Ticks>& times) {
  Ticks sum = 0, count = 0;
  for (std::size_t l = 0; l < times.size(); ++l) {
    const bool first = definitions.locations[l].thread == 0;
    if (times[l] <= 0 && !first) continue;
    sum += times[l];
    ++count;
  }
  const Ticks mean = sum / std::max<Ticks>(1, count);
  std::vector<Pace> pace(times.size());
  for (std::size_t l = 0; l < times.size(); ++l) {
    if (times[l] > mean) pace[l] = product({mean, times[l]}, {});
  }
  return pace;
}

Result<Rates> find_rates(const Booking& booking, const replay::ComputationShares& shares,
                         std::span<const Change> changes, const ChoosePaths& choose,
                         parallel::Processes& processes) {
  const auto& definitions = booking.definitions;
  const std::size_t nodes = booking.tree.nodes.size(), locations = definitions.locations.size();
  Rates rates;
  std::vector<PathChange> all;
  for (const Change& change : changes) {
    for (const auto& [first, last] : change.ranks) {
      if (last >= definitions.processes.size()) {
        return Problem{change.text + ": there is no rank " + std::to_string(last),
                       ranks_text(definitions), Exit::kUsage};
      }
    }
    ChosenPaths chosen;
    switch (change.kind) {
      case Change::Kind::kRanksMoved:  // see moved_ranks.hpp
        continue;
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
    auto& one = all.emplace_back(PathChange{&change, std::vector<bool>(nodes)});
    bool any = false;
    for (std::uint32_t c = 0; c < nodes; ++c) {
      one.paths[c] = change.kind == Change::Kind::kFileTime
                         ? chosen.fitting[c]
                         : is_changed(booking, chosen, c, change);
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

  const OwnTimes times(booking, shares);
  for (auto& [change, paths, pace] : all) {
    pace.assign(locations, change->pace);
    if (change->kind == Change::Kind::kBalance) {
      const auto recorded = times.in(paths, processes);
      pace = balanced(definitions, recorded);
      for (std::uint32_t l = 0; l < locations; ++l) {
        if (pace[l].changes()) rates.moved += recorded[l] - pace[l].of(recorded[l]);
      }
    }
    for (std::uint32_t l = 0; l < locations; ++l) {
      if (!is_chosen(*change, definitions.locations[l].process)) pace[l] = {};
    }
  }
  const auto pace_of = [&](std::uint32_t location, std::uint32_t c) {
    Pace pace;
    for (const auto& one : all) {
      if (one.paths[c]) pace = product(pace, one.pace[location]);
    }
    return pace;
  };

  // Time before and after by open call path of each hosted location, and what changes in all.
  struct Times {
    Ticks before = 0, after = 0;
  };
  std::vector<std::vector<Times>> of_open(booking.mine.size(), std::vector<Times>(nodes));
  std::vector<std::int64_t> changed(nodes), seen(nodes);  // call paths: open ones, all
  std::vector<std::int64_t> sums(5);  // before, after, locations, sampled, variance
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    const auto location = booking.mine[l].location;
    const Ticks before_all = sums[0];
    const auto add = [&](std::uint32_t open, std::uint32_t at, Ticks time) {
      const Pace pace = pace_of(location, at);
      const Ticks after = pace.changes() ? pace.of(time) : time;
      of_open[l][open].before += time;
      of_open[l][open].after += after;
      if (!pace.changes() || time <= 0) return false;
      changed[open] = seen[at] = 1;
      sums[0] += time;
      sums[1] += after;
      return true;
    };
    for (std::uint32_t c = 0; c < nodes; ++c) add(c, c, times.open(l, c));
    std::size_t place = 0;
    times.for_each_place(l, [&](std::uint32_t open, std::uint32_t at, Ticks time) {
      if (add(open, at, time) && open != at) {
        sums[3] = 1;
        sums[4] += times.variance(l, place);
      }
      ++place;
    });
    if (sums[0] != before_all) ++sums[2];
  }
  processes.sum(changed);
  processes.sum(seen);
  processes.sum(sums);

  // Only open call paths that change get a number.
  rates.of_node.assign(nodes, kNone);
  std::vector<std::uint32_t> rated;
  for (std::uint32_t c = 0; c < nodes; ++c) {
    if (changed[c] == 0) continue;
    rates.of_node[c] = static_cast<std::uint32_t>(rated.size());
    rated.push_back(c);
  }
  auto& durations = rates.durations;
  durations.rates = static_cast<std::uint32_t>(rated.size());
  std::vector<std::int64_t> terms(2 * locations * rated.size());  // numerators and denominators
  for (std::size_t l = 0; l < booking.mine.size(); ++l) {
    const auto location = booking.mine[l].location;
    for (std::size_t r = 0; r < rated.size(); ++r) {
      // The own pace is exact if samples add nothing.
      const auto& [before, after] = of_open[l][rated[r]];
      Pace pace = pace_of(location, rated[r]);
      if (before > 0 && before != times.open(l, rated[r])) pace = product({after, before}, {});
      const std::size_t at = 2 * (location * rated.size() + r);
      terms[at] = pace.numerator;
      terms[at + 1] = pace.denominator;
    }
  }
  processes.sum(terms);
  for (std::size_t i = 0; i < terms.size(); i += 2) {
    durations.of_rate.push_back({terms[i], std::max<std::int64_t>(1, terms[i + 1])});
    if (terms[i + 1] == 0) durations.of_rate.back() = {};
  }

  rates.before = sums[0];
  rates.after = sums[1];
  rates.locations = static_cast<std::uint64_t>(sums[2]);
  rates.sampled = sums[3] > 0;
  rates.error = std::sqrt(static_cast<double>(sums[4])) * replay::ComputationShares::kErrorUnit;
  rates.call_paths =
      static_cast<std::uint64_t>(std::ranges::count_if(seen, [](std::int64_t n) { return n > 0; }));
  return rates;
}

}  // namespace latecomer::predict
