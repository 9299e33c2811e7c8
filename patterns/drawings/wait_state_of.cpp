// SPDX-License-Identifier: BSD-3-Clause
// Maps metrics to wait states by name. The trees of metrics use several short names for one wait
// state.
#include "patterns/drawings/wait_state_of.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "patterns/drawings/drawing.hpp"

namespace latecomer::patterns {
namespace {

struct Short {
  std::string_view name;  // part of the name after a prefix
  std::string_view wait_state;
};

constexpr std::array<Short, 31> kShort = {{{"latesender", "mpi_latesender"},
                                           {"ls", "mpi_latesender"},
                                           {"latereceiver", "mpi_latereceiver"},
                                           {"lr", "mpi_latereceiver"},
                                           {"barrier", "mpi_barrier_wait"},
                                           {"n2n", "mpi_wait_nxn"},
                                           {"nxn", "mpi_wait_nxn"},
                                           {"12n", "mpi_latebroadcast"},
                                           {"latebroadcast", "mpi_latebroadcast"},
                                           {"n21", "mpi_earlyreduce"},
                                           {"earlyreduce", "mpi_earlyreduce"},
                                           {"scan", "mpi_earlyscan"},
                                           {"earlyscan", "mpi_earlyscan"},
                                           {"neighbor", "mpi_late_neighbor"},
                                           {"rma_create", "mpi_rma_wait_at_create"},
                                           {"rma_free", "mpi_rma_wait_at_free"},
                                           {"rma_fence", "mpi_rma_wait_at_fence"},
                                           {"rma_late_post", "mpi_rma_sync_late_post"},
                                           {"rma_early_wait", "mpi_rma_early_wait"},
                                           {"rma_lock", "mpi_rma_sync_lock_competition"},
                                           {"rma_progress", "mpi_rma_sync_wait_for_progress"},
                                           {"file", "mpi_io_collective_wait"},
                                           {"finalize", "mpi_finalize_wait"},
                                           {"ompbarrier", "omp_ibarrier_wait"},
                                           {"ompidle", "omp_idle_threads"},
                                           {"omplock", "omp_lock_contention_critical"},
                                           {"pthreadlock", "pthread_lock_contention_mutex_lock"},
                                           {"lswo_same", "mpi_latesender_wo"},
                                           {"lswo_different", "mpi_latesender_wo"},
                                           {"wait_at_create", "mpi_rma_wait_at_create"},
                                           {"wait_at_free", "mpi_rma_wait_at_free"}}};

constexpr std::array<Short, 6> kCounts = {{{"mpi_slr_count", "mpi_latereceiver"},
                                           {"mpi_clr_count", "mpi_latereceiver"},
                                           {"mpi_sls_count", "mpi_latesender"},
                                           {"mpi_cls_count", "mpi_latesender"},
                                           {"mpi_slswo_count", "mpi_latesender_wo"},
                                           {"mpi_clswo_count", "mpi_latesender_wo"}}};

bool take_prefix(std::string_view& name, std::string_view prefix) {
  if (!name.starts_with(prefix)) return false;
  name.remove_prefix(prefix.size());
  return true;
}

void take_suffix(std::string_view& name, std::string_view suffix) {
  if (name.ends_with(suffix)) name.remove_suffix(suffix.size());
}

// Removes the ids of a pair of metahosts: "..._0_1".
void take_ids(std::string_view& name) {
  for (;;) {
    const auto at = name.find_last_not_of("0123456789");
    if (at == std::string_view::npos || at + 1 == name.size() || name[at] != '_') return;
    name = name.substr(0, at);
  }
}

std::string find(std::span<const Short> table, std::string_view name) {
  const auto found = std::ranges::find(table, name, &Short::name);
  return found == table.end() ? "" : std::string(found->wait_state);
}

}  // namespace

std::string wait_state_of(std::string_view metric) {
  if (is_drawn_by_itself(metric)) return std::string(metric);
  if (auto of_count = find(kCounts, metric); !of_count.empty()) return of_count;
  std::string_view name = metric;
  const bool pair = take_prefix(name, "metahost_pairs_");
  if (pair) take_ids(name);
  if (pair || take_prefix(name, "grid_") || take_prefix(name, "polling_")) {
    // Such names are those of a metric without its "mpi_".
    const std::string with = "mpi_" + std::string(name);
    return is_drawn_by_itself(with) ? with : find(kShort, name);
  }
  if (take_prefix(name, "delay_")) {
    take_suffix(name, "_aggregate");
    take_suffix(name, "_longterm");
    return find(kShort, name);
  }
  for (const char* kind : {"mpi_wait_propagating_", "mpi_wait_terminal_", "mpi_wait_direct_",
                           "mpi_wait_indirect_", "mpi_"}) {
    if (take_prefix(name, kind)) return find(kShort, name);
  }
  return "";
}

}  // namespace latecomer::patterns
