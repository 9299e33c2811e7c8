// SPDX-License-Identifier: BSD-3-Clause
// Severities of the hosted locations, and the ways to add times and waits to them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analyzer/booking/metric_map.hpp"
#include "analyzer/booking/statistics.hpp"
#include "analyzer/booking/time_slices.hpp"
#include "analyzer/report/model/model.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "analyzer/trace/events/location_events.hpp"

namespace latecomer::replay {

// Column i of the severities belongs to the i-th hosted location.
class Booking {
 public:
  Booking(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
          const patterns::MetricTree& metrics, const std::vector<trace::LocationEvents>& mine);

  // Adds to one metric only; `node` is a node of the location's own call tree.
  void add(MetricId metric, std::size_t location, std::uint32_t node, std::int64_t value) {
    severities_.add(metric, tree.from_local[node], location, value);
  }
  // This variant takes a node of the global call tree.
  void add_at(MetricId metric, std::size_t location, std::uint32_t call_path, std::int64_t value) {
    severities_.add(metric, call_path, location, value);
  }
  // Value of a hosted location at a node of the global call tree.
  [[nodiscard]] std::int64_t value(MetricId metric, std::size_t location,
                                   std::uint32_t call_path) const {
    const auto row = severities_.row(metric, call_path);
    return row.empty() ? 0 : row[location];
  }
  // Adds to a metric and to all its ancestors.
  void add_up(MetricId metric, std::size_t location, std::uint32_t node, std::int64_t value);

  void add_up_at(MetricId metric, std::size_t location, std::uint32_t call_path,
                 std::int64_t value);

  // A wait, or another part of the time of a call.
  struct Part {
    std::size_t location = 0;
    trace::Call call;
    trace::Ticks time = 0;
    bool grid = false;                   // the wait crosses metahosts
    std::uint32_t cause = trace::kNone;  // world rank of the process that was waited for
    bool alone = true;                   // not part of a collective operation
    trace::Ticks begin = INT64_MIN;      // begin of the wait; INT64_MIN: enter of the call
    // Part of `time` that was spent in tests or probes before the call, and the enter of the first
    // of them.
    trace::Ticks polled = 0, polled_since = 0;
  };
  // Books the part at the call path of the call, and in the grid tree if it crosses metahosts. The
  // ancestors of a wait state are not changed: they are times of whole calls and contain the wait.
  void part(const WaitMetrics& metrics, const Part& part);

  // Adds a part of a wait in tests or probes before the call to the time slices.
  void polled(const WaitMetrics& metrics, std::size_t location, trace::Ticks begin,
              trace::Ticks time) {
    slices.add(metrics.base, metahost_of(rank_of(location)), begin, time);
  }

  // Moves time of a call from the metrics that its name implies to the metrics from `leaf` up to
  // `time`.
  void move_time(std::size_t location, const trace::Call& call, trace::Ticks time, MetricId leaf);
  // Adds time to the grid metrics at a node of the location's own call tree, as for a call that
  // crosses metahosts.
  void add_grid_time(std::size_t location, std::uint32_t node, trace::Ticks time) {
    for (const auto metric : map.grid_of_region[tree.nodes[tree.from_local[node]].region]) {
      add(metric, location, node, time);
    }
  }

  [[nodiscard]] std::uint32_t rank_of(std::size_t location) const { return ranks_[location]; }
  [[nodiscard]] std::uint32_t metahost_of(std::uint32_t rank) const {
    return definitions.processes[rank].metahost;
  }
  [[nodiscard]] std::uint32_t region_of(const trace::Call& call) const {
    return nodes_[call.node].region;
  }
  [[nodiscard]] patterns::CallKind kind_of(const trace::Call& call) const {
    return nodes_[call.node].kind;
  }
  [[nodiscard]] patterns::SendMode send_mode_of(const trace::Call& call) const {
    return nodes_[call.node].send_mode;
  }
  // Counts an event in a call that came earlier than MPI allows, by `time`.
  void violation(std::size_t location, const trace::Call& call, trace::Ticks time, bool collective,
                 bool between_metahosts) {
    count(collective ? trace::Quality::kReversedCollectives : trace::Quality::kReversedMessages,
          location);
    add_up(map.violations[collective][between_metahosts], location, call.node, 1);
    add_up(map.violation_times[collective][between_metahosts], location, call.node, time);
  }
  void count(trace::Quality what, std::size_t location) { quality_[location].add(what); }

  [[nodiscard]] report::Severities take() { return std::move(severities_); }
  [[nodiscard]] const std::vector<trace::QualityCounts>& quality() const { return quality_; }

  const trace::Definitions& definitions;
  const trace::GlobalCallTree& tree;
  const patterns::MetricTree& metrics;
  const std::vector<trace::LocationEvents>& mine;
  const MetricMap map;
  Statistics statistics;
  TimeSlices slices;

 private:
  struct Node {  // node of the process's own call tree
    std::uint32_t region = 0;
    patterns::CallKind kind{};
    patterns::SendMode send_mode{};
  };
  std::vector<std::uint32_t> ranks_;  // world rank of each hosted location
  std::vector<Node> nodes_;
  report::Severities severities_;
  std::vector<trace::QualityCounts> quality_;
};

}  // namespace latecomer::replay
