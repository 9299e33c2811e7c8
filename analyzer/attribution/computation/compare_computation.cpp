// SPDX-License-Identifier: BSD-3-Clause
// The host of a location tells its lines to all; then the times of these lines are summed over all
// locations.
#include "analyzer/attribution/computation/compare_computation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/attribution/computation/compare_blocked.hpp"
#include "analyzer/booking/counters.hpp"

namespace latecomer::replay {
namespace {

using report::LongerComputation;
using trace::kNone;
using trace::Ticks;

// A call path that made others wait, on one location.
struct Delayer {
  Ticks cost = 0;
  std::uint32_t call_path = 0, location = 0;  // of the global call tree; column
};

struct LineTime {
  std::uint32_t delayer = 0;
  LineKey key;
  Ticks time = 0;
  std::int64_t samples = 0;
  std::int64_t variance = 0;  // of the time, as in ComputationShares
};

class Comparison {
 public:
  Comparison(const Booking& booking, const ComputationShares& shares, const ComputationParts& parts,
             parallel::Processes& processes)
      : booking_(booking),
        definitions_(booking.definitions),
        shares_(shares),
        parts_(parts),
        processes_(processes) {}

  std::vector<LongerComputation> run() {
    find_delayers();
    gather_lines();
    sum_all();
    std::vector<ComparedPath> paths;
    for (std::size_t i = 0; i < delayers_.size(); ++i) {
      paths.push_back({delayers_[i].call_path, delayers_[i].location, others_of(i)});
    }
    auto blocked = compare_blocked(booking_, paths, processes_);
    std::vector<LongerComputation> out;
    for (std::size_t i = 0; i < delayers_.size(); ++i) {
      auto one = compare(i);
      if (one.not_computing.blocked > 0) one.blocked = std::move(blocked[i]);
      if (one.seconds > 0 && (one.is_no_computation() || !one.lines.empty())) {
        out.push_back(std::move(one));
      }
    }
    return out;
  }

 private:
  // A line with its time on the delayer and on all locations together.
  struct Compared {
    Ticks time = 0, all = 0;
    std::int64_t samples = 0;
    std::int64_t variance = 0, all_variance = 0;
  };
  using Parts = ComputationParts;
  // Of all lines at a call path.
  struct Totals {
    std::int64_t locations = 0;  // that compute there and are sampled
    Parts::Values own{};         // of the delayer
    Parts::Values of_all{};      // of all of them
    Instructions counted;        // of all of them that counted
  };
  struct Difference {
    double seconds = 0, error = 0;
    std::int64_t samples = 0;
  };

  [[nodiscard]] double seconds(double ticks) const {
    return ticks / static_cast<double>(definitions_.ticks_per_second);
  }
  // Number of other locations to compare with, at least 1.
  [[nodiscard]] double others_of(std::size_t delayer) const {
    return static_cast<double>(std::max<std::int64_t>(totals_[delayer].locations - 1, 1));
  }
  // Samples and the kernel's part are not taken inside recorded calls on files, which say
  // themselves what their time was for.
  [[nodiscard]] bool is_file_call(std::uint32_t call_path) const {
    const auto& region = definitions_.regions[booking_.tree.nodes[call_path].region];
    return region.is_file_call();
  }
  [[nodiscard]] bool has_source(std::uint32_t region) const {
    return definitions_.regions[region].file.starts_with('/');
  }
  // The line; in a library without sources the function of the program that calls it.
  [[nodiscard]] LineKey key_of(const trace::SampledPlace& place) const {
    const auto& nodes = booking_.tree.nodes;
    const auto at = booking_.tree.from_local[place.at];
    const auto region = place.region == kNone ? nodes[at].region : place.region;
    if (has_source(region)) return {at, region, place.source};
    for (auto node = at; node != kNone && node != 0; node = nodes[node].parent) {
      if (has_source(nodes[node].region)) return {node, nodes[node].region, kNone};
    }
    return {at, region, place.source};
  }
  // Calls f(location, call path of the time, line, time, samples, variance) for each place of the
  // hosted locations.
  template <typename F>
  void for_each_place(F&& f) const {
    for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
      const auto& sampled = booking_.mine[l].sampled;
      for (std::size_t i = 0; i < sampled.size(); ++i) {
        f(l, booking_.tree.from_local[sampled[i].node], key_of(sampled[i]), shares_.of(l)[i],
          static_cast<std::int64_t>(sampled[i].count), shares_.variance(l, i));
      }
    }
  }

  void find_delayers();
  void gather_lines();
  void sum_all();
  [[nodiscard]] LongerComputation compare(std::size_t delayer) const;
  [[nodiscard]] Difference difference(std::size_t delayer, const Compared& line) const;
  [[nodiscard]] std::uint32_t within(std::size_t delayer,
                                     const std::map<LineKey, Difference>& lines) const;
  [[nodiscard]] LongerComputation::Line named(const LineKey& key, const Difference& longer) const;

