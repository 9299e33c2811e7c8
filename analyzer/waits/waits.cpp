// SPDX-License-Identifier: BSD-3-Clause
// Visits all operations once and hands each to the families of wait states, in an order that
// matters.
#include "analyzer/waits/waits.hpp"

#include <algorithm>

#include "analyzer/booking/counters.hpp"
#include "analyzer/booking/times_and_counts.hpp"
#include "analyzer/match/received_message.hpp"
#include "analyzer/waits/epoch_waits.hpp"
#include "analyzer/waits/file_requests.hpp"
#include "analyzer/waits/lock_waits.hpp"
#include "analyzer/waits/program_waits.hpp"
#include "analyzer/waits/progress_waits.hpp"
#include "analyzer/waits/thread_waits.hpp"

namespace latecomer::replay {
namespace {

std::vector<int> hosts_of_locations(const trace::Definitions& definitions,
                                    const Partition& partition) {
  std::vector<int> hosts;
  for (const auto& location : definitions.locations) {
    hosts.push_back(partition.host_of(location.process));
  }
  return hosts;
}

}  // namespace

Waits::Waits(const trace::Definitions& definitions, const trace::GlobalCallTree& tree,
             const patterns::MetricTree& metrics, const sync::Topology& topology,
             const Partition& partition, const std::vector<trace::LocationEvents>& mine,
             const WaitOptions& options, parallel::Processes& processes)
    : options_(options),
      partition_(partition),
      topology_(topology),
      processes_(processes),
      booking_(definitions, tree, metrics, mine),
      points_(definitions, mine, hosts_of_locations(definitions, partition),
              options.scalasca_compatible),
      polls_(booking_, options.scalasca_compatible),
      probes_(booking_, options.scalasca_compatible),
      receivers_(booking_, points_, polls_, probes_, options.scalasca_compatible),
      senders_(booking_, partition, topology, options, points_, polls_, processes),
      transfers_(definitions, partition, mine, processes),
      collectives_(booking_, points_, transfers_, polls_, options.scalasca_compatible),
      check_(definitions, topology, mine),
      message_statistics_(booking_),
      arrivals_(booking_) {}

void Waits::start_slices() {
  trace::Ticks first = INT64_MAX, last = INT64_MIN;
  for (const auto& events : booking_.mine) {
    if (events.events == 0) continue;
    first = std::min(first, events.first);
    last = std::max(last, events.last);
  }
  first = processes_.min(first);
  last = processes_.max(last);
  booking_.slices.start(first, last > first ? last : first, booking_.metrics.size(),
                        std::max<std::size_t>(1, booking_.definitions.metahosts.size()));
}

bool Waits::find(const MatchedMessages& messages, bool only_trusted) {
  const auto& mine = booking_.mine;
  start_slices();
  for (std::size_t l = 0; l < mine.size(); ++l) {
    const Receiver to{l, mine[l], booking_.rank_of(l), messages.complete_in_order(l)};
    receivers_.start(to);
    message_statistics_.start(to);
    // Inlined everywhere, so that a message is not assembled in memory first.
    const auto on_match = [&](const trace::Message& receive, const SentMessage& send)
        __attribute__((always_inline)) {
      const ReceivedMessage message(to, receive, send, topology_, booking_);
      receivers_.on_message(message);
      senders_.on_message(to, message);
      check_.on_message(to, message);
      message_statistics_.on_message(to, message);
      return !(only_trusted && check_.suspicious());
    };
    if (!messages.for_each_of(l, mine[l], on_match)) break;
    receivers_.end();
    message_statistics_.end();
  }
  if (only_trusted && processes_.max(check_.suspicious() ? 1 : 0) != 0) {
    suspicious_ = true;
    return false;
  }
  // The order matters. Senders and nonblocking operations subtract the waits of receivers in the
  // same call. Times of call paths must be booked before parts of them are moved to other
  // metrics.
  senders_.find(receivers_);
  book_times_and_counts(booking_, options_.scalasca_compatible);
  if (!options_.scalasca_compatible) book_counters(booking_);
  polls_.book_grid_times(booking_);
  probes_.book_grid_times(booking_);
  if (!options_.scalasca_compatible) book_file_requests(booking_, polls_);
  book_thread_waits(booking_, points_);
  unmatched_ = match_collectives(
      booking_.definitions, mine, options_.counted, processes_,
      [&](std::size_t location, const trace::Collective& own, const CollectiveSummary& all) {
        collectives_.on_collective(location, own, all);
        check_.on_collective(location, own, all);
        arrivals_.on_collective(location, own, all);
      });
  collectives_.end(receivers_, senders_, check_, processes_);
  // The lists of waits by call are needed no more.
  receivers_.forget();
  senders_.forget_late_receivers();
  if (!options_.scalasca_compatible) {
    book_epoch_waits(booking_, points_, partition_, check_, processes_);
    const auto locks = book_lock_waits(booking_, points_, partition_, processes_);
    book_progress_waits(booking_, points_, partition_, locks, processes_);
  }
  book_program_waits(booking_, points_, processes_);
  suspicious_ = processes_.max(check_.suspicious() ? 1 : 0) != 0;
  return true;
}

}  // namespace latecomer::replay
