// SPDX-License-Identifier: BSD-3-Clause
// Ranks whose calls another watcher is told of, and what two watchers tell each other.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "tracer/watch/events.hpp"

namespace latecomer::watch {

// A part of an operation that a watcher of other ranks needs to evaluate the calls of its own. The
// fields that a kind uses are listed beside it. Those of one rank come in the order in which they
// were told.
struct RemoteOperation {
  enum class Kind : std::uint8_t {
    kSend,        // comm, peer, tag, number, bytes, mode, time of the begin
    kReceive,     // comm, peer, tag, number, time of posting
    kCancelled,   // comm, peer, tag, number: a send that has no place in the order any more
    kCollective,  // comm, number, peer (root), path, collective fields, time of begin and end
    kLoss,        // records of the rank were lost; only_collectives: numbers of collective ones
    kEager        // bytes, link: a message of this size was sent eagerly; no rank
  };
  static constexpr std::size_t kKinds = 6;

  Kind kind = Kind::kSend;
  patterns::SendMode mode = patterns::SendMode::kStandard;
  std::uint8_t operation = 0, link = 0;
  bool all_positive = false, sends = false, receives = false, only_collectives = false;
  Rank rank = 0;
  CommId comm = 0;
  Rank peer = kNone;
  std::int32_t tag = 0;
  PathId path = 0;           // call site of a collective operation
  std::uint64_t number = 0;  // in the channel, or among the operations of the rank on `comm`
  std::uint64_t bytes = 0;
  Nanoseconds time = 0, end = 0;
};

class Others {
 public:
  // Tells the watchers of other ranks. Without it nobody is told.
  std::function<void(const RemoteOperation&)> tell = [](const RemoteOperation&) {};

  void add(Rank rank) {
    if (rank >= are_.size()) are_.resize(rank + 1);
    if (!std::exchange(are_[rank], 1)) ++version_;
  }
  [[nodiscard]] bool contains(Rank rank) const { return rank < are_.size() && are_[rank] != 0; }
  // Changes with each rank.
  [[nodiscard]] std::int64_t version() const { return version_; }

 private:
  std::vector<std::uint8_t> are_;
  std::int64_t version_ = 0;
};

}  // namespace latecomer::watch
