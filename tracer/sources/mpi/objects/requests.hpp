// SPDX-License-Identifier: BSD-3-Clause
// The table of requests that were started and are not completed.
#pragma once

#include <mpi.h>

#include "tracer/record/writer.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::mpi {

// A handle belongs to one request until the call returns that completes it. Then MPI reuses it.
// With MPI_THREAD_MULTIPLE another thread may keep a new request under the handle before this
// thread has looked up what it completed. So completion calls claim their requests before they call
// MPI, and a new request does not touch a claimed entry.
//
// MT: any thread, for requests that MPI lets it use.
namespace requests {

inline HandleTable<Request>& table() { return process().mpi.requests.table; }

// True if several threads may call MPI at the same time.
inline bool several_threads() { return process().mpi.requests.several_threads; }

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
  return table().insert(key_of(request), is_claimed, !several_threads());
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
                 record::CommId comm, int peer, int tag) {
  if (*handle == MPI_REQUEST_NULL) return false;
  if (is_shared(*handle)) return keep_shared(*handle, kind, id, comm);
  Request* const known = add(*handle);
  if (known == nullptr) [[unlikely]] {
    session::lost("requests");
    return false;
  }
  known->begin(kind, id, comm, peer, tag);
  return true;
}

// Numbers for `count` operations of this process.
inline record::RequestId next_id(unsigned count = 1) {
  auto& next = process().mpi.requests.next_id;
  if (!several_threads()) {
    const record::RequestId id = next.load(std::memory_order_relaxed);
    next.store(id + count, std::memory_order_relaxed);
    return id;
  }
  return next.fetch_add(count, std::memory_order_relaxed);
}

}  // namespace requests
}  // namespace latecomer::mpi
