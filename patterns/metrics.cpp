// SPDX-License-Identifier: BSD-3-Clause
// The tables and the wait states put together. Siblings stand in the order of this file.
#include "patterns/metrics.hpp"

#include <algorithm>
#include <iterator>

#include "patterns/barrier_wait.hpp"
#include "patterns/late_sender.hpp"
#include "patterns/metric_tables.hpp"
#include "patterns/wait_nxn.hpp"

namespace latecomer::patterns {
namespace {

std::vector<Metric> wait_state_metrics() {
  return {barrier_wait_metric(), late_sender_metric(), wait_nxn_metric()};
}

void append(std::vector<Metric>& to, std::vector<Metric> more) {
  std::ranges::move(more, std::back_inserter(to));
}

std::vector<Metric> base_metrics() {
  std::vector<Metric> all;
  append(all, time_metrics());
  append(all, mpi_time_metrics());
  append(all, wait_state_metrics());
  append(all, count_metrics());
  return depth_first(std::move(all));
}

std::vector<Metric> with_grid(std::span<const Metahost> metahosts) {
  auto all = base_metrics();
  const auto waits = wait_states();
  auto grid = grid_metrics(all, waits);
  append(grid, pair_metrics(all, waits, metahosts));
  append(all, std::move(grid));
  return all;
}

// "..._0_1" -> 1, and the text is cut to "..._0".
std::optional<std::uint32_t> take_id(std::string_view& name) {
  const auto at = name.rfind('_');
  if (at == std::string_view::npos) return {};
  const auto digits = name.substr(at + 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || digits.size() > 9 || !std::ranges::all_of(digits, is_digit)) return {};
  name = name.substr(0, at);
  return static_cast<std::uint32_t>(std::stoul(std::string(digits)));
}

}  // namespace

std::vector<std::string> wait_states() {
  std::vector<std::string> names;
  for (const auto& metric : wait_state_metrics()) names.push_back(metric.name);
  return names;
}

std::vector<Metric> computed_metrics(std::span<const Metahost> metahosts) {
  return metahosts.size() < 2 ? base_metrics() : with_grid(metahosts);
}

std::optional<Metric> find_metric(std::string_view name) {
  std::vector<Metahost> metahosts;
  auto stem = name;
  if (const auto causing = take_id(stem)) {
    if (const auto waiting = take_id(stem)) {
      metahosts.push_back({*waiting, std::to_string(*waiting)});
      if (causing != waiting) metahosts.push_back({*causing, std::to_string(*causing)});
    }
  }
  for (auto& metric : with_grid(metahosts)) {
    if (metric.name == name) return std::move(metric);
  }
  return {};
}

}  // namespace latecomer::patterns
