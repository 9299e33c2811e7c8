// SPDX-License-Identifier: BSD-3-Clause
// Reports do not say which metrics are waiting time; names do.
#include "analyzer/view/wait_states.hpp"

#include <set>
#include <string>

#include "patterns/metrics.hpp"

namespace latecomer::view {
namespace {

// Names that Scalasca writes. Completion times are not waiting for somebody who is late.
constexpr const char* kNamesElsewhere[] = {
    "mpi_latesender",
    "mpi_latereceiver",
    "mpi_earlyreduce",
    "mpi_earlyscan",
    "mpi_latebroadcast",
    "mpi_wait_nxn",
    "mpi_barrier_wait",
    "mpi_finalize_wait",
    "mpi_rma_wait_at_create",
    "mpi_rma_wait_at_free",
    "mpi_rma_wait_at_fence",
    "mpi_rma_early_wait",
    "mpi_rma_sync_late_post",
    "mpi_rma_comm_late_post",
    "mpi_rma_sync_lock_competition",
    "mpi_rma_comm_lock_competition",
    "mpi_rma_sync_wait_for_progress",
    "mpi_rma_comm_wait_for_progress",
};

}  // namespace

std::vector<std::uint32_t> wait_states_of(const report::Definitions& definitions) {
  std::set<std::string> names(std::begin(kNamesElsewhere), std::end(kNamesElsewhere));
  for (auto& name : patterns::wait_states()) names.insert(std::move(name));
  std::vector<std::uint32_t> found;
  std::set<std::string> covered;  // wait states and everything below them
  for (std::uint32_t m = 0; m < definitions.metrics.size(); ++m) {
    const auto& metric = definitions.metrics[m];
    const bool part = covered.count(metric.parent) != 0;
    const bool wait = names.count(metric.name) != 0;
    if (part || wait) covered.insert(metric.name);
    if (wait && !part && metric.unit == patterns::Unit::kSeconds) found.push_back(m);
  }
  return found;
}

}  // namespace latecomer::view
