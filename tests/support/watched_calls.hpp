// SPDX-License-Identifier: BSD-3-Clause
// Calls of MPI as the watcher is told of them, made by tests.
#pragma once

#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "patterns/calls/collective_class.hpp"
#include "tracer/watch/watcher.hpp"

namespace latecomer::test {

// A call with its operations.
struct WatchedCall {
  watch::CallEvent event;
  std::vector<watch::Operation> operations;

  WatchedCall(watch::Rank rank, watch::Nanoseconds enter, watch::Nanoseconds leave,
              watch::PathId path = 0, patterns::CallKind kind = patterns::CallKind::kOther) {
    event.rank = rank;
    event.path = path;
    event.kind = kind;
    event.enter = enter;
    event.leave = leave;
    event.inside = leave - enter;
  }
  WatchedCall send(watch::Rank to, std::int32_t tag = 0, std::uint64_t bytes = 8,
                   std::uint64_t request = 0,
                   patterns::SendMode mode = patterns::SendMode::kStandard) && {
    watch::Operation o;
    o.kind = watch::Operation::Kind::kSend;
    o.peer = to;
    o.tag = tag;
    o.bytes = bytes;
    o.request = request;
    o.mode = mode;
    return std::move(*this).with(o);
  }
  WatchedCall receive(watch::Rank from, std::int32_t tag = 0, std::uint64_t request = 0) && {
    watch::Operation o;
    o.kind = watch::Operation::Kind::kReceive;
    o.peer = from;
    o.tag = tag;
    o.bytes = 8;
    o.request = request;
    o.time = event.leave;
    return std::move(*this).with(o);
  }
  // kSendEnds, kReceiveBegins, kCancelled or kCollectiveBegins.
  WatchedCall about(watch::Operation::Kind kind, std::uint64_t request) && {
    watch::Operation o;
    o.kind = kind;
    o.request = request;
    o.time = event.leave;
    return std::move(*this).with(o);
  }
  WatchedCall missing(watch::Operation::Kind kind, watch::Rank peer, std::uint64_t count) && {
    watch::Operation o;
    o.kind = kind;
    o.peer = peer;
    o.count = count;
    return std::move(*this).with(o);
  }
  WatchedCall collective(patterns::CollectiveOperation operation, watch::Rank root = watch::kNone,
                         watch::CommId comm = 0, std::uint64_t request = 0) && {
    watch::Operation o;
    o.kind = watch::Operation::Kind::kCollective;
    o.operation = static_cast<std::uint8_t>(operation);
    o.comm = comm;
    o.peer = root;
    o.request = request;
    o.sends = o.receives = operation != patterns::CollectiveOperation::kBarrier;
    o.begin = event.enter;
    o.time = event.leave;
    return std::move(*this).with(o);
  }
  WatchedCall with(const watch::Operation& operation) && {
    operations.push_back(operation);
    return std::move(*this);
  }
  void tell(watch::Watcher& watcher) const {
    watch::CallEvent told = event;
    told.operations = operations;
    watcher.take(told);
  }
};

// A watcher that was told of calls, the last one included.
inline void tell(watch::Watcher& watcher, const std::vector<WatchedCall>& calls) {
  for (const WatchedCall& call : calls) call.tell(watcher);
}

// Waits of a rank, in one wait state.
inline watch::Nanoseconds wait_of(const watch::WaitSums& sums, watch::Rank rank,
                                  watch::WaitKind kind) {
  return rank < sums.ranks().size() ? sums.ranks()[rank].waits[static_cast<std::size_t>(kind)].time
                                    : 0;
}

}  // namespace latecomer::test
