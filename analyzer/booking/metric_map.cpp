// SPDX-License-Identifier: BSD-3-Clause
// Looks up all metrics by name, once.
#include "analyzer/booking/metric_map.hpp"

#include <algorithm>
#include <iterator>

#include "analyzer/booking/counters.hpp"
#include "patterns/calls/collective_class.hpp"
#include "patterns/calls/time_class.hpp"
#include "patterns/calls/visit_count.hpp"
#include "patterns/derived/grid.hpp"
#include "patterns/metrics.hpp"
#include "patterns/waits/polling.hpp"
#include "patterns/waits/wait_state.hpp"

namespace latecomer::replay {
namespace {

using patterns::MetricTree;

// Ids of a wait state, its grid version and its pairs of metahosts.
WaitMetrics wait_metrics(const MetricTree& metrics, const trace::Definitions& definitions,
                         const patterns::WaitStateRecord& record) {
  const std::string_view base = record.metric.name;
  WaitMetrics out;
  out.base = metrics.id(base);
  out.kind = record.kind;
  out.polling = metrics.id(patterns::polling_name(base));
  if (definitions.metahosts.size() < 2) return out;
  out.grid = metrics.id(patterns::grid_name(base));
  const auto& first = definitions.metahosts.front();
  if (metrics.id(patterns::pair_name(base, first.id, first.id)) == MetricTree::kNone) return out;
  for (const auto& waiting : definitions.metahosts) {
    for (const auto& causing : definitions.metahosts) {
      out.pairs.push_back(metrics.id(patterns::pair_name(base, waiting.id, causing.id)));
    }
  }
  return out;
}

}  // namespace

// Metrics of files, tests and threads exist only if the trace can contain such events.
std::vector<patterns::Metric> computed_metrics(const trace::Definitions& definitions,
                                               bool scalasca_compatible) {
  std::vector<patterns::Metahost> metahosts;
  for (const auto& metahost : definitions.metahosts) {
    metahosts.push_back({metahost.id, metahost.name});
  }
  patterns::Paradigms paradigms;
  paradigms.files = !definitions.files.empty() && !scalasca_compatible;
  for (const auto& region : definitions.regions) {
    const bool probes_now = !scalasca_compatible && region.probe &&
                            patterns::call_kind(region.name) == patterns::CallKind::kProbeNow;
    paradigms.tests = paradigms.tests || region.test || probes_now;
    if (region.mpi) continue;
    paradigms.openmp = paradigms.openmp || region.paradigm == "openmp";
    paradigms.pthread = paradigms.pthread || region.paradigm == "pthread";
  }
  if (scalasca_compatible) return patterns::computed_metrics(metahosts, paradigms);
  paradigms.kernel = has_kernel_counters(definitions);
  paradigms.samples = tells_of_computation(definitions);
  paradigms.instructions = paradigms.samples && !metric_of_instructions(definitions).empty();
  auto metrics = patterns::computed_metrics(metahosts, paradigms);
  std::ranges::move(counter_metrics(definitions), std::back_inserter(metrics));
  return metrics;
}

MetricMap::MetricMap(const MetricTree& metrics, const trace::Definitions& definitions)
    : time_of_barriers(metrics.id("mpi_sync_collective")),
      time_of_collectives(metrics.id("mpi_collective")),
      time_of_communicators(metrics.id("mpi_mgmt_comm")),
      polling(metrics.id("polling")),
      visits(metrics.id("visits")),
      syncs_send(metrics.id("syncs_send")),
      syncs_recv(metrics.id("syncs_recv")),
      comms_send(metrics.id("comms_send")),
      comms_recv(metrics.id("comms_recv")),
      bytes_sent(metrics.id("bytes_sent")),
      bytes_rcvd(metrics.id("bytes_rcvd")),
      syncs_coll(metrics.id("syncs_coll")),
      comms_cxch(metrics.id("comms_cxch")),
      comms_csrc(metrics.id("comms_csrc")),
      comms_cdst(metrics.id("comms_cdst")),
      bytes_cout(metrics.id("bytes_cout")),
      bytes_cin(metrics.id("bytes_cin")),
      late_sender_syncs(metrics.id("mpi_sls_count")),
      late_sender_comms(metrics.id("mpi_cls_count")),
      wrong_order_syncs(metrics.id("mpi_slswo_count")),
      wrong_order_comms(metrics.id("mpi_clswo_count")),
      late_receiver_syncs(metrics.id("mpi_slr_count")),
      late_receiver_comms(metrics.id("mpi_clr_count")),
      violations{{metrics.id("clock_violations_p2p"), metrics.id("clock_violations_p2p_external")},
                 {metrics.id("clock_violations_collective"),
                  metrics.id("clock_violations_collective_external")}},
      violation_times{
          {metrics.id("clock_violation_time_p2p"), metrics.id("clock_violation_time_p2p_external")},
          {metrics.id("clock_violation_time_collective"),
           metrics.id("clock_violation_time_collective_external")}},
      file_bytes{{metrics.id("mpi_file_irbytes"), metrics.id("mpi_file_iwbytes")},
                 {metrics.id("mpi_file_crbytes"), metrics.id("mpi_file_cwbytes")}},
      time_of_file{metrics.id("mpi_io_individual"), metrics.id("mpi_io_collective")},
      preempted(metrics.id("comp_preempted")),
      blocked(metrics.id("comp_blocked")),
      page_faults(metrics.id("page_faults")),
      pairwise(metrics.id("mpi_rma_pairsync_count")),
      unneeded(metrics.id("mpi_rma_pairsync_unneeded_count")),
      puts(metrics.id("comms_rma_puts")),
      gets(metrics.id("comms_rma_gets")),
      atomics(metrics.id("comms_rma_atomics")),
      bytes_put(metrics.id("bytes_put")),
      bytes_get(metrics.id("bytes_get")) {
  for (const auto& record : patterns::wait_states()) {
    waits[index_of(record.state)] = wait_metrics(metrics, definitions, record);
  }
  for (const auto& region : definitions.regions) {
    const std::string paradigm = region.mpi ? "mpi" : region.paradigm;
    const auto time_class = patterns::time_class(region.name, paradigm, region.role);
    const MetricId leaf = metrics.id(time_class);
    time_of_region.push_back(metrics.path(leaf));
    counts_of_region.push_back(
        metrics.path(metrics.id(patterns::visit_count(region.name, time_class))));
    const MetricId grid = patterns::grid_of(metrics, leaf);
    grid_of_region.push_back(grid == MetricTree::kNone ? std::vector<MetricId>()
                                                       : metrics.path(grid));
    kind_of_region.push_back(patterns::call_kind(region.name));
    send_mode_of_region.push_back(patterns::send_mode(region.name));
    is_collective_file_region.push_back(time_class == "mpi_io_collective");
    is_matched_region.push_back(patterns::is_matched(region.name));
    probes = probes || region.probe;
  }
}

MetricId MetricMap::time_of_operation(std::uint8_t operation) const {
  using patterns::CollectiveOperation;
  if (operation == static_cast<std::uint8_t>(CollectiveOperation::kBarrier)) {
    return time_of_barriers;
  }
  // Operations that create or free handles have numbers between these two.
  const bool handles =
      operation > static_cast<std::uint8_t>(CollectiveOperation::kReduceScatterBlock) &&
      operation < static_cast<std::uint8_t>(CollectiveOperation::kNeighborhood);
  return handles ? time_of_communicators : time_of_collectives;
}

}  // namespace latecomer::replay
