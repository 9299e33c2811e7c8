// SPDX-License-Identifier: BSD-3-Clause
// State of a request between its start and its completion.
#pragma once

#include <mpi.h>

#include <atomic>

#include "tracer/mpi/communicators.hpp"
#include "tracer/record/writer.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/state/handle_table.hpp"

namespace latecomer::mpi {

// A communicator that MPI_Comm_idup is making. Its name is broadcast beside the operation.
struct Duplication {
  MPI_Comm* fresh = nullptr;  // filled in by MPI on completion
  // Handle that Open MPI has already made; its Fortran layer does not keep the place for it.
  MPI_Comm known = MPI_COMM_NULL;
  record::CommId parent = 0;
  communicators::Name name;
  MPI_Request naming = MPI_REQUEST_NULL;
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
  union {                       // the whole Request fits a cache line
    record::Message message{};  // persistent send or combined receive; other receives: only `comm`
    record::Collective collective;  // kCollective, kDuplication
  };
  union {
    Duplication* duplication = nullptr;  // kDuplication
    Partitions partitions;               // kPartitionedSend
  };

  // Makes a plain send or receive of whatever it was. Another thread may read `claimed` meanwhile.
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

// A handle belongs to one request until the call returns that completes it. Then MPI reuses it.
// With MPI_THREAD_MULTIPLE another thread may keep a new request under the handle before this
// thread has looked up what it completed. So completion calls claim their requests before they call
// MPI, and a new request does not touch a claimed entry.
//
// MT: any thread, for requests that MPI lets it use.
namespace requests {

inline HandleTable<Request>& table() {
  static constinit HandleTable<Request> requests;
  return requests;
}

// True if several threads may call MPI at the same time. Set once, by the thread that initializes
// MPI.
inline bool threads = false;

// True for handles that MPI gives to many requests at a time: those that were complete when they
// started, such as small sends. In MPICH these are handles of the kind "builtin", in Open MPI a
// request in the library.
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

// Keep a request with a shared handle (shared_requests.hpp).
bool keep_shared(MPI_Request handle, Request::Kind kind, record::RequestId id, record::CommId comm);
bool keep_shared(MPI_Request handle, const Request& request);

// The entry of a request; null if it is unknown, for example because its handle is shared.
inline Request* find(MPI_Request request) { return table().find(key_of(request), is_claimed); }
inline Request* add(MPI_Request request) {
  return table().insert(key_of(request), is_claimed, !threads);
}
inline void remove(const Request* known) { table().erase(known); }

// Keeps a new request, whatever kind of handle it has. False: it has none, or memory is exhausted.
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

// Keeps a request of the kind that most programs start all the time, and constructs it in place. A
// copy of a struct written field by field would wait until these stores have left the processor's
// store buffer.
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
