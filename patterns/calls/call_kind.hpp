// SPDX-License-Identifier: BSD-3-Clause
// Classifies MPI calls by the properties that wait states depend on, such as how they complete.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "patterns/calls/collective_class.hpp"

namespace latecomer::patterns {

// Kinds of calls that wait states distinguish.
enum class CallKind : std::uint8_t {
  kOther,
  kInit,          // MPI_Init, MPI_Init_thread
  kFinalize,      // MPI_Finalize
  kTest,          // MPI_Test, Testany, Testall, Testsome: never block
  kProbe,         // MPI_Probe, Mprobe: block until a message is there
  kProbeNow,      // MPI_Iprobe, Improbe: never block
  kWaitSingle,    // MPI_Wait, Waitany: complete one request
  kWaitMultiple,  // MPI_Waitall, Waitsome: complete several; the largest wait counts
};

// The way in which a call sends, if it does. It decides whether the receiver can block the call.
enum class SendMode : std::uint8_t {
  kNone,
  kStandard,     // MPI_Send, Isend: blocked above the eager limit
  kPersistent,   // MPI_Start, MPI_Pready: treated as standard; the request may have any mode
  kSynchronous,  // MPI_Ssend, Issend: always blocked
  kSendrecv,     // MPI_Sendrecv and the like: treated as standard
  kUnblocked,    // buffered and ready sends: never blocked
};
[[nodiscard]] SendMode send_mode(std::string_view region);

// The effect of a call on an epoch of one-sided communication with a group of processes. It begins
// or ends the epoch, or completes transfers within it.
enum class EpochCall : std::uint8_t { kNone, kPost, kStart, kComplete, kWait, kTest, kFlush };
[[nodiscard]] EpochCall epoch_call(std::string_view region);

// The collective operation of a call on a file. Such calls are MPI_File_open, close, sync, and
// calls that set a property of the file. Reads and writes with "_all" or "_ordered" in their names
// belong to them, including both halves of split ones. Nothing for calls with a request, which wait
// for no process when they begin, and for all other calls.
[[nodiscard]] std::optional<CollectiveOperation> file_operation(std::string_view region);

// MPI_Mprobe, Improbe, Mrecv, Imrecv: the message that such a probe finds is reserved for such a
// receive.
[[nodiscard]] bool is_matched(std::string_view region);

// Kind of an MPI call by the name of its region, ignoring case.
[[nodiscard]] CallKind call_kind(std::string_view region);

}  // namespace latecomer::patterns
