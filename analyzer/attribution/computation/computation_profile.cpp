// SPDX-License-Identifier: BSD-3-Clause
// Adds up the shares of all locations. Lines are many, so each process adds up some of them, and
// only the largest ones are known to all.
#include "analyzer/attribution/computation/computation_profile.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "archive/hash.hpp"
#include "archive/layout.hpp"

namespace latecomer::replay {
namespace {

using report::Computation;
using trace::kNone;
using trace::Ticks;

struct Amount {
  Ticks time = 0;
  std::int64_t samples = 0;
  std::int64_t variance = 0;  // of the time, as in ComputationShares
  void add(const Amount& other) {
    time += other.time;
    samples += other.samples;
    variance += other.variance;
  }
};

struct LineAmount {
  LineKey key;
  Amount amount;
};

class Profile {
 public:
  Profile(const Booking& booking, const ComputationShares& shares, parallel::Processes& processes)
      : booking_(booking),
        definitions_(booking.definitions),
        shares_(shares),
        processes_(processes) {}

  Computation run() {
    totals();
    functions();
    lines();
    return std::move(out_);
  }

 private:
  [[nodiscard]] double seconds(Ticks ticks) const {
    return static_cast<double>(ticks) / static_cast<double>(definitions_.ticks_per_second);
  }
  // Standard error in seconds of a time with this variance.
  [[nodiscard]] static double error(std::int64_t variance) {
    return ComputationShares::kErrorUnit * std::sqrt(static_cast<double>(variance));
  }
  [[nodiscard]] LineKey key_of(const trace::SampledPlace& place) const {
    const auto call_path = booking_.tree.from_local[place.at];
    const auto region =
        place.region == kNone ? booking_.tree.nodes[call_path].region : place.region;
    return {call_path, region, place.source};
  }
  // Calls f(location, key, amount) for each place of the hosted locations. Returns the number of
  // samples in call paths that have no computing time, such as those of idle threads.
  template <typename F>
  std::int64_t for_each_place(F&& f) const {
    std::int64_t without_time = 0;
    for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
      const auto times = shares_.of(l);
      for_each_call_path(booking_.mine[l].sampled, [&](std::size_t first, const auto& places) {
        const auto own = times.subspan(first, places.size());
        const bool has_time = std::ranges::any_of(own, [](Ticks time) { return time > 0; });
        for (std::size_t i = 0; i < places.size(); ++i) {
          const auto count = static_cast<std::int64_t>(places[i].count);
          if (has_time) {
            f(l, key_of(places[i]), Amount{own[i], count, shares_.variance(l, first + i)});
          } else {
            without_time += count;
          }
        }
      });
    }
    return without_time;
  }
  // Number of rows that may have values by location.
  [[nodiscard]] std::size_t rows_by_location(std::size_t rows) const {
    return std::min(rows, Computation::kMostValues / definitions_.locations.size());
  }
  // A table of times by row and location, which is the same on all processes; `row_of` says which
  // row a place belongs to, kNone: none.
  template <typename RowOf>
  std::vector<std::int64_t> by_location(std::size_t rows, RowOf&& row_of) const {
    const auto columns = definitions_.locations.size();
    std::vector<std::int64_t> table(rows_by_location(rows) * columns);
    for_each_place([&](std::size_t l, const LineKey& key, const Amount& amount) {
      const std::size_t row = row_of(key);
      if (row >= rows_by_location(rows)) return;
      table[row * columns + booking_.mine[l].location] += amount.time;
    });
    processes_.sum(table);
    return table;
  }
  void set_locations(std::vector<double>& to, const std::vector<std::int64_t>& table,
                     std::size_t row) const {
    const auto columns = definitions_.locations.size();
    for (std::size_t l = row * columns; l < std::min(table.size(), (row + 1) * columns); ++l) {
      to.push_back(seconds(table[l]));
    }
  }

  void totals();
  void functions();
  void lines();
  [[nodiscard]] std::vector<LineAmount> largest_lines();

