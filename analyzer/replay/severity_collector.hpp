// SPDX-License-Identifier: BSD-3-Clause
// Turns the events and matched operations of the hosted locations into severities.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/metric_map.hpp"
#include "analyzer/report/model.hpp"
#include "analyzer/trace/call_tree.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"

namespace latecomer::replay {

// Column i of the severities is the i-th hosted location.
class SeverityCollector {
 public:
  SeverityCollector(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
                    const patterns::MetricTree& metrics,
                    const std::vector<trace::LocationEvents>& mine, bool scalasca_compatible);

  void add_times_and_counts();
  void on_message(std::size_t location, const trace::Message& receive, const SentMessage& send);
  void on_collective(std::size_t location, const trace::Collective& own,
                     const CollectiveSummary& all);
  // After the last message.
  void end_messages() { book_late_senders(); }

  [[nodiscard]] report::Severities take() { return std::move(severities_); }
  // Reversed messages and collectives per hosted location.
  [[nodiscard]] const std::vector<trace::QualityCounts>& quality() const { return quality_; }

 private:
  struct Waiting {
    trace::Ticks wait = 0;
    std::uint32_t cause = trace::kNone;  // world rank
  };

  void add_counts(std::size_t location);
  void add_grid_times(std::size_t location);
  // Books the largest wait of each call of the location whose messages came last.
  void book_late_senders();
  // Adds to a metric and all its ancestors.
  void add_up(MetricId metric, std::size_t location, std::uint32_t node, std::int64_t value);
  // Books a wait of a call at its call path, and in the grid tree if it crosses metahosts. The
  // ancestors of a wait state are times of whole calls: they hold the wait already.
  void add_wait(const WaitMetrics& metrics, std::size_t location, const trace::Call& call,
                trace::Ticks wait, std::uint32_t cause, bool grid);
  [[nodiscard]] std::uint32_t metahost_of(std::size_t location) const;

  const trace::Definitions& definitions_;
  const trace::GlobalCallTree& tree_;
  const patterns::MetricTree& metrics_;
  const std::vector<trace::LocationEvents>& mine_;
  bool scalasca_compatible_;
  MetricMap map_;
  report::Severities severities_;
  // Messages come location by location: the waits of the current one, per Call.
  std::size_t receiving_ = SIZE_MAX;
  std::vector<Waiting> late_senders_;
  std::vector<trace::QualityCounts> quality_;
};

}  // namespace latecomer::replay
