// SPDX-License-Identifier: BSD-3-Clause
// Turns the events and matched operations of the hosted locations into severities.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/report/model.hpp"
#include "analyzer/trace/call_tree.hpp"
#include "analyzer/trace/definitions.hpp"
#include "analyzer/trace/location_events.hpp"
#include "patterns/metric.hpp"

namespace latecomer::replay {

struct CollectorOptions {
  bool scalasca_compatible = false;
};

// Column i of the severities is the i-th hosted location.
class SeverityCollector {
 public:
  SeverityCollector(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
                    const patterns::MetricTree& metrics,
                    const std::vector<trace::LocationEvents>& mine, CollectorOptions options);

  void add_times_and_counts();
  void on_message(std::size_t location, const trace::Message& receive, const SentMessage& send);
  void on_collective(std::size_t location, const trace::Collective& own,
                     const CollectiveSummary& all);
  // To be called after the last message: books the largest wait of each call.
  void book_late_senders();

  [[nodiscard]] report::Severities take() { return std::move(severities_); }
  // Reversed messages and collectives per hosted location.
  [[nodiscard]] const std::vector<trace::QualityCounts>& quality() const { return quality_; }

 private:
  struct Waiting {
    trace::Ticks wait = 0;
    std::uint32_t cause = trace::kNone;  // world rank
  };
  struct WaitMetrics;

  void add(std::uint32_t metric, std::size_t location, std::uint32_t node, std::int64_t value);
  void add_up(std::uint32_t metric, std::size_t location, std::uint32_t node, std::int64_t value);
  void add_times(std::size_t location);
  void add_counts(std::size_t location);
  void add_wait(const WaitMetrics& metrics, std::size_t location, const trace::Call& call,
                trace::Ticks wait, std::uint32_t cause, bool grid);

  const trace::Definitions& definitions_;
  const trace::GlobalCallTree& tree_;
  const patterns::MetricTree& metrics_;
  const std::vector<trace::LocationEvents>& mine_;
  CollectorOptions options_;
  report::Severities severities_;
  std::vector<std::vector<Waiting>> late_senders_;  // per hosted location and Call
  std::vector<trace::QualityCounts> quality_;
};

}  // namespace latecomer::replay
