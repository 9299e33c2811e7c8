// SPDX-License-Identifier: BSD-3-Clause
// Assembles all tables and wait states. Siblings are in the order of this file; wait states in that
// of their records.
#include "patterns/metrics.hpp"

#include <algorithm>
#include <iterator>

#include "patterns/derived/derived_metrics.hpp"
#include "patterns/metric/imbalance.hpp"
#include "patterns/metric/metric_tables.hpp"
#include "patterns/waits/polling.hpp"
#include "patterns/waits/thread_management.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::patterns {
namespace {

void append(std::vector<Metric>& to, std::vector<Metric> more) {
  std::ranges::move(more, std::back_inserter(to));
}

std::vector<Metric> openmp_metrics() {
  std::vector<Metric> all = openmp_time_metrics();
  // Management precedes synchronization.
  all.insert(all.begin() + 1, {omp_management_metric(), omp_fork_metric()});
  return all;
}

// Wait states, their parts, and times without a cause.
std::vector<Metric> wait_state_metrics(const Paradigms& paradigms) {
  std::vector<Metric> all;
  for (const auto* record : ordered_wait_states()) {
    if (paradigms.have(record->family)) all.push_back(record->metric);
  }
  return all;
}

std::vector<Metric> base_metrics(const Paradigms& paradigms) {
  std::vector<Metric> all;
  append(all, time_metrics());
  append(all, mpi_time_metrics());
  if (paradigms.openmp) append(all, openmp_metrics());
  if (paradigms.pthread) append(all, pthread_time_metrics());
  append(all, wait_state_metrics(paradigms));
  append(all, count_metrics());
  if (paradigms.files) append(all, file_byte_metrics());
  if (paradigms.kernel) append(all, kernel_metrics());
  append(all, delay_metrics(paradigms));
  if (paradigms.samples) append(all, delay_reason_metrics(paradigms));
  append(all, chain_metrics(paradigms));
  append(all, critical_path_metrics());
  append(all, imbalance_metrics());
  if (paradigms.tests) append(all, polling_metrics(all));
  append(all, clock_violation_metrics());
  return depth_first(std::move(all));
}

std::vector<Metric> with_grid(std::span<const Metahost> metahosts, const Paradigms& paradigms) {
  auto all = base_metrics(paradigms);
  const auto waits = wait_state_names();
  std::vector<std::string> mirrored;
  for (const auto& record : wait_states()) {
    if (!is_of_threads(record.family)) mirrored.push_back(record.metric.name);
  }
  auto grid = grid_metrics(all, mirrored);
  append(grid, pair_metrics(all, waits, metahosts));
  append(all, std::move(grid));
  return all;
}

// Removes the last id from a name and returns it: "..._0_1" becomes "..._0", returns 1.
std::optional<std::uint32_t> take_id(std::string_view& name) {
  const auto at = name.rfind('_');
  if (at == std::string_view::npos) return {};
  const auto digits = name.substr(at + 1);
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  if (digits.empty() || digits.size() > 9 || !std::ranges::all_of(digits, is_digit)) return {};
  name = name.substr(0, at);
  return static_cast<std::uint32_t>(std::stoul(std::string(digits)));
}

std::vector<std::string> names_of_waits(bool of_threads) {
  std::vector<std::string> names;
  for (const auto* record : ordered_wait_states()) {
    if (record->waiting && is_of_threads(record->family) == of_threads) {
      names.push_back(record->metric.name);
    }
  }
  return names;
}

}  // namespace

std::vector<std::string> wait_state_names() { return names_of_waits(false); }

std::vector<std::string> thread_wait_names() { return names_of_waits(true); }

std::vector<Metric> computed_metrics(std::span<const Metahost> metahosts,
                                     const Paradigms& paradigms) {
  return metahosts.size() < 2 ? base_metrics(paradigms) : with_grid(metahosts, paradigms);
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
  for (auto& metric : with_grid(metahosts, Paradigms::all())) {
    if (metric.name == name) return std::move(metric);
  }
  return {};
}

}  // namespace latecomer::patterns
