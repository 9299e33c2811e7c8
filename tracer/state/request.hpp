// SPDX-License-Identifier: BSD-3-Clause
// State of a request between its start and its completion.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/record/writer.hpp"

namespace latecomer::mpi {

// The identity of a communicator, on which all its members agree.
struct CommName {
  int owner = 0;   // world rank of the process with rank 0 there
  int number = 0;  // counted by the owner
};

// A communicator that MPI_Comm_idup is making. Its name is broadcast beside the operation.
struct Duplication {
  MPI_Comm* fresh = nullptr;  // filled in by MPI on completion
  // Handle that Open MPI has already made; its Fortran layer does not keep the place for it.
  MPI_Comm known{};
  record::CommId parent = 0;
  CommName name;
  MPI_Request naming{};
};

struct Partitions {
  std::uint32_t all = 0;
  std::uint32_t ready = 0;  // since the start; all threads count together
};

struct Request {
  enum class Kind : std::uint8_t {
    kSend,
    kReceive,
    kSendReceive,   // id is that of the send, id + 1 that of the receive
    kKnownReceive,  // the receive of such a pair alone
    kCollective,
    kDuplication,
    kOneSided,  // message.comm is the window
    kPartitionedSend,
    kPartitionedReceive,
    kFile,  // message.comm is the handle of the file
  };
  Kind kind = Kind::kSend;
  bool persistent = false;
  bool active = true;      // started and not completed
  bool cancelled = false;  // MPI_Cancel was called
  bool claimed = false;    // a thread is in a completion call for it
  record::RequestId id = 0;
  union {                           // the whole Request fits a cache line
    record::Message message{};      // of receives, peer and tag may be kAnyPeer
    record::Collective collective;  // kCollective, kDuplication
  };
  union {
    Duplication* duplication = nullptr;  // kDuplication
    Partitions partitions;               // kPartitionedSend
    std::uint32_t instance;              // kCollective: number on the communicator; 0: persistent
  };

  // Makes a plain send or receive of whatever it was. Another thread may read `claimed` meanwhile.
  void begin(Kind what, record::RequestId number, record::CommId comm, int peer, int tag) {
    kind = what;
    persistent = false;
    active = true;
    cancelled = false;
    claimed = false;
    id = number;
    message.comm = comm;
    message.peer = peer;
    message.tag = tag;
  }
};
static_assert(sizeof(Request) <= 64);

}  // namespace latecomer::mpi
