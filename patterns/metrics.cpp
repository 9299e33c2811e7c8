// SPDX-License-Identifier: BSD-3-Clause
// Assembles all tables and wait states. Siblings are in the order of this file.
#include "patterns/metrics.hpp"

#include <algorithm>
#include <iterator>

#include "patterns/metric/imbalance.hpp"
#include "patterns/metric/metric_tables.hpp"
#include "patterns/metric/wait_kind.hpp"
#include "patterns/waits/barrier_completion.hpp"
#include "patterns/waits/barrier_wait.hpp"
#include "patterns/waits/early_reduce.hpp"
#include "patterns/waits/early_scan.hpp"
#include "patterns/waits/early_wait.hpp"
#include "patterns/waits/file_wait.hpp"
#include "patterns/waits/finalize_wait.hpp"
#include "patterns/waits/init_completion.hpp"
#include "patterns/waits/late_broadcast.hpp"
#include "patterns/waits/late_neighbor.hpp"
#include "patterns/waits/late_post.hpp"
#include "patterns/waits/late_receiver.hpp"
#include "patterns/waits/late_sender.hpp"
#include "patterns/waits/lock_contention.hpp"
#include "patterns/waits/nxn_completion.hpp"
#include "patterns/waits/polling.hpp"
#include "patterns/waits/thread_barrier_wait.hpp"
#include "patterns/waits/thread_lock_contention.hpp"
#include "patterns/waits/thread_management.hpp"
#include "patterns/waits/wait_for_progress.hpp"
#include "patterns/waits/wait_nxn.hpp"
#include "patterns/waits/window_wait.hpp"
#include "patterns/waits/wrong_order.hpp"

namespace latecomer::patterns {
namespace {

constexpr const auto& kFileWaits = kWaitKinds[index_of(WaitKind::kFile)];

// Times in which a process waits for another one, the cause. They never overlap.
std::vector<Metric> wait_state_metrics() {
  return {finalize_wait_metric(),
          barrier_wait_metric(),
          file_management_wait_metric(),
          late_sender_metric(),
          late_receiver_metric(),
          early_reduce_metric(),
          early_scan_metric(),
          late_broadcast_metric(),
          wait_nxn_metric(),
          late_neighbor_metric(),
          wait_at_create_metric(),
          wait_at_free_metric(),
          sync_late_post_metric(),
          early_wait_metric(),
          wait_at_fence_metric(),
          sync_lock_contention_metric(),
          sync_wait_for_progress_metric(),
          comm_late_post_metric(),
          comm_lock_contention_metric(),
          comm_wait_for_progress_metric(),
          file_io_wait_metric()};
}

// Parts of wait states, and times without a cause.
std::vector<Metric> other_metrics() {
  return {barrier_completion_metric(), wrong_order_metric(),    wrong_order_different_metric(),
          wrong_order_same_metric(),   nxn_completion_metric(), early_fence_metric(),
          late_complete_metric()};
}

void append(std::vector<Metric>& to, std::vector<Metric> more) {
  std::ranges::move(more, std::back_inserter(to));
}

std::vector<Metric> openmp_metrics() {
  std::vector<Metric> all = openmp_time_metrics();
  // Management precedes synchronization.
  all.insert(all.begin() + 1, {omp_management_metric(), omp_fork_metric()});
  append(all, {omp_ebarrier_wait_metric(), omp_ibarrier_wait_metric(),
               omp_critical_contention_metric(), omp_lock_contention_metric()});
  append(all, idle_thread_metrics());
  return all;
}

std::vector<Metric> pthread_metrics() {
  std::vector<Metric> all = pthread_time_metrics();
  append(all, {pthread_mutex_contention_metric(), pthread_condition_contention_metric()});
  return all;
}

std::vector<Metric> base_metrics(const Paradigms& paradigms) {
  std::vector<Metric> all;
  append(all, time_metrics());
  append(all, mpi_time_metrics());
  if (paradigms.openmp) append(all, openmp_metrics());
  if (paradigms.pthread) append(all, pthread_metrics());
  all.push_back(init_completion_metric());
  for (auto& metric : wait_state_metrics()) {
    const bool of_files = metric.name == kFileWaits.wait || metric.name == kFileWaits.also;
    if (!of_files || paradigms.files) all.push_back(std::move(metric));
  }
  append(all, other_metrics());
  append(all, count_metrics());
  if (paradigms.files) append(all, file_byte_metrics());
  append(all, delay_metrics(paradigms.openmp, paradigms.pthread, paradigms.files));
  append(all, chain_metrics(paradigms.files));
  append(all, critical_path_metrics());
  append(all, imbalance_metrics());
  if (paradigms.tests) append(all, polling_metrics(all));
  append(all, clock_violation_metrics());
  return depth_first(std::move(all));
}

std::vector<Metric> with_grid(std::span<const Metahost> metahosts, const Paradigms& paradigms) {
  auto all = base_metrics(paradigms);
  const auto waits = wait_states();
  auto mirrored = waits;
  mirrored.push_back(init_completion_metric().name);
  for (const auto& metric : other_metrics()) mirrored.push_back(metric.name);
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

}  // namespace

std::vector<std::string> wait_states() {
  std::vector<std::string> names;
  for (const auto& metric : wait_state_metrics()) names.push_back(metric.name);
  return names;
}

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
  for (auto& metric :
       with_grid(metahosts, {.openmp = true, .pthread = true, .tests = true, .files = true})) {
    if (metric.name == name) return std::move(metric);
  }
  return {};
}

}  // namespace latecomer::patterns
