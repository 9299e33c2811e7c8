// SPDX-License-Identifier: BSD-3-Clause
// Waits of a running program so far, from its calls.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tracer/watch/collective_watch.hpp"
#include "tracer/watch/message_watch.hpp"
#include "tracer/watch/others.hpp"
#include "tracer/watch/wait_sums.hpp"

namespace latecomer::watch {

// Events of one rank come in their order, those of different ranks in any. The sums at the end do
// not depend on that order, unless something was left out since there was no room.
//
// Several watchers may share the ranks of a run. Each evaluates the calls of its own ranks, and is
// told by the others what it needs of theirs. The sums of all are those of one watcher of all
// ranks.
class Watcher {
 public:
  explicit Watcher(const Limits& limits = {})
      : waits_(limits.places),
        collectives_(limits, waits_, others_),
        messages_(limits, waits_, others_) {}
  Watcher(const Watcher&) = delete;
  Watcher& operator=(const Watcher&) = delete;

  void set_place(Rank rank, std::uint32_t node, std::uint32_t metahost) {
    waits_.set_node(rank, node);
    messages_.set_place(rank, node, metahost);
  }
  // Define a communicator before events that name it.
  void define(CommId comm, std::vector<Rank> members) {
    collectives_.define(comm, std::move(members));
  }
  void take(const CallEvent& call);
  // Records of a rank were lost between the last event and the next one.
  void lose(Rank rank);
  // The calls of a rank will not be told: operations with it are left out.
  void leave_out(Rank rank) {
    collectives_.leave_out(rank);
    messages_.leave_out(rank);
  }
  // The calls of a rank are told to another watcher.
  void set_elsewhere(Rank rank) {
    others_.add(rank);
    waits_.set_elsewhere(rank);
  }
  [[nodiscard]] bool is_elsewhere(Rank rank) const { return others_.contains(rank); }
  // `tell`: is called with what other watchers need to know.
  void tell_others(std::function<void(const RemoteOperation&)> tell) {
    others_.tell = std::move(tell);
  }
  // Takes what another watcher has told.
  void take(const RemoteOperation& operation);
  // No more events come.
  void finish();

  [[nodiscard]] const CollectiveWatch& collectives() const { return collectives_; }
  [[nodiscard]] const MessageCounts& messages() const { return messages_.counts(); }
  // Begin of the oldest send of a channel whose receive has not ended; nothing: none is known.
  [[nodiscard]] std::optional<Nanoseconds> sent_at(CommId comm, Rank source, Rank destination,
                                                   std::int32_t tag) const {
    return messages_.sent_at(comm, source, destination, tag);
  }
  // End of the last call of a rank that was told; INT64_MIN: none was.
  [[nodiscard]] Nanoseconds last_leave(Rank rank) const {
    return rank < waits_.ranks().size() ? waits_.ranks()[rank].last : INT64_MIN;
  }
  // The waits so far.
  [[nodiscard]] WaitSums waits() const {
    WaitSums all = waits_;
    messages_.add_late_receivers(all);
    return all;
  }

 private:
  Others others_;
  WaitSums waits_;  // without late receivers
  CollectiveWatch collectives_;
  MessageWatch messages_;
};

}  // namespace latecomer::watch
