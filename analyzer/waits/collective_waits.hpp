// SPDX-License-Identifier: BSD-3-Clause
// Waiting times of processes in collective operations.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/clocks/clock_check.hpp"
#include "analyzer/match/collectives.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/events/core/by_instance.hpp"
#include "analyzer/waits/collective_links.hpp"
#include "analyzer/waits/last_transfers.hpp"
#include "analyzer/waits/latest_needed.hpp"
#include "analyzer/waits/nonblocking_waits.hpp"
#include "analyzer/waits/participant.hpp"
#include "analyzer/waits/polls.hpp"

namespace latecomer::replay {

// Books the waits in collective operations of the hosted locations.
class CollectiveWaits {
 public:
  CollectiveWaits(Booking& booking, causes::SyncPoints& points, const LastTransfers& transfers,
                  const Polls& polls, bool scalasca_compatible)
      : booking_(booking),
        links_(points),
        polls_(polls),
        transfers_(transfers),
        compatible_(scalasca_compatible),
        nonblocking_(booking, polls) {}

  void on_collective(std::size_t location, const trace::Collective& own,
                     const CollectiveSummary& all);
  // Call after the last operation. Operations in which each process waits for others of its own
  // meet once more. All waits of an operation then meet, so that the worst ones are found.
  // Collective.
  void end(const ReceiverWaits& receivers, const SenderWaits& senders, ClockCheck& clocks,
           parallel::Processes& processes) {
    book_partial(processes, clocks);
    if (!compatible_) book_nonblocking(receivers, senders);
    find_worst(processes);
  }

 private:
  // The waiting time in an operation for one of its metrics, as far as this process knows.
  struct Share {
    MetricId metric = patterns::MetricTree::kNone;  // kNone: it has no such metric
    std::uint32_t waiting = 0;                      // participants that waited
    trace::Ticks sum = 0;
    trace::Ticks longest = 0, begin = 0;  // the longest wait, and its begin
    std::uint32_t rank = trace::kNone, location = 0, call_path = 0, cause = trace::kNone;

    // Adds the share of one or several participants.
    void add(const Share& part) {
      metric = part.metric;
      if (part.sum <= 0) return;
      const auto all = sum + part.sum;
      const auto both = waiting + part.waiting;
      if (part.longest > longest || (part.longest == longest && part.rank <= rank)) *this = part;
      sum = all;
      waiting = both;
    }
  };
  // An operation as far as this process knows its participants.
  struct Operation {
    std::uint32_t comm = trace::kNone;  // kNone: no participant is known yet
    std::uint32_t instance = 0;
    trace::Ticks enter = INT64_MAX, exit = INT64_MIN;  // earliest and latest of all calls
    // `completion`: of an N-to-1 operation, the wait for the last contribution.
    Share wait, completion;
  };
  // Operations by communicator and instance.
  class Operations {
   public:
    [[nodiscard]] Operation& at(std::uint32_t comm, std::uint32_t instance);
    // Calls f(operation) in the order of communicator and instance, then removes all.
    template <typename F>
    void take(F&& f);

   private:
    std::vector<trace::ByInstance<Operation>> by_comm_;
    Operation* last_ = nullptr;  // the last one asked for; usually each is needed once per share
  };
  // Books the wait of one participant, even if it is 0. `waits`: the participant needs data of
  // others.
  void book_wait(const WaitMetrics& metrics, const Participant& one, trace::Ticks time,
                 const CollectiveSummary::Who& cause, bool waits = true);
  // The same for the root of an N-to-1 operation: `time` for the first contributor, then `rest` for
  // the last one.
  void book_root(const Participant& one, trace::Ticks time, trace::Ticks rest,
                 const CollectiveSummary& all);
  void book_completion(const WaitMetrics& metrics, const Participant& one, trace::Ticks time) {
    if (one.kind.nonblocking) return;
    add(&Operation::completion, metrics, one, time, 0, one.own.end - time, {});
  }
  // Counts a violation if a participant ended before what it needs began: the clocks are wrong.
  void check(const Participant& one, trace::Ticks needed) {
    if (one.own.end >= needed) return;
    booking_.violation(one.location, one.call, needed - one.own.end, true,
                       booking_.definitions.comms[one.kind.comm].spans_metahosts);
  }
  void add(Share Operation::*to, const WaitMetrics& metrics, const Participant& one,
           trace::Ticks time, trace::Ticks polled, trace::Ticks begin,
           const CollectiveSummary::Who& cause);
  void book_nonblocking(const ReceiverWaits& receivers, const SenderWaits& senders);
  void on_window(const Participant& one, const CollectiveSummary& all);
  void on_file(const Participant& one, const CollectiveSummary& all);
  void book_partial(parallel::Processes& processes, ClockCheck& clocks);
  void find_worst(parallel::Processes& processes);

  Booking& booking_;
  CollectiveLinks links_;
  const Polls& polls_;
  const LastTransfers& transfers_;
  const bool compatible_;
  std::vector<Participation> partial_;  // prefix and neighborhood operations
  NonblockingWaits nonblocking_;
  Operations operations_;
};

}  // namespace latecomer::replay
