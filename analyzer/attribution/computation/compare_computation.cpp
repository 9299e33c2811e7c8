// SPDX-License-Identifier: BSD-3-Clause
// The host of a location knows all of its delays, and tells the largest ones to all.
#include "analyzer/attribution/computation/compare_computation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>
#include <utility>

#include "analyzer/attribution/cause_metrics.hpp"
#include "analyzer/attribution/computation/delay_reason_booking.hpp"
#include "analyzer/booking/counters.hpp"

namespace latecomer::replay {
namespace {

using causes::ComparedPlace;
using causes::Place;
using report::LongerComputation;
using trace::kNone;
using trace::Ticks;

constexpr double kOneNanosecond = 1e-9;             // in seconds
constexpr double kSquareMicrosecond = 1e-6 * 1e-6;  // in square seconds

// A call path that made others wait, on one location.
struct Delayer {
  Ticks cost = 0;
  std::uint32_t call_path = 0, location = 0;  // of the global call tree; column
  std::size_t hosted = 0;                     // hosted location
};

// A delayer with what is known of it, on its way to all processes. Names are indices in
// Definitions.
struct Row {
  Ticks cost = 0;
  std::uint32_t call_path = 0, location = 0, within = 0;
  report::NoComputation not_computing;
  double page_faults = 0, instructions = 0, time_for_each = 0;
};
struct Line {
  Place place;
  double seconds = 0, error = 0;
  std::uint64_t samples = 0;
};
struct WholeRow {
  Row row;
  std::vector<Line> lines, blocked;
};

class Comparison {
 public:
  Comparison(const Booking& booking, const ComputationParts& parts, const DelayParts& delays)
      : booking_(booking), definitions_(booking.definitions), parts_(parts), delays_(delays) {}

  // Rows of the hosted locations, the largest cost first.
  [[nodiscard]] std::vector<WholeRow> own_rows() const {
    std::vector<WholeRow> rows;
    for (const Delayer& one : own_delayers()) rows.push_back(compare(one));
    return rows;
  }
  [[nodiscard]] LongerComputation named(const WholeRow& from) const;

 private:
  struct Difference {
    double seconds = 0, error = 0;
    std::uint64_t samples = 0;
  };
  using Lines = std::map<Place, Difference>;

  [[nodiscard]] double seconds(Ticks ticks) const {
    return static_cast<double>(ticks) / static_cast<double>(definitions_.ticks_per_second);
  }
  // 0 without the metric, as in reports for Scalasca.
  [[nodiscard]] Ticks value(const char* metric, std::size_t location,
                            std::uint32_t call_path) const {
    const auto id = booking_.metrics.id(metric);
    return id == patterns::MetricTree::kNone ? 0 : booking_.value(id, location, call_path);
  }
  // Samples and the kernel's part are not taken inside recorded calls on files, which say
  // themselves what their time was for.
  [[nodiscard]] bool is_file_call(std::uint32_t call_path) const {
    return definitions_.regions[booking_.tree.nodes[call_path].region].is_file_call();
  }
  [[nodiscard]] bool has_source(std::uint32_t region) const {
    return definitions_.regions[region].file.starts_with('/');
  }
  [[nodiscard]] std::vector<Delayer> own_delayers() const;
  [[nodiscard]] WholeRow compare(const Delayer& from) const;
  [[nodiscard]] Place in_program(Place place) const;
  [[nodiscard]] Lines lines_of(const Delayer& from, const causes::PlaceSums& places) const;
  [[nodiscard]] std::vector<Line> blocked_in(const causes::PlaceSums& places, double most) const;
  [[nodiscard]] std::uint32_t within(std::uint32_t call_path, const Lines& lines) const;

