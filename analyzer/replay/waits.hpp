// SPDX-License-Identifier: BSD-3-Clause
// All wait states of the hosted locations, with the times as they are at the moment.
#pragma once

#include <vector>

#include "analyzer/replay/clock_check.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/replay/severity_collector.hpp"

namespace latecomer::replay {

// Severities of one look at a trace, and whether its times can be trusted.
class Waits {
 public:
  Waits(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
        const patterns::MetricTree& metrics, const sync::Topology& topology,
        const std::vector<trace::LocationEvents>& mine, bool scalasca_compatible)
      : definitions_(definitions),
        mine_(mine),
        collector_(definitions, tree, metrics, mine, scalasca_compatible),
        check_(definitions, topology, mine) {}

  // Collective. False: it ended early, since the times of messages cannot be trusted and
  // `only_trusted` was asked for; then there are no waits.
  [[nodiscard]] bool find(const MatchedMessages& messages, bool only_trusted,
                          parallel::Processes& processes) {
    messages.for_each(
        mine_, [&](std::size_t location, const trace::Message& receive, const SentMessage& send) {
          collector_.on_message(location, receive, send);
          check_.on_message(receive, send);
          return !(only_trusted && check_.suspicious());
        });
    if (only_trusted && processes.max(check_.suspicious() ? 1 : 0) != 0) {
      suspicious_ = true;
      return false;
    }
    collector_.end_messages();
    collector_.add_times_and_counts();
    unmatched_ = match_collectives(
        definitions_, mine_, processes,
        [&](std::size_t location, const trace::Collective& own, const CollectiveSummary& all) {
          collector_.on_collective(location, own, all);
          check_.on_collective(location, own, all);
        });
    suspicious_ = processes.max(check_.suspicious() ? 1 : 0) != 0;
    return true;
  }

  // Some event may come earlier than MPI allows; the same on every process.
  [[nodiscard]] bool suspicious() const { return suspicious_; }
  [[nodiscard]] SeverityCollector& collector() { return collector_; }
  [[nodiscard]] const std::vector<Unmatched>& unmatched_collectives() const { return unmatched_; }

 private:
  const trace::Definitions& definitions_;
  const std::vector<trace::LocationEvents>& mine_;
  SeverityCollector collector_;
  ClockCheck check_;
  std::vector<Unmatched> unmatched_;
  bool suspicious_ = false;
};

}  // namespace latecomer::replay
