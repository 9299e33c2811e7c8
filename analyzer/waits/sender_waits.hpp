// SPDX-License-Identifier: BSD-3-Clause
// Waits of senders for receives that had not been posted.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/causes/sync_points.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/match/partition.hpp"
#include "analyzer/match/received_message.hpp"
#include "analyzer/memory/prefetch.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/waits/receiver_waits.hpp"
#include "analyzer/waits/wait_options.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// A receive that was posted after its send had begun is reported to the host of the sender. There
// the call that completed the send is examined.
//
// A standard send is assumed to have been blocked only if its message is too large for an eager
// send. That limit is taken from the trace: per class of links, the largest message whose send
// returned before its receive was posted.
class SenderWaits {
 public:
  SenderWaits(Booking& booking, const Partition& partition, const sync::Topology& topology,
              const WaitOptions& options, causes::SyncPoints& points, const Polls& polls,
              parallel::Processes& processes)
      : booking_(booking),
        points_(points),
        polls_(polls),
        partition_(partition),
        topology_(topology),
        processes_(processes),
        options_(options),
        synchronous_(
            std::ranges::find(booking.map.send_mode_of_region, patterns::SendMode::kSynchronous) !=
            booking.map.send_mode_of_region.end()),
        late_(static_cast<std::size_t>(processes.size())),
        late_receivers_(booking.mine.size()),
        went_ahead_(booking.mine.size()) {}

  void on_message(const Receiver& to, const ReceivedMessage& message) {
    const auto& send = message.send;
    const auto posting = message.posting();
    if (posting == trace::kNone || message.posted <= send.enter) return;
    late_[static_cast<std::size_t>(partition_.host_of(send.source))].put(
        Late{send.location, send.index, message.posted, to.events.location, posting});
  }

  // Finds and books the waits. Collective; call it after the last message.
  void find(const ReceiverWaits& receivers);

  // The booked waits of a hosted location, in ascending order of calls.
  [[nodiscard]] const memory::Vector<MessageWait>& late_receivers(std::size_t location) const {
    return late_receivers_[location];
  }
  void forget_late_receivers() { late_receivers_ = {}; }

  // True if a send of a hosted location could not end before its receive was posted, and did not.
  // Valid after find().
  [[nodiscard]] bool waits_for_receive(std::size_t location, std::uint32_t send,
                                       const trace::Message& message) const {
    return can_block(location, message) && !std::ranges::binary_search(went_ahead_[location], send);
  }
  // The receiver's estimate of the same: true if the send may have been blocked.
  [[nodiscard]] bool may_block(std::uint32_t source, std::uint32_t target,
                               std::uint64_t bytes) const {
    return synchronous_ || is_larger_than_eager(source, target, bytes);
  }

  // Bytes per sync::LinkClass; none: no send was seen to be eager. The same on every process.
  [[nodiscard]] const std::array<std::optional<std::uint64_t>, 3>& eager_limits() const {
    return eager_limits_;
  }

 private:
  struct Late {  // a receive that is reported to the host of its sender
    std::uint32_t location = 0, index = 0;
    trace::Ticks posted = 0;
    std::uint32_t receiver = 0;  // location
    std::uint32_t posting = 0;   // call of that location that posted the receive
  };
  // A send that may have waited for its receive.
  struct Candidate {
    std::uint32_t call = 0;  // the call that completes the send
    std::uint32_t send = 0;
    std::uint32_t receiver = 0;  // location
    std::uint32_t posting = 0;   // call of that location that posted the receive
    trace::Ticks posted = 0;
    trace::Ticks wait = 0;
    trace::Ticks polled = 0;  // part of `wait` in tests before the call
  };
  using Lates = memory::Vector<Late>;                // late receives of one hosted location
  using LargestEager = std::array<std::int64_t, 3>;  // bytes per sync::LinkClass; -1: none
  [[nodiscard]] std::vector<Lates> exchange_late();
  [[nodiscard]] bool may_have_waited(std::size_t location, const Late& late, LargestEager& largest);
  [[nodiscard]] memory::Vector<Candidate> candidates(std::size_t location, const Lates& late);
  void agree_on_eager_limits(const LargestEager& largest);
  [[nodiscard]] std::uint64_t smallest_larger_than_eager() const;
  [[nodiscard]] bool can_block(std::size_t location, const trace::Message& send) const {
    // In most traces this decides for most sends, without a look at the call.
    const bool larger =
        options_.scalasca_compatible || is_larger_than_eager(booking_.rank_of(location), send.peer,
                                                             booking_.mine[location].bytes(send));
    return (larger || synchronous_) && call_can_block(location, send, larger);
  }
  [[nodiscard]] bool call_can_block(std::size_t location, const trace::Message& send,
                                    bool larger) const;
  [[nodiscard]] bool is_larger_than_eager(std::uint32_t source, std::uint32_t target,
                                          std::uint64_t bytes) const {
    if (bytes < larger_from_) return false;
    const auto limit = eager_limits_[static_cast<std::size_t>(topology_.link(source, target))];
    return !limit || bytes > *limit;
  }
  void book(std::size_t location, const memory::Vector<Candidate>& candidates,
            const memory::Vector<MessageWait>& late_senders);

  Booking& booking_;
  causes::SyncPoints& points_;
  const Polls& polls_;
  const Partition& partition_;
  const sync::Topology& topology_;
  parallel::Processes& processes_;
  const WaitOptions options_;
  const bool synchronous_;  // some function sends synchronously
  std::array<std::optional<std::uint64_t>, 3> eager_limits_;
  std::uint64_t larger_from_ = 0;       // smaller messages are eager on all links in use
  std::vector<parallel::Packer> late_;  // per analysis process
  std::vector<memory::Vector<MessageWait>> late_receivers_;
  // Sends that could have been blocked but ended before their receive was posted; ascending.
  std::vector<std::vector<std::uint32_t>> went_ahead_;
};

}  // namespace latecomer::replay
