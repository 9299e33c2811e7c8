// SPDX-License-Identifier: BSD-3-Clause
// All wait states of the hosted locations, with the current times.
#pragma once

#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/clocks/clock_check.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/waits/arrivals.hpp"
#include "analyzer/waits/collective_waits.hpp"
#include "analyzer/waits/message_statistics.hpp"
#include "analyzer/waits/polls.hpp"
#include "analyzer/waits/probes.hpp"
#include "analyzer/waits/receiver_waits.hpp"
#include "analyzer/waits/sender_waits.hpp"

namespace latecomer::replay {

// Computes the severities of a trace, and whether its times can be trusted.
class Waits {
 public:
  Waits(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
        const patterns::MetricTree& metrics, const sync::Topology& topology,
        const Partition& partition, const std::vector<trace::LocationEvents>& mine,
        const WaitOptions& options, parallel::Processes& processes);
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  // Finds all waits. Collective. False: it stopped early, because the times of messages cannot be
  // trusted and `only_trusted` is set. There are no usable waits then.
  [[nodiscard]] bool find(const MatchedMessages& messages, bool only_trusted);

  // True if some event may come earlier than MPI allows; the same on every process.
  [[nodiscard]] bool suspicious() const { return suspicious_; }
  [[nodiscard]] Booking& booking() { return booking_; }
  // Dependencies between locations; not connected yet.
  [[nodiscard]] causes::SyncPoints& points() { return points_; }
  [[nodiscard]] const SenderWaits& senders() const { return senders_; }
  [[nodiscard]] const MessageStatistics& message_statistics() const { return message_statistics_; }
  [[nodiscard]] Arrivals& arrivals() { return arrivals_; }
  [[nodiscard]] const UnmatchedCollectives& unmatched_collectives() const { return unmatched_; }

 private:
  void start_slices();

  const WaitOptions options_;
  const Partition& partition_;
  const sync::Topology& topology_;
  parallel::Processes& processes_;
  Booking booking_;
  causes::SyncPoints points_;
  Polls polls_;
  Probes probes_;
  ReceiverWaits receivers_;
  SenderWaits senders_;
  LastTransfers transfers_;
  CollectiveWaits collectives_;
  ClockCheck check_;
  MessageStatistics message_statistics_;
  Arrivals arrivals_;
  UnmatchedCollectives unmatched_;
  bool suspicious_ = false;
};

}  // namespace latecomer::replay
