// SPDX-License-Identifier: BSD-3-Clause
// Computes difference, mean and union. Each is a sum over the inputs, with one factor per input.
#include "analyzer/report/algebra/combine.hpp"

#include <algorithm>
#include <set>

#include "analyzer/report/algebra/keep_formulas.hpp"
#include "analyzer/report/extras/extras.hpp"

namespace latecomer::report {
namespace {

// The metric of input i that is `metric` of the union; kNone if it has none.
std::uint32_t metric_of_input(const Matching& matching, std::size_t i, std::uint32_t metric) {
  const auto& map = matching.inputs[i].metrics;
  const auto found = std::find(map.begin(), map.end(), metric);
  return found == map.end() ? kNone : static_cast<std::uint32_t>(found - map.begin());
}

// Adds factor * (values of input i) to `sum`.
Status add(const Matching& matching, std::span<Report* const> reports, std::size_t i,
           std::uint32_t metric, double factor, MetricValues& sum) {
  const auto m = metric_of_input(matching, i, metric);
  if (m == kNone || factor == 0) return success();
  const auto values = reports[i]->values(m);
  if (!values) return values.problem();
  const auto& input = matching.inputs[i];
  for (std::uint32_t c = 0; c < input.call_paths.size(); ++c) {
    const auto row = (*values)->row(c);
    if (row.empty()) continue;
    const auto out = sum.make_row(input.call_paths[c]);
    for (std::size_t l = 0; l < row.size(); ++l) out[input.columns[l]] += factor * row[l];
  }
  return success();
}

MetricValues zeros(const Definitions& d) {
  return MetricValues(d.call_paths.size(), d.locations.size());
}

const char* word(Operation operation) {
  switch (operation) {
    case Operation::kDiff:
      return "diff";
    case Operation::kMean:
      return "mean";
    case Operation::kMerge:
      return "merge";
  }
  return "";
}

// Extras of the result. Program, settings and run are those of the first report as far as they hold
// for the result; the inputs are listed. If the processes of the reports differ, the only column
// holds sums over all ranks. Then `run` stays empty, and the operation lists how many ranks each
// input had.
Extras extras_of(Operation operation, const Matching& matching, std::span<Report* const> reports) {
  Extras extras;
  extras.origin.name = word(operation);
  double sum = 0;
  bool all_told = true, same = true;
  double first = 0;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const auto& one = reports[i]->extras();
    if (i == 0) {
      extras.program = one.program;
      extras.settings = one.settings;
      if (!matching.collapsed) extras.run = one.run;
      first = one.run.duration;
    }
    extras.partial = extras.partial || one.partial;
    extras.waits_at_least = extras.waits_at_least || one.waits_at_least;
    // A difference or mean does not tell metrics that one of them does not tell. A union has those
    // that any of them has.
    if (one.only_watched() && !extras.only_watched()) {
      extras.tells = one.tells;
    } else if (one.only_watched()) {
      std::erase_if(extras.tells, [&](const std::string& name) { return !one.told(name); });
    }
    sum += one.run.duration;
    all_told = all_told && one.run.duration > 0;
    same = same && one.run.duration == first;
    extras.origin.inputs.push_back(reports[i]->file());
    if (matching.collapsed) {
      extras.origin.ranks.push_back(reports[i]->definitions().processes.size());
    }
  }
  if (operation == Operation::kMerge) extras.tells.clear();
  extras.run.events = 0;
  extras.run.duration = 0;
  if (operation == Operation::kMean && all_told) {
    extras.run.duration = sum / static_cast<double>(reports.size());
  } else if (operation == Operation::kMerge && same) {
    extras.run.duration = first;  // all inputs come from the same run
  }
  return extras;
}

}  // namespace

Result<MetricValues> matched_values(const Matching& matching, std::span<Report* const> reports,
                                    std::size_t i, std::uint32_t metric) {
  auto values = zeros(matching.definitions);
  if (const auto status = add(matching, reports, i, metric, 1, values); !status) {
    return status.problem();
  }
  return values;
}

void note_left_out(const Matching& matching, const std::vector<std::string>& ratios,
                   Combined& result) {
  std::set<std::string> there;
  for (const auto& metric : result.definitions.metrics) there.insert(metric.name);
  std::vector<std::string> failed;
  for (const auto& name : matching.failed) {
    if (!there.contains(name)) failed.push_back(name);
  }
  there.insert(failed.begin(), failed.end());
  std::vector<std::string> others;
  for (const auto& name : ratios) {
    if (there.insert(name).second) others.push_back(name);
  }
  if (!failed.empty()) result.notes.push_back(note_of_failed(failed));
  if (!others.empty()) result.notes.push_back(note_of_ratios(others));
}

Result<Combined> combine(Operation operation, const Matching& matching,
                         std::span<Report* const> reports) {
  Combined out;
  out.definitions = matching.definitions;
  out.units = matching.units;
  out.definitions.extras = std::make_shared<const Extras>(extras_of(operation, matching, reports));
  for (std::uint32_t m = 0; m < out.definitions.metrics.size(); ++m) {
    auto sum = zeros(out.definitions);
    for (std::size_t i = 0; i < reports.size(); ++i) {
      double factor = 1;
      if (operation == Operation::kDiff) factor = i == 0 ? -1 : 1;
      if (operation == Operation::kMean) factor = 1 / static_cast<double>(reports.size());
      const bool has = metric_of_input(matching, i, m) != kNone;
      if (const auto status = add(matching, reports, i, m, factor, sum); !status) {
        return status.problem();
      }
      if (operation == Operation::kMerge && has) break;
    }
    out.values.push_back(std::move(sum));
  }
  // The ratio of two differences is not the difference of the ratios.
  if (operation == Operation::kDiff) {
    note_left_out(matching, matching.ratios, out);
    return out;
  }
  const bool is_union = operation == Operation::kMerge;
  const auto left_out = keep_formulas(
      reports, out, is_union ? std::span(matching.inputs) : std::span<const Matching::Input>());
  if (!left_out) return left_out.problem();
  note_left_out(matching, *left_out, out);
  return out;
}

}  // namespace latecomer::report