  const Booking& booking_;
  const trace::Definitions& definitions_;
  const ComputationShares& shares_;
  parallel::Processes& processes_;
  Ticks sampled_ = 0;  // all shares
  Computation out_;
};

void Profile::totals() {
  const MetricId computation = booking_.metrics.id("comp");
  Ticks all = 0;
  std::uint64_t processor =
      0;  // of a damaged archive it may be any number, but it must not overflow
  const auto most = static_cast<std::uint64_t>(INT64_MAX / processes_.size());
  std::int64_t elsewhere = 0;
  Amount sampled;
  for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
    const auto& events = booking_.mine[l];
    for (std::uint32_t c = 0; c < booking_.tree.nodes.size(); ++c) {
      if (booking_.tree.nodes[c].region == definitions_.off_region) continue;  // nobody knows
      all += booking_.value(computation, l, c);
    }
    elsewhere += static_cast<std::int64_t>(events.samples_elsewhere);
    for (const auto& place : events.sampled) {
      processor += std::min(place.weight, most - std::min(processor, most));
    }
  }
  elsewhere += for_each_place(
      [&](std::size_t, const LineKey&, const Amount& amount) { sampled.add(amount); });
  out_.seconds = seconds(processes_.sum(all));
  sampled_ = processes_.sum(sampled.time);
  const auto of_all = [&](auto&& of_location) {
    Ticks sum = 0;
    for (std::size_t l = 0; l < booking_.mine.size(); ++l) sum += of_location(l);
    return processes_.sum(sum);
  };
  const auto of_metric = [&](MetricId metric) {
    return of_all([&](std::size_t l) {
      Ticks sum = 0;
      for (std::uint32_t c = 0; c < booking_.tree.nodes.size(); ++c) {
        if (metric != patterns::MetricTree::kNone) sum += booking_.value(metric, l, c);
      }
      return sum;
    });
  };
  const Ticks preempted = of_metric(booking_.map.preempted),
              blocked = of_metric(booking_.map.blocked);
  const Ticks rest = of_all([&](std::size_t l) { return shares_.rest(l); });
  const Ticks in_kernel = of_all([&](std::size_t l) {
    Ticks sum = 0;
    for (std::size_t i = 0; i < booking_.mine[l].sampled.size(); ++i) {
      sum += shares_.in_kernel(l, i);
    }
    return sum;
  });
  const bool rest_is_kernel = kernel_is_rest(booking_);
  out_.kernel_is_sampled = !definitions_.properties.contains(layout::kPropertySamplesUserOnly);
  out_.not_computing = {.preempted = seconds(preempted),
                        .blocked = seconds(blocked),
                        .kernel = seconds(in_kernel + (rest_is_kernel ? rest : 0)),
                        .off_processor = rest_is_kernel ? 0 : seconds(rest)};
  out_.unsampled =
      std::max(0.0, seconds(processes_.sum(all) - sampled_ - preempted - blocked - rest));
  out_.samples = static_cast<std::uint64_t>(processes_.sum(sampled.samples));
  out_.samples_elsewhere = static_cast<std::uint64_t>(processes_.sum(elsewhere));
  out_.processor_seconds =
      1e-9 * static_cast<double>(processes_.sum(static_cast<std::int64_t>(processor)));
  if (const auto lost = definitions_.properties.find(layout::kPropertySamplesLost);
      lost != definitions_.properties.end()) {
    const std::string& text = lost->second;
    std::from_chars(text.data(), text.data() + text.size(), out_.lost);
  }
  std::set<std::uint64_t> periods;
  for (const auto& clock : definitions_.sample_clocks) {
    if (!clock.is_blocked) periods.insert(clock.period);
  }
  periods.erase(0);
  for (const auto period : periods) out_.periods.push_back(1e-9 * static_cast<double>(period));
}

// Inclusive times are those of the outermost call paths of a function, so that recursion counts
// once. Nodes of the global call tree are in depth-first order.
void Profile::functions() {
  const auto& nodes = booking_.tree.nodes;
  const auto regions = definitions_.regions.size();
  std::vector<Amount> below(nodes.size());  // at a call path and all below it
  std::map<std::pair<std::uint32_t, std::uint32_t>, Amount> places;  // call path, function
  for_each_place([&](std::size_t, const LineKey& key, const Amount& amount) {
    below[key.call_path].add(amount);
    places[{key.call_path, definitions_.function_of(key.region)}].add(amount);
  });
  for (auto c = nodes.size(); c-- > 1;) below[nodes[c].parent].add(below[c]);

  std::vector<Amount> self(regions), inclusive(regions);
  std::vector<std::uint32_t> open(regions);  // how often a function is on the current call path
  std::vector<std::uint32_t> path;
  auto place = places.begin();
  for (std::uint32_t c = 0; c < nodes.size(); ++c) {
    while (!path.empty() && path.back() != nodes[c].parent) {
      --open[definitions_.function_of(nodes[path.back()].region)];
      path.pop_back();
    }
    const auto function = definitions_.function_of(nodes[c].region);
    path.push_back(c);
    if (open[function]++ == 0 && c != 0) inclusive[function].add(below[c]);
    for (; place != places.end() && place->first.first == c; ++place) {
      const auto innermost = place->first.second;
      self[innermost].add(place->second);
      // Regions that the program names may be open inside the function that was sampled.
      if (open[innermost] == 0) inclusive[innermost].add(place->second);
    }
  }
  std::vector<std::int64_t> sums;
  for (std::size_t f = 0; f < regions; ++f) {
    for (const auto value : {self[f].time, self[f].samples, self[f].variance, inclusive[f].time,
                             inclusive[f].samples, inclusive[f].variance}) {
      sums.push_back(value);
    }
  }
  processes_.sum(sums);
  std::vector<std::uint32_t> order;
  for (std::uint32_t f = 0; f < regions; ++f) {
    self[f] = {sums[6 * f], sums[6 * f + 1], sums[6 * f + 2]};
    inclusive[f] = {sums[6 * f + 3], sums[6 * f + 4], sums[6 * f + 5]};
    if (inclusive[f].samples > 0) order.push_back(f);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t f) {
    const auto& region = definitions_.regions[f];
    return std::tuple(-self[f].time, -inclusive[f].time, region.name, region.file, f);
  });
  if (order.size() > Computation::kMostRows) order.resize(Computation::kMostRows);

  std::vector<std::size_t> row_of(regions, SIZE_MAX);
  for (std::size_t row = 0; row < order.size(); ++row) row_of[order[row]] = row;
  const auto table = by_location(order.size(), [&](const LineKey& key) {
    return row_of[definitions_.function_of(key.region)];
  });
  Ticks rest = sampled_;
  for (std::size_t row = 0; row < order.size(); ++row) {
    const auto f = order[row];
    const auto& region = definitions_.regions[f];
    auto& to = out_.functions.emplace_back();
    to.name = region.name;
    to.file = region.file;
    to.self = seconds(self[f].time);
    to.inclusive = seconds(inclusive[f].time);
    to.error = error(self[f].variance);
    to.inclusive_error = error(inclusive[f].variance);
    to.samples = static_cast<std::uint64_t>(self[f].samples);
    to.inclusive_samples = static_cast<std::uint64_t>(inclusive[f].samples);
    set_locations(to.locations, table, row);
    rest -= self[f].time;
  }
  out_.other_functions = seconds(rest);
}

