// SPDX-License-Identifier: BSD-3-Clause
// The metrics of a report as indices, so that booking a severity needs no names.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "patterns/calls/call_kind.hpp"
#include "patterns/metric/metric.hpp"
#include "patterns/waits/wait_state_list.hpp"

namespace latecomer::replay {

using patterns::MetricId;

// A wait state with its grid version and its metahost pairs. With one metahost these are kNone and
// empty. Times without a cause have no pairs.
struct WaitMetrics {
  MetricId base = patterns::MetricTree::kNone;
  MetricId grid = patterns::MetricTree::kNone;
  MetricId polling = patterns::MetricTree::kNone;
  std::optional<patterns::WaitKind> kind;  // none: causes of this wait state are not followed
  std::vector<MetricId> pairs;  // waiting metahost x number of metahosts + causing metahost
};

// The metrics that are computed for a trace, in document order. With `scalasca_compatible` waiting
// in probes is not among them, since Scalasca does not know it.
[[nodiscard]] std::vector<patterns::Metric> computed_metrics(const trace::Definitions& definitions,
                                                             bool scalasca_compatible = false);

// The ids of all metrics that the replay books. kNone: not computed for this trace.
struct MetricMap {
  MetricMap(const patterns::MetricTree& metrics, const trace::Definitions& definitions);

  // Metrics from the leaf to `time` that contain the exclusive time of a call path; per region.
  std::vector<std::vector<MetricId>> time_of_region;
  // Metrics from the leaf up that count the visits of a region, besides `visits`; per region.
  std::vector<std::vector<MetricId>> counts_of_region;
  // Metrics of the grid tree that contain the time of a call that crosses metahosts; per region.
  std::vector<std::vector<MetricId>> grid_of_region;
  // The most specific metrics for the time of a collective operation.
  MetricId time_of_barriers, time_of_collectives, time_of_communicators;
  [[nodiscard]] MetricId time_of_operation(std::uint8_t operation) const;
  std::vector<patterns::CallKind> kind_of_region;
  std::vector<patterns::SendMode> send_mode_of_region;
  std::vector<bool> is_collective_file_region;
  std::vector<bool> is_matched_region;  // patterns::is_matched
  bool probes = false;                  // some region is a probe

  MetricId polling;  // kNone: the program does not poll
  MetricId visits, syncs_send, syncs_recv, comms_send, comms_recv, bytes_sent, bytes_rcvd;
  MetricId syncs_coll, comms_cxch, comms_csrc, comms_cdst, bytes_cout, bytes_cin;
  MetricId late_sender_syncs, late_sender_comms, wrong_order_syncs, wrong_order_comms;
  MetricId late_receiver_syncs, late_receiver_comms;
  // kNone: not computed, such as waits for files without records of them.
  std::array<WaitMetrics, patterns::kWaitStateCount> waits;
  [[nodiscard]] const WaitMetrics& operator[](patterns::WaitState state) const {
    return waits[index_of(state)];
  }
  // Leaves of clock violations, [collective][between metahosts]: count and time.
  MetricId violations[2][2], violation_times[2][2];
  MetricId file_bytes[2][2];  // [collective][written]; kNone: there are no records of files
  MetricId time_of_file[2];   // [collective]
  MetricId preempted, blocked, page_faults;  // kNone: the trace does not say what the kernel did
  MetricId pairwise, unneeded, puts, gets, atomics, bytes_put, bytes_get;
};

}  // namespace latecomer::replay