  const Booking& booking_;
  const trace::Definitions& definitions_;
  const ComputationShares& shares_;
  const ComputationParts& parts_;
  parallel::Processes& processes_;
  std::vector<Delayer> delayers_;                   // the largest cost first
  std::vector<std::map<LineKey, Compared>> lines_;  // by delayer
  std::vector<Totals> totals_;                      // by delayer
};

void Comparison::find_delayers() {
  const CauseMetrics metrics(booking_.metrics);
  const auto largest_first = [](std::vector<Delayer>& all) {
    std::ranges::sort(
        all, {}, [](const Delayer& d) { return std::tuple(-d.cost, d.location, d.call_path); });
    if (all.size() > LongerComputation::kMostRows) all.resize(LongerComputation::kMostRows);
  };
  std::vector<Delayer> own;
  for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
    for (std::uint32_t c = 0; c < booking_.tree.nodes.size(); ++c) {
      if (is_file_call(c)) continue;
      const Ticks cost = metrics.delay_costs(booking_, l, c);
      if (cost > 0 && parts_.computes(l, c)) own.push_back({cost, c, booking_.mine[l].location});
    }
  }
  largest_first(own);
  parallel::Packer pack;
  for (const auto& one : own) pack.put(one);
  for (const auto& bytes : processes_.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) delayers_.push_back(part.get<Delayer>());
  }
  largest_first(delayers_);
  lines_.resize(delayers_.size());
}

void Comparison::gather_lines() {
  constexpr std::size_t kMost = 1000;  // lines of one delayer, the longest ones
  parallel::Packer pack;
  for (std::uint32_t i = 0; i < delayers_.size(); ++i) {
    std::map<LineKey, Compared> all;
    for_each_place([&](std::size_t l, std::uint32_t call_path, const LineKey& key, Ticks time,
                       std::int64_t samples, std::int64_t variance) {
      if (delayers_[i].call_path != call_path) return;
      if (delayers_[i].location != booking_.mine[l].location) return;
      all[key].time += time;
      all[key].samples += samples;
      all[key].variance += variance;
    });
    std::vector<LineTime> own;
    for (const auto& [key, line] : all)
      own.push_back({i, key, line.time, line.samples, line.variance});
    std::ranges::sort(own, {},
                      [](const LineTime& line) { return std::tuple(-line.time, line.key); });
    if (own.size() > kMost) own.resize(kMost);
    for (const auto& line : own) pack.put(line);
  }
  for (const auto& bytes : processes_.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) {
      const auto line = part.get<LineTime>();
      auto& to = lines_[line.delayer][line.key];
      to.time += line.time;
      to.samples += line.samples;
      to.variance += line.variance;
    }
  }
}

// The sums go around as one vector: numbers of each delayer, then time and variance of each line.
void Comparison::sum_all() {
  totals_.resize(delayers_.size());
  for (std::size_t i = 0; i < delayers_.size(); ++i) {
    for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
      if (!parts_.computes(l, delayers_[i].call_path)) continue;
      ++totals_[i].locations;
      const auto parts = parts_.at(l, delayers_[i].call_path);
      const Instructions counted = Parts::instructions(parts);
      totals_[i].counted.locations += counted.locations;
      totals_[i].counted.number += counted.number;
      totals_[i].counted.ticks += counted.ticks;
      const bool is_own = booking_.mine[l].location == delayers_[i].location;
      for (std::size_t part = 0; part < Parts::kParts; ++part) {
        totals_[i].of_all[part] += parts[part];
        if (is_own) totals_[i].own[part] = parts[part];
      }
    }
  }
  for_each_place([&](std::size_t, std::uint32_t call_path, const LineKey& key, Ticks time,
                     std::int64_t, std::int64_t variance) {
    for (std::size_t i = 0; i < delayers_.size(); ++i) {
      if (delayers_[i].call_path != call_path) continue;
      const auto line = lines_[i].find(key);
      if (line == lines_[i].end()) continue;
      line->second.all += time;
      line->second.all_variance += variance;
    }
  });
  std::vector<std::int64_t> sums;
  for (const auto& one : totals_) {
    sums.push_back(one.locations);
    sums.insert(sums.end(), one.own.begin(), one.own.end());
    sums.insert(sums.end(), one.of_all.begin(), one.of_all.end());
    for (const auto count : {one.counted.locations, one.counted.number, one.counted.ticks}) {
      sums.push_back(count);
    }
  }
  for (const auto& lines : lines_) {
    for (const auto& [key, line] : lines) {
      sums.push_back(line.all);
      sums.push_back(line.all_variance);
    }
  }
  processes_.sum(sums);
  auto next = sums.begin();
  for (auto& one : totals_) {
    one.locations = *next++;
    for (auto* parts : {&one.own, &one.of_all}) {
      for (auto& value : *parts) value = *next++;
    }
    one.counted.locations = *next++;
    one.counted.number = *next++;
    one.counted.ticks = *next++;
  }
  for (auto& lines : lines_) {
    for (auto& [key, line] : lines) {
      line.all = *next++;
      line.all_variance = *next++;
    }
  }
}