// The largest lines of the run, most time first; the same on every process. Each line is added up
// on one process, which keeps its largest ones.
std::vector<LineAmount> Profile::largest_lines() {
  const auto in_order = [&](std::vector<LineAmount>& lines) {
    std::ranges::sort(lines, {}, [&](const LineAmount& line) {
      const auto& [call_path, region, source] = line.key;
      const auto& name = definitions_.regions[region].name;
      return std::tuple(-line.amount.time, std::string_view(name), source, call_path, region);
    });
    if (lines.size() > Computation::kMostRows) lines.resize(Computation::kMostRows);
  };
  std::map<LineKey, Amount> own;
  for_each_place(
      [&](std::size_t, const LineKey& key, const Amount& amount) { own[key].add(amount); });
  std::vector<parallel::Packer> packs(static_cast<std::size_t>(processes_.size()));
  for (const auto& [key, amount] : own) {
    const auto hash = hash_with(hash_with(key.call_path, key.region), key.source);
    packs[hash % packs.size()].put(LineAmount{key, amount});
  }
  own.clear();
  for (const auto& bytes : processes_.exchange(parallel::take_all(packs))) {
    for (parallel::Unpacker part(bytes); !part.done();) {
      const auto line = part.get<LineAmount>();
      own[line.key].add(line.amount);
    }
  }
  std::vector<LineAmount> lines;
  for (const auto& [key, amount] : own) lines.push_back({key, amount});
  in_order(lines);
  parallel::Packer pack;
  for (const auto& line : lines) pack.put(line);
  lines.clear();
  for (const auto& bytes : processes_.all_gather(pack.take())) {
    for (parallel::Unpacker part(bytes); !part.done();) lines.push_back(part.get<LineAmount>());
  }
  in_order(lines);
  return lines;
}

void Profile::lines() {
  const auto lines = largest_lines();
  std::map<LineKey, std::size_t> rows;
  for (std::size_t row = 0; row < lines.size(); ++row) rows[lines[row].key] = row;
  const auto table = by_location(lines.size(), [&](const LineKey& key) {
    const auto found = rows.find(key);
    return found == rows.end() ? SIZE_MAX : found->second;
  });
  Ticks rest = sampled_;
  for (std::size_t row = 0; row < lines.size(); ++row) {
    const auto& [key, amount] = lines[row];
    const auto& region = definitions_.regions[key.region];
    auto& to = out_.lines.emplace_back();
    to.call_path = key.call_path;
    to.function = region.name;
    to.file = region.file;
    if (key.source != kNone) {
      const auto& source = definitions_.source_lines[key.source];
      if (source.file != kNone) to.file = definitions_.source_files[source.file];
      to.line = source.line;
    }
    to.seconds = seconds(amount.time);
    to.error = error(amount.variance);
    to.samples = static_cast<std::uint64_t>(amount.samples);
    set_locations(to.locations, table, row);
    rest -= amount.time;
  }
  out_.other_lines = seconds(rest);
}

}  // namespace

std::optional<Computation> computation_profile(const Booking& booking,
                                               const ComputationShares& shares,
                                               parallel::Processes& processes) {
  if (!booking.definitions.has_samples()) return {};
  return Profile(booking, shares, processes).run();
}

}  // namespace latecomer::replay
