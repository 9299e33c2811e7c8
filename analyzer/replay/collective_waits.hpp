// SPDX-License-Identifier: BSD-3-Clause
// What processes waited for in collective operations.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/booking.hpp"
#include "analyzer/replay/clock_check.hpp"
#include "analyzer/replay/collective_links.hpp"
#include "analyzer/replay/collectives.hpp"
#include "analyzer/replay/last_transfers.hpp"
#include "analyzer/replay/latest_needed.hpp"
#include "analyzer/replay/nonblocking_waits.hpp"
#include "analyzer/replay/polls.hpp"
#include "analyzer/trace/by_instance.hpp"

namespace latecomer::replay {

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
  // After the last operation: those in which everybody waits for somebody else meet once more, and
  // so do all waits of each operation, to find the worst ones. Collective.
  void end(const ReceiverWaits& receivers, const SenderWaits& senders, ClockCheck& clocks,
           parallel::Processes& processes) {
    book_partial(processes, clocks);
    if (!compatible_) book_nonblocking(receivers, senders);
    find_worst(processes);
  }

 private:
  // One operation and one of its metrics, as far as its participants are known here.
  struct Operation {
    MetricId metric = patterns::MetricTree::kNone;  // none: nobody is known yet
    std::uint32_t comm = 0, instance = 0;
    trace::Ticks sum = 0;                              // of the waits
    trace::Ticks enter = INT64_MAX, exit = INT64_MIN;  // of the calls
    trace::Ticks longest = -1, begin = 0;              // wait, and whose
    std::uint32_t rank = trace::kNone, location = 0, call_path = 0, cause = trace::kNone;
  };
  // An operation has two metrics at most: its wait and its completion.
  class Operations {
   public:
    enum Which : std::size_t { kWait, kCompletion };
    void add(Which which, const Operation& part);
    // f(which, operation), by communicator and instance; empties it.
    template <typename F>
    void take(F&& f);

   private:
    std::vector<std::array<trace::ByInstance<Operation>, 2>> by_comm_;
  };
  // The part of one participant in it, also if it is nothing; `waits`: it needs something of
  // others.
  void book_wait(const WaitMetrics& metrics, std::size_t location, const trace::Collective& own,
                 trace::Ticks time, const CollectiveSummary::Who& cause, bool waits = true);
  void book_completion(const WaitMetrics& metrics, std::size_t location,
                       const trace::Collective& own, trace::Ticks time) {
    if (booking_.mine[location].kinds[own.kind].nonblocking) return;
    add(Operations::kCompletion, metrics, location, own, time, 0, {});
  }
  // Where the clocks are wrong: a participant ended before what it needs began.
  void check(std::size_t location, const trace::Collective& own, trace::Ticks needed) {
    if (own.end >= needed) return;
    const auto& events = booking_.mine[location];
    booking_.violation(location, events.calls[own.call], needed - own.end, true,
                       booking_.definitions.comms[events.kinds[own.kind].comm].spans_metahosts);
  }
  void add(Operations::Which which, const WaitMetrics& metrics, std::size_t location,
           const trace::Collective& own, trace::Ticks time, trace::Ticks polled,
           const CollectiveSummary::Who& cause);
  // From when on a process waits: in nonblocking operations from its entry into the completing
  // call.
  [[nodiscard]] trace::Ticks begin_of_wait(std::size_t location,
                                           const trace::Collective& own) const {
    const auto& events = booking_.mine[location];
    if (!events.kinds[own.kind].nonblocking) return own.begin;
    return std::max(own.begin, events.calls[own.call].enter);
  }
  void book_nonblocking(const ReceiverWaits& receivers, const SenderWaits& senders);
  void on_window(std::size_t location, const trace::Collective& own, const CollectiveSummary& all);
  void on_file(std::size_t location, const trace::Collective& own, const CollectiveSummary& all);
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
