// SPDX-License-Identifier: BSD-3-Clause
// What is known of a request between its start and its completion.
#pragma once

#include <mpi.h>

#include <atomic>

#include "tracer/mpi/communicators.hpp"
#include "tracer/mpi/handle_table.hpp"
#include "tracer/record/writer.hpp"

namespace latecomer::mpi {

// A communicator that MPI_Comm_idup is making: its name travels beside the operation.
struct Duplication {
  MPI_Comm* fresh = nullptr;  // filled in by MPI on completion
  record::CommId parent = 0;
  communicators::Name name;
  MPI_Request naming = MPI_REQUEST_NULL;
};

struct Request {
  enum class Kind : std::uint8_t { kSend, kReceive, kSendReceive, kCollective, kDuplication };
  Kind kind = Kind::kSend;
  bool persistent = false;
  bool active = false;       // started and not completed
  bool cancelled = false;    // MPI_Cancel was called
  record::RequestId id = 0;  // a combined send and receive has id for the send, id + 1
  record::Message message;   // of a persistent send; message.comm of a receive
  record::Collective collective;
  Duplication* duplication = nullptr;
};

namespace requests {

inline HandleTable<Request>& table() {
  static constinit HandleTable<Request> requests;
  return requests;
}

// Numbers for `count` operations of this process.
inline record::RequestId next_id(unsigned count = 1) {
  static constinit std::atomic<record::RequestId> next{1};
  return next.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace requests
}  // namespace latecomer::mpi
