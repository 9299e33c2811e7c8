// SPDX-License-Identifier: BSD-3-Clause
// What is known of a request between its start and its completion.
#pragma once

#include <mpi.h>

#include <atomic>

#include "tracer/mpi/communicators.hpp"
#include "tracer/mpi/handle_table.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/session/session.hpp"

namespace latecomer::mpi {

// A communicator that MPI_Comm_idup is making: its name travels beside the operation.
struct Duplication {
  MPI_Comm* fresh = nullptr;       // filled in by MPI on completion
  MPI_Comm known = MPI_COMM_NULL;  // Open MPI has made the handle already; its Fortran layer keeps
                                   // no place for it
  record::CommId parent = 0;
  communicators::Name name;
  MPI_Request naming = MPI_REQUEST_NULL;
};

struct Partitions {
  std::uint32_t all = 0;
  std::uint32_t ready = 0;  // since the start; threads count together
};

struct Request {
  enum class Kind : std::uint8_t {
    kSend,
    kReceive,
    kSendReceive,   // id is that of the send, id + 1 that of the receive
    kKnownReceive,  // its second half only
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
  union {                       // the whole is a cache line
    record::Message message{};  // of a persistent send or a combined receive; a receive: its comm
    record::Collective collective;  // kCollective, kDuplication
  };
  union {
    Duplication* duplication = nullptr;  // kDuplication
    Partitions partitions;               // kPartitionedSend
  };

  // A plain send or receive in place of whatever it was; a thread may look at `claimed`.
  void begin(Kind what, record::RequestId number, record::CommId comm) {
    kind = what;
    persistent = false;
    active = true;
    cancelled = false;
    claimed = false;
    id = number;
    message.comm = comm;
  }
};
static_assert(sizeof(Request) <= 64);

// A handle belongs to one request until the call returns that completes it, then MPI gives it out
// again: with MPI_THREAD_MULTIPLE another thread may keep a new request under it before this one
// has looked up what it completed. So completion calls claim their requests before they call MPI,
// and who keeps a new one does not touch what is claimed.
//
// MT: any thread, for requests that MPI lets it use.
namespace requests {

inline HandleTable<Request>& table() {
  static constinit HandleTable<Request> requests;
  return requests;
}

// Several threads may call MPI at the same time. Set once, by the thread that initializes MPI.
inline bool threads = false;

// True for the handles that MPI gives to many requests at a time: those that were complete when
// they were started, such as small sends (MPICH: handles of the kind "builtin"; Open MPI: a request
// that the library has).
inline bool is_shared(MPI_Request request) {
#if defined(MPICH_VERSION)
  return static_cast<unsigned>(request) >> 30 == 1;
#elif defined(OPEN_MPI)
  return static_cast<void*>(request) == &ompi_request_empty;
#else
  static_cast<void>(request);
  return false;
#endif
}

inline bool is_claimed(const Request& request) {
  return __atomic_load_n(&request.claimed, __ATOMIC_RELAXED);
}
inline void set_claimed(Request& request, bool claimed) {
  __atomic_store_n(&request.claimed, claimed, __ATOMIC_RELAXED);
}

// Of those with a shared handle (shared_requests.hpp).
bool keep_shared(MPI_Request handle, Request::Kind kind, record::RequestId id, record::CommId comm);
bool keep_shared(MPI_Request handle, const Request& request);

// Null if it is unknown, of which a shared handle is an example.
inline Request* find(MPI_Request request) { return table().find(key_of(request), is_claimed); }
inline Request* add(MPI_Request request) {
  return table().insert(key_of(request), is_claimed, !threads);
}
inline void remove(const Request* known) { table().erase(known); }

// Keeps a new request, under whichever kind of handle. False: there is none, or no memory for it.
inline bool keep(const MPI_Request* handle, const Request& request) {
  if (*handle == MPI_REQUEST_NULL) return false;
  if (is_shared(*handle)) return keep_shared(*handle, request);
  Request* const known = add(*handle);
  if (known == nullptr) [[unlikely]] {
    session::lost("requests");
    return false;
  }
  *known = request;
  return true;
}

// The same for what most programs start all the time: made in its place. (A copy of what was just
// written field by field has to wait until that has left the processor's store buffer.)
inline bool keep(const MPI_Request* handle, Request::Kind kind, record::RequestId id,
                 record::CommId comm) {
  if (*handle == MPI_REQUEST_NULL) return false;
  if (is_shared(*handle)) return keep_shared(*handle, kind, id, comm);
  Request* const known = add(*handle);
  if (known == nullptr) [[unlikely]] {
    session::lost("requests");
    return false;
  }
  known->begin(kind, id, comm);
  return true;
}

// Numbers for `count` operations of this process.
inline record::RequestId next_id(unsigned count = 1) {
  static constinit std::atomic<record::RequestId> next{1};
  if (!threads) {
    const record::RequestId id = next.load(std::memory_order_relaxed);
    next.store(id + count, std::memory_order_relaxed);
    return id;
  }
  return next.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace requests
}  // namespace latecomer::mpi
