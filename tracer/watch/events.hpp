// SPDX-License-Identifier: BSD-3-Clause
// Events of a running program: one per MPI call, with the operations in it.
#pragma once

#include <cstdint>
#include <span>

#include "patterns/calls/call_kind.hpp"

namespace latecomer::watch {

using Nanoseconds = std::int64_t;  // on the clock of rank 0
using Rank = std::uint32_t;        // in MPI_COMM_WORLD
using CommId = std::uint32_t;      // of the whole run
using PathId = std::uint32_t;  // call path with the function of MPI at its end, of the whole run

inline constexpr std::uint32_t kNone = 0xffffffff;

// An operation in a call. The fields that a kind uses are listed beside it.
struct Operation {
  enum class Kind : std::uint8_t {
    kSend,               // comm, peer, tag, bytes, mode; request: a later call completes it
    kSendEnds,           // request
    kReceiveBegins,      // request
    kReceive,            // comm, peer, tag, bytes, time; request: an earlier call began it
    kCancelled,          // request
    kCollectiveBegins,   // request, time
    kCollective,         // comm, collective fields, time of the end; request: begun earlier
    kSendsMissing,       // comm, peer, tag, count: were not recorded, but have a place in the order
    kReceivesMissing,    // comm, peer, tag, count; request: an earlier call began the one
    kCollectivesMissing  // comm, count
  };
  Kind kind = Kind::kSend;
  patterns::SendMode mode = patterns::SendMode::kStandard;
  std::uint8_t operation = 0;  // patterns::CollectiveOperation
  bool all_positive = false;   // of a collective operation: sends something to every process
  bool sends = false;          // of a collective operation: contributes data
  bool receives = false;       // of a collective operation: gets data
  CommId comm = 0;
  Rank peer = kNone;  // partner, or root of a collective operation (kNone: no root)
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
  std::uint64_t request = 0;  // of the process; 0: none
  std::uint64_t count = 0;
  Nanoseconds begin = 0;  // of a blocking collective operation
  Nanoseconds time = 0;
};

// A call of MPI that has returned. Calls of a process come in the order in which they returned.
struct CallEvent {
  Rank rank = 0;
  PathId path = 0;
  patterns::CallKind kind = patterns::CallKind::kOther;
  Nanoseconds enter = 0;
  Nanoseconds leave = 0;
  Nanoseconds inside = 0;  // time in MPI: less than leave - enter in a row of polls
  std::span<const Operation> operations;
  std::int64_t calls = 1;  // several in a row of polls; 0: in another call, or no call at all
};

// Bounds of the memory. What does not fit is left out and counted.
struct Limits {
  std::size_t unmatched = std::size_t{1} << 19;      // messages without partner
  std::size_t channels = std::size_t{1} << 18;       // (communicator, source, destination, tag)
  std::size_t open_requests = std::size_t{1} << 16;  // per process
  std::size_t parts = std::size_t{1} << 20;          // participations in incomplete operations
  std::size_t participants = 1 << 14;                // (communicator, call site, rank)
  std::size_t places = 1 << 17;                      // (call path, rank, wait state)
};

}  // namespace latecomer::watch
