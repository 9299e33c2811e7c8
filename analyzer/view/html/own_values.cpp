// SPDX-License-Identifier: BSD-3-Clause
// Computes a metric minus its child metrics, row by row.
#include "analyzer/view/html/own_values.hpp"

#include <algorithm>
#include <cmath>

namespace latecomer::view {
namespace {

// Relative error of a sum of a few hundred doubles.
constexpr double kRounding = 1e-12;

void take_away(std::vector<double>& own, std::vector<double>& size, std::span<const double> part) {
  for (std::size_t i = 0; i < part.size(); ++i) {
    own[i] -= part[i];
    size[i] += std::abs(part[i]);
  }
}

bool has_sums(const report::Report& report, std::uint32_t metric) {
  return report.adds_up(metric) && report.why_no_values(metric).empty();
}

}  // namespace

std::vector<bool> parts_of_parents(const report::Report& report) {
  const auto& metrics = report.definitions().metrics;
  std::vector<bool> parts(metrics.size());
  for (std::uint32_t m = 0; m < metrics.size(); ++m) {
    const auto parent = metrics[m].parent.empty() ? report::kNone : report.find(metrics[m].parent);
    if (parent == report::kNone) continue;
    parts[m] = metrics[m].unit == metrics[parent].unit &&
               report.stored(m).unit == report.stored(parent).unit && has_sums(report, m) &&
               has_sums(report, parent);
  }
  return parts;
}

Result<std::vector<OwnRow>> own_values(report::Report& report, std::uint32_t metric,
                                       const std::vector<bool>& parts) {
  const auto& d = report.definitions();
  std::vector<const report::MetricValues*> children;
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    if (!parts[m] || report.find(d.metrics[m].parent) != metric) continue;
    const auto values = report.values(m);
    if (!values) return values.problem();
    children.push_back(*values);
  }
  const auto values = report.values(metric);
  if (!values) return values.problem();
  std::vector<OwnRow> rows;
  const std::size_t columns = d.locations.size();
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto all = (*values)->row(c);
    if (all.empty() && std::all_of(children.begin(), children.end(),
                                   [&](const auto* child) { return child->row(c).empty(); })) {
      continue;
    }
    std::vector<double> own(columns), size(columns);
    for (std::size_t i = 0; i < all.size(); ++i) own[i] = all[i];
    for (std::size_t i = 0; i < all.size(); ++i) size[i] = std::abs(all[i]);
    for (const auto* child : children) take_away(own, size, child->row(c));
    for (std::size_t i = 0; i < columns; ++i) {
      if (std::abs(own[i]) <= kRounding * size[i]) own[i] = 0;
    }
    if (std::any_of(own.begin(), own.end(), [](double v) { return v != 0; })) {
      rows.push_back({c, std::move(own)});
    }
  }
  return rows;
}

}  // namespace latecomer::view