// Where the others have no sample, one more would have been possible. n samples of one weight leave
// the variance t * t / n of a time t, so one of them stands for variance / t.
Comparison::Difference Comparison::difference(std::size_t delayer, const Compared& line) const {
  constexpr double kUnit = ComputationShares::kErrorUnit;
  const auto time = seconds(static_cast<double>(line.time));
  const double variance = kUnit * kUnit * static_cast<double>(line.variance);
  const double others = others_of(delayer);
  const auto rest = seconds(static_cast<double>(line.all - line.time));
  const auto one = time > 0 ? variance / time : 0;
  const double of_rest =
      rest > 0 ? kUnit * kUnit * static_cast<double>(line.all_variance - line.variance) : one * one;
  return {time - rest / others, std::sqrt(variance + of_rest / (others * others)), line.samples};
}

// Goes into a function as long as it has nearly all of the difference and its file is known, so
// that the answer is in the program and not in a library. The delayer's call path may end in a
// function that only seemed to be open, so the way begins at a caller that all lines have in
// common.
std::uint32_t Comparison::within(std::size_t delayer,
                                 const std::map<LineKey, Difference>& lines) const {
  constexpr double kNearlyAll = 0.8;
  const auto& nodes = booking_.tree.nodes;
  std::uint32_t at = delayers_[delayer].call_path;
  double all = 0;
  for (const auto& [key, longer] : lines) {
    all += longer.seconds;
    // Callers have lower numbers.
    for (std::uint32_t node = key.call_path; node != at;) {
      auto& inner = node > at ? node : at;
      inner = nodes[inner].parent;
    }
  }
  while (true) {
    std::map<std::uint32_t, double> below;  // by child of `at`
    for (const auto& [key, longer] : lines) {
      std::uint32_t node = key.call_path;
      while (node != kNone && node > at && nodes[node].parent != at) node = nodes[node].parent;
      if (node != kNone && node > at) below[node] += longer.seconds;
    }
    const auto next = std::ranges::find_if(below, [&](const auto& child) {
      return child.second >= kNearlyAll * all && has_source(nodes[child.first].region);
    });
    if (next == below.end()) return at;
    at = next->first;
  }
}

LongerComputation::Line Comparison::named(const LineKey& key, const Difference& longer) const {
  const auto& region = definitions_.regions[key.region];
  LongerComputation::Line line{.function = region.name, .file = region.file};
  if (key.source != kNone) {
    const auto& source = definitions_.source_lines[key.source];
    if (source.file != kNone) line.file = definitions_.source_files[source.file];
    line.line = source.line;
  }
  line.seconds = longer.seconds;
  line.error = longer.error;
  line.samples = static_cast<std::uint64_t>(longer.samples);
  return line;
}

LongerComputation Comparison::compare(std::size_t delayer) const {
  constexpr double kClear = 2;  // standard errors
  const Delayer& from = delayers_[delayer];
  LongerComputation out{.call_path = from.call_path,
                        .location = from.location,
                        .delay_costs = seconds(static_cast<double>(from.cost))};
  const Totals& totals = totals_[delayer];
  const auto more = [&](Parts::Part part) {
    const auto own = totals.own[part];
    return static_cast<double>(own) -
           static_cast<double>(totals.of_all[part] - own) / others_of(delayer);
  };
  out.seconds = seconds(more(Parts::kTime));
  if (out.seconds <= 0) return out;  // it only computed something else
  const double rest =
      more(Parts::kTime) - more(Parts::kOn) - more(Parts::kPreempted) - more(Parts::kBlocked);
  const bool rest_is_kernel = kernel_is_rest(booking_);
  out.not_computing = {.preempted = seconds(more(Parts::kPreempted)),
                       .blocked = seconds(more(Parts::kBlocked)),
                       .kernel = seconds(more(Parts::kInKernel) + (rest_is_kernel ? rest : 0)),
                       .off_processor = rest_is_kernel ? 0 : seconds(rest)};
  out.page_faults = more(Parts::kFaults);
  if (const auto parts = compared(Parts::instructions(totals.own), totals.counted)) {
    out.instructions = parts->instructions;
    out.time_for_each = parts->time_for_each;
  }
  std::map<LineKey, Difference> lines;
  for (const auto& [key, line] : lines_[delayer]) lines[key] = difference(delayer, line);
  out.within = within(delayer, lines);
  for (const auto& [key, longer] : lines) {
    std::uint32_t node = key.call_path;
    while (node > out.within) node = booking_.tree.nodes[node].parent;
    if (node != out.within || longer.seconds < kClear * longer.error) continue;
    out.lines.push_back(named(key, longer));
  }
  std::ranges::stable_sort(out.lines, std::greater{}, &LongerComputation::Line::seconds);
  if (out.lines.size() > LongerComputation::kMostLines) {
    out.lines.resize(LongerComputation::kMostLines);
  }
  return out;
}

}  // namespace

std::vector<LongerComputation> compare_computation(const Booking& booking,
                                                   const ComputationShares& shares,
                                                   const ComputationParts& parts,
                                                   parallel::Processes& processes) {
  if (!tells_of_computation(booking.definitions)) return {};
  return Comparison(booking, shares, parts, processes).run();
}

}  // namespace latecomer::replay
