// SPDX-License-Identifier: BSD-3-Clause
// What the wait states have to know of an MPI call: how it completes things.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "patterns/collective_class.hpp"

namespace latecomer::patterns {

enum class CallKind : std::uint8_t {
  kOther,
  kInit,          // MPI_Init, MPI_Init_thread
  kFinalize,      // MPI_Finalize
  kTest,          // MPI_Test, Testany, Testall, Testsome: never blocks
  kProbe,         // MPI_Probe, Mprobe: blocks until a message is there
  kProbeNow,      // MPI_Iprobe, Improbe: never blocks
  kWaitSingle,    // MPI_Wait, Waitany: completes one request
  kWaitMultiple,  // MPI_Waitall, Waitsome: completes several; the largest wait counts
};

// How a call sends, if it does: decides whether it can be blocked by the receiver.
enum class SendMode : std::uint8_t {
  kNone,
  kStandard,     // MPI_Send, Isend: blocked above the eager limit
  kPersistent,   // MPI_Start: as standard; what it starts may be of any mode. MPI_Pready as well
  kSynchronous,  // MPI_Ssend, Issend: always
  kSendrecv,     // MPI_Sendrecv and its like: as standard
  kUnblocked,    // buffered and ready sends: never
};
[[nodiscard]] SendMode send_mode(std::string_view region);

// How a call begins or ends an epoch of one-sided communication with a group of processes, or
// completes transfers in between.
enum class EpochCall : std::uint8_t { kNone, kPost, kStart, kComplete, kWait, kTest, kFlush };
[[nodiscard]] EpochCall epoch_call(std::string_view region);

// What a call does together with all processes that have opened the file: MPI_File_open, close,
// sync, those that set something of it, and reads and writes with "_all" or "_ordered" in their
// names, the two halves of split ones too. Not those with a request, which wait for nobody where
// they begin.
[[nodiscard]] std::optional<CollectiveOperation> file_operation(std::string_view region);

// MPI_Mprobe, Improbe, Mrecv, Imrecv: what such a probe finds is for such a receive only.
[[nodiscard]] bool is_matched(std::string_view region);

// By the name of an MPI region, in any case.
[[nodiscard]] CallKind call_kind(std::string_view region);

}  // namespace latecomer::patterns