  const Booking& booking_;
  const trace::Definitions& definitions_;
  const ComputationParts& parts_;
  const DelayParts& delays_;
};

void cut_to_largest(std::vector<Line>& lines, std::size_t most) {
  std::ranges::stable_sort(lines, std::greater{}, &Line::seconds);
  if (lines.size() > most) lines.resize(most);
}

std::vector<Delayer> Comparison::own_delayers() const {
  const CauseMetrics metrics(booking_.metrics);
  std::vector<Delayer> own;
  for (std::size_t l = 0; l < booking_.mine.size(); ++l) {
    for (std::uint32_t c = 0; c < booking_.tree.nodes.size(); ++c) {
      if (is_file_call(c)) continue;
      const Ticks cost = metrics.delay_costs(booking_, l, c);
      // Nothing but the time without a core is known of MPI calls.
      if (cost > 0 && (parts_.computes(l, c) || value("delay_preempted", l, c) > 0))
        own.push_back({cost, c, booking_.mine[l].location, l});
    }
  }
  std::ranges::sort(own, {},
                    [](const Delayer& d) { return std::tuple(-d.cost, d.location, d.call_path); });
  if (own.size() > LongerComputation::kMostRows) own.resize(LongerComputation::kMostRows);
  return own;
}

// The place; in a library without sources the function of the program that calls it.
Place Comparison::in_program(Place place) const {
  const auto& nodes = booking_.tree.nodes;
  if (place.region == kNone) place.region = nodes[place.at].region;
  if (has_source(place.region)) return place;
  for (auto node = place.at; node != kNone && node != 0; node = nodes[node].parent) {
    if (!has_source(nodes[node].region)) continue;
    place.at = node;
    place.region = nodes[node].region;
    place.source = kNone;
    break;
  }
  return place;
}

// If the waiters have no sample, one more would have been possible. n samples of one weight
// leave the variance t * t / n of a time t, so one of them stands for variance / t.
Comparison::Lines Comparison::lines_of(const Delayer& from, const causes::PlaceSums& places) const {
  std::map<Place, ComparedPlace> sums;
  for (const auto& [place, one] : places) {
    if (place.kind == Place::Kind::kSampled) add(sums[in_program(place)], one);
  }
  std::map<Place, std::uint64_t> samples;  // of the whole run
  for (const auto& one : booking_.mine[from.hosted].sampled) {
    if (booking_.tree.from_local[one.node] != from.call_path) continue;
    const auto place = in_program(
        {Place::Kind::kSampled, booking_.tree.from_local[one.at], one.region, one.source, kNone});
    if (sums.contains(place)) samples[place] += one.count;
  }
  Lines lines;
  for (const auto& [place, one] : sums) {
    const double cause = kOneNanosecond * static_cast<double>(one.cause),
                 waiter = kOneNanosecond * static_cast<double>(one.waiter);
    const double own = static_cast<double>(std::max<std::uint64_t>(samples[place], 1));
    const double by_cause =
        std::max(kSquareMicrosecond * static_cast<double>(one.cause_variance), cause * cause / own);
    const double by_one = cause > 0 ? by_cause / cause : 0;
    const double by_waiter = waiter > 0
                                 ? kSquareMicrosecond * static_cast<double>(one.waiter_variance)
                                 : by_one * by_one;
    lines[place] = {cause - waiter, std::sqrt(by_cause + by_waiter), samples[place]};
  }
  return lines;
}

// Goes into a function as long as it has nearly all of the difference and its file is known, so
// that the answer is in the program and not in a library. The delayer's call path may end in a
// function that only seemed to be open, so the way begins at a caller that all lines have in
// common.
std::uint32_t Comparison::within(std::uint32_t call_path, const Lines& lines) const {
  constexpr double kNearlyAll = 0.8;
  const auto& nodes = booking_.tree.nodes;
  std::uint32_t at = call_path;
  double all = 0;
  for (const auto& [place, longer] : lines) {
    all += longer.seconds;
    // Callers have lower numbers.
    for (std::uint32_t node = place.at; node != at;) {
      auto& inner = node > at ? node : at;
      inner = nodes[inner].parent;
    }
  }
  while (true) {
    std::map<std::uint32_t, double> below;  // by child of `at`
    for (const auto& [place, longer] : lines) {
      std::uint32_t node = place.at;
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

// The calls in which the cause was blocked longer, no more than `most` seconds together.
std::vector<Line> Comparison::blocked_in(const causes::PlaceSums& places, double most) const {
  std::map<Place, ComparedPlace> sums;
  for (const auto& [place, one] : places) {
    if (place.kind != Place::Kind::kBlocked) continue;
    Place call = in_program(place);
    call.at = 0;  // the function and the line are enough
    add(sums[call], one);
  }
  std::vector<Line> calls;
  double all = 0;
  for (const auto& [place, one] : sums) {
    const double longer = kOneNanosecond * static_cast<double>(one.cause - one.waiter);
    if (longer <= 0) continue;
    calls.push_back({.place = place, .seconds = longer});
    all += longer;
  }
  for (Line& call : calls) call.seconds *= std::min(1.0, most / all);
  cut_to_largest(calls, LongerComputation::kMostBlocked);
  return calls;
}

WholeRow Comparison::compare(const Delayer& from) const {
  constexpr double kClear = 2;  // standard errors
  WholeRow out{.row = {.cost = from.cost, .call_path = from.call_path, .location = from.location}};
  Row& row = out.row;
  const auto part = [&](const char* metric) {
    return seconds(value(metric, from.hosted, from.call_path));
  };
  row.not_computing = {.preempted = part("delay_preempted"),
                       .blocked = part("delay_blocked"),
                       .kernel = part("delay_kernel"),
                       .off_processor = part("delay_off_core")};
  row.within = from.call_path;
  if (from.hosted >= delays_.size()) return out;
  const auto found = delays_[from.hosted].find(from.call_path);
  if (found == delays_[from.hosted].end()) return out;
  const auto& [told, places] = found->second;
  row.page_faults = static_cast<double>(told.cause.page_faults - told.waiter.page_faults);
  if (const auto longer = compared_in_stretches(told, definitions_.ticks_per_second)) {
    row.instructions = longer->instructions;
    row.time_for_each = longer->time_for_each;
  }
  const Lines lines = lines_of(from, places);
  row.within = within(from.call_path, lines);
  for (const auto& [place, longer] : lines) {
    std::uint32_t node = place.at;
    while (node > row.within) node = booking_.tree.nodes[node].parent;
    if (node != row.within || longer.seconds < kClear * longer.error) continue;
    out.lines.push_back({place, longer.seconds, longer.error, longer.samples});
  }
  cut_to_largest(out.lines, LongerComputation::kMostLines);
  if (row.not_computing.blocked > 0) out.blocked = blocked_in(places, row.not_computing.blocked);
  return out;
}

LongerComputation Comparison::named(const WholeRow& from) const {
  const Row& row = from.row;
  LongerComputation out{.call_path = row.call_path,
                        .location = row.location,
                        .delay_costs = seconds(row.cost),
                        .not_computing = row.not_computing,
                        .page_faults = row.page_faults,
                        .instructions = row.instructions,
                        .time_for_each = row.time_for_each,
                        .within = row.within};
  const auto place = [&](const Place& at, std::string& function, std::string& file,
                         std::uint32_t& line) {
    const auto& region = definitions_.regions[at.region];
    function = region.name;
    file = region.file;
    if (at.source == kNone) return;
    const auto& source = definitions_.source_lines[at.source];
    if (source.file != kNone) file = definitions_.source_files[source.file];
    line = source.line;
  };
  for (const Line& line : from.lines) {
    auto& to = out.lines.emplace_back(LongerComputation::Line{
        .seconds = line.seconds, .error = line.error, .samples = line.samples});
    place(line.place, to.function, to.file, to.line);
  }
  for (const Line& call : from.blocked) {
    auto& to = out.blocked.emplace_back(LongerComputation::Blocked{.seconds = call.seconds});
    if (call.place.function != kNone) to.function = definitions_.regions[call.place.function].name;
    place(call.place, to.caller, to.file, to.line);
  }
  return out;
}

}  // namespace

std::vector<LongerComputation> compare_computation(const Booking& booking,
                                                   const ComputationParts& parts,
                                                   const DelayParts& delays,
                                                   parallel::Processes& processes) {
  if (!tells_of_computation(booking.definitions)) return {};
  const Comparison comparison(booking, parts, delays);
  parallel::Packer pack;
  for (const WholeRow& one : comparison.own_rows()) {
    pack.put(one.row);
    pack.put_all(std::span<const Line>(one.lines));
    pack.put_all(std::span<const Line>(one.blocked));
  }
  std::vector<WholeRow> all;
  for (const auto& bytes : processes.all_gather(pack.take())) {
    for (parallel::Unpacker in(bytes); !in.done();) {
      WholeRow& one = all.emplace_back();
      one.row = in.get<Row>();
      in.get_all(one.lines);
      in.get_all(one.blocked);
    }
  }
  std::ranges::sort(all, {}, [](const WholeRow& one) {
    return std::tuple(-one.row.cost, one.row.location, one.row.call_path);
  });
  if (all.size() > LongerComputation::kMostRows) all.resize(LongerComputation::kMostRows);
  constexpr double kWorthNaming = 0.1;  // part of the costs
  std::vector<LongerComputation> out;
  for (const WholeRow& one : all) {
    auto row = comparison.named(one);
    const bool is_mpi = booking.definitions.regions[booking.tree.nodes[row.call_path].region].mpi;
    const bool is_known = is_mpi && row.not_computing.preempted >= kWorthNaming * row.delay_costs;
    if (row.is_no_computation() || !row.lines.empty() || is_known) out.push_back(std::move(row));
  }
  return out;
}

}  // namespace latecomer::replay
