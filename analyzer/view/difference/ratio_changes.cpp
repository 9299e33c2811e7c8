// SPDX-License-Identifier: BSD-3-Clause
// Evaluates ratios in both reports separately, then compares the values.
#include "analyzer/view/difference/ratio_changes.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "analyzer/view/text/call_path_text.hpp"

namespace latecomer::view {
namespace {

constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Values by call path of the union, with callees and without.
struct Evaluated {
  explicit Evaluated(std::size_t call_paths)
      : values(call_paths, kNoValue), own(call_paths, kNoValue) {}
  double total = kNoValue;
  std::vector<double> values, own;
};

Evaluated evaluated(report::Report& report, std::uint32_t metric,
                    const std::vector<std::uint32_t>& call_paths, std::size_t all) {
  Evaluated out(all);
  if (metric == report::kNone) return out;
  out.total = report.total(metric);
  auto whole =
      report.aggregate(std::vector<std::uint32_t>(report.definitions().locations.size(), 0), 1,
                       report::formula::PlaceKind::kNode);
  for (std::uint32_t c = 0; c < call_paths.size(); ++c) {
    if (call_paths[c] == report::kNone) continue;
    out.values[call_paths[c]] = whole.at(metric, c, true).front();
    out.own[call_paths[c]] = whole.at(metric, c, false).front();
  }
  return out;
}

// Sort key of a change; changes from or to "no value" come last.
double size(double change) { return std::isnan(change) ? -1 : std::abs(change); }

}  // namespace

std::vector<RatioChange> ratio_changes(report::Report& before, report::Report& after,
                                       const report::Matching& matching,
                                       const std::vector<std::string>& chosen,
                                       std::vector<std::string>& notes) {
  const std::array<report::Report*, 2> reports = {&before, &after};
  const auto& d = matching.definitions;
  std::vector<RatioChange> out;
  for (const auto& name : matching.ratios) {
    if (std::ranges::find(chosen, name) == chosen.end()) continue;
    std::array<std::uint32_t, 2> metrics = {before.find(name), after.find(name)};
    const bool both = metrics[0] != report::kNone && metrics[1] != report::kNone;
    if (both && before.stored(metrics[0]).unit != after.stored(metrics[1]).unit) {
      notes.push_back("metric " + name + " of " + after.file() + " is left out: its unit is " +
                      after.stored(metrics[1]).unit + ", not " + before.stored(metrics[0]).unit);
      metrics[1] = report::kNone;
    }
    const std::size_t first = metrics[0] == report::kNone ? 1 : 0;
    const auto& metric = reports[first]->definitions().metrics[metrics[first]];
    RatioChange ratio = {name, metric.display, reports[first]->stored(metrics[first]).unit, {}, {}};
    std::array<Evaluated, 2> values = {Evaluated(0), Evaluated(0)};
    for (std::size_t i = 0; i < 2; ++i) {
      values[i] =
          evaluated(*reports[i], metrics[i], matching.inputs[i].call_paths, d.call_paths.size());
      if (metrics[i] == report::kNone) continue;
      const auto gap = reports[i]->formula_gap(metrics[i]);
      if (!gap.empty()) notes.push_back(reports[i]->file() + ": " + gap);
    }
    ratio.total = {values[0].total, values[1].total};
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      RatioChange::Place place;
      place.value = {values[0].values[c], values[1].values[c]};
      place.own = {values[0].own[c], values[1].own[c]};
      if (!place.value.differs() && !place.own.differs()) continue;
      place.call_path = call_path_names(d, c);
      ratio.places.push_back(std::move(place));
    }
    std::ranges::stable_sort(ratio.places, [](const auto& a, const auto& b) {
      return std::pair(size(a.value.change()), size(a.own.change())) >
             std::pair(size(b.value.change()), size(b.own.change()));
    });
    out.push_back(std::move(ratio));
  }
  return out;
}

}  // namespace latecomer::view
