// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes that complete, cancel and free requests.
#include <algorithm>
#include <climits>
#include <cstdlib>

#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/statuses.hpp"
#include "tracer/state/shared_requests.hpp"

// Part of MPICH's Fortran library, if the program has it.
extern "C" [[gnu::weak]] void pmpir_waitany_f08_(void*, void*, void*, void*, int*);

namespace latecomer::mpi {
namespace {

// Memory of a thread for handles and statuses: a fixed part for common sizes, grown for larger
// ones.
template <typename T>
struct Scratch {
  static constexpr int kFixed = 64;
  T fixed[kFixed];

  T* get(int count) { return count <= kFixed ? fixed : get_grown(count); }

  [[gnu::noinline]] static T* get_grown(int count) {
    struct Grown {
      ~Grown() {  // runs at the end of the thread
        std::free(space);
        space = nullptr;
        capacity = 0;
      }
      T* space = nullptr;
      int capacity = 0;
    };
    thread_local Grown grown;
    if (count > grown.capacity) {
      const std::size_t bytes = static_cast<std::size_t>(count) * 2 * sizeof(T);
      auto* larger = static_cast<T*>(std::realloc(grown.space, bytes));
      if (larger == nullptr) return nullptr;
      grown.space = larger;
      grown.capacity = count > INT_MAX / 2 ? INT_MAX : count * 2;
    }
    return grown.space;
  }
};

// Per thread, and no part of ThreadState, since only this file needs it.
struct ThreadScratch {
  Scratch<MPI_Request> requests;
  Scratch<MPI_Status> statuses;
  Scratch<Request*> claimed;
};
thread_local constinit ThreadScratch scratch [[gnu::tls_model("initial-exec")]]{};

// Indices should count from 1, but the mpi_f08 module of MPICH 4.0 counts from 0. A wait for one
// complete request shows which it is.
int find_fortran_index_base() {
  if (pmpir_waitany_f08_ == nullptr) return 1;
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int one = 1, index = 1, error = MPI_SUCCESS;
  PMPI_Isend(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, MPI_COMM_SELF, &request);
  pmpir_waitany_f08_(&one, &request, &index, &status, &error);
  return index == 0 ? 0 : 1;
}

}  // namespace

void CompletionCalls::fortran() {
  index_base_ = process().mpi.requests.fortran_index_base.get(find_fortran_index_base);
}

MPI_Status* CompletionCalls::replace(MPI_Status* statuses, int count) {
  MPI_Status* mine = count > 0 ? scratch.statuses.get(count) : statuses;
  return mine != nullptr ? mine : statuses;
}

void CompletionCalls::hold(int count, const MPI_Request* requests) {
  if (count <= 0 || requests == nullptr) return;
  call_of(this).awaits_requests(count, requests);
  MPI_Request* space = scratch.requests.get(count);
  if (space == nullptr) return;
  if (requests::several_threads()) {
    claimed_ = scratch.claimed.get(count);
    if (claimed_ == nullptr) return;
  }
  std::copy_n(requests, count, space);
  held_ = count;
  if (claimed_ != nullptr) claim();
}

void CompletionCalls::claim() {
  for (int i = 0; i < held_; ++i) {
    const MPI_Request handle = scratch.requests.get(held_)[i];
    claimed_[i] = handle == MPI_REQUEST_NULL ? nullptr : requests::find(handle);
    if (claimed_[i] != nullptr) requests::set_claimed(*claimed_[i], true);
  }
}

void CompletionCalls::release_claimed() {
  for (int i = 0; i < held_; ++i) {
    if (claimed_[i] != nullptr) requests::set_claimed(*claimed_[i], false);
  }
}

// Records the completion of a request, which is then forgotten, even if its operation failed. A
// pending one stays. `error` is that of the request itself.
void CompletionCalls::complete(int index, const MPI_Status& status, int error) {
  if (index < 0 || index >= held_ || error == MPI_ERR_PENDING) return;
  const MPI_Request handle = scratch.requests.get(held_)[index];
  if (handle == MPI_REQUEST_NULL) return;
  if (requests::is_shared(handle)) {
    SharedRequests& shared = SharedRequests::of(handle);
    if (requests::several_threads()) {
      const auto request = shared.pop();
      if (request) write_completion(*request, status, error);
    } else if (const Request* request = shared.first(); request != nullptr) {
      write_completion(*request, status, error);
      shared.drop_first();
    }
    return;
  }
  Request* const known = claimed_ != nullptr ? claimed_[index] : requests::find(handle);
  if (known == nullptr) return;
  write_completion(*known, status, error);
  if (known->persistent) {
    known->active = false;
  } else {
    requests::remove(known);
    if (claimed_ != nullptr) claimed_[index] = nullptr;
  }
}

void CompletionCalls::write_completion(const Request& request, const MPI_Status& status,
                                       int error) {
  Call& call = call_of(this);
  // inactive and persistent, or completed before by MPI_Request_get_status
  if (!request.active) return;
  int cancelled = 0;
  if (request.cancelled) PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled != 0) return call.writer().request_cancelled(request.id, call.time());
  switch (request.kind) {
    case Request::Kind::kSend:
    case Request::Kind::kPartitionedSend:
      return call.writer().isend_complete(request.id, call.time());
    case Request::Kind::kReceive:
      return receive_complete(request.message.comm, request.id, status, error);
    case Request::Kind::kOneSided:
      return call.writer().rma_complete(request.message.comm, request.id, call.time());
    case Request::Kind::kFile:
      return call.writer().file_complete(request.message.comm, file_bytes(&status, error),
                                         request.id, call.time());
    case Request::Kind::kPartitionedReceive:
      if (error == MPI_SUCCESS) call.writer().irecv(request.message, request.id, call.time());
      return;
    case Request::Kind::kSendReceive:
      call.writer().isend_complete(request.id, call.time());
      [[fallthrough]];
    case Request::Kind::kKnownReceive:
      if (arrived(error)) call.writer().irecv(request.message, request.id + 1, call.time());
      return;
    // A duplication is a collective operation that creates a communicator as well.
    case Request::Kind::kDuplication: {
      Duplication& d = *request.duplication;
      PMPI_Wait(&d.naming, MPI_STATUS_IGNORE);
      const CommInfo* info = communicators::finish_naming(*d.fresh, d.parent, d.name);
      delete request.duplication;
      if (info != nullptr) call.writer().comm_create(info->id, call.time());
      [[fallthrough]];
    }
    case Request::Kind::kCollective:
      return call.writer().nonblocking_complete(request.collective, request.id, call.time());
  }
}

void CompletionCalls::receive_complete(record::CommId comm, record::RequestId id,
                                       const MPI_Status& status, int error) {
  Call& call = call_of(this);
  if (!arrived(error) || status.MPI_SOURCE == MPI_PROC_NULL) return;
  call.writer().irecv(message_of(comm, status, error), id, call.time());
}

void CompletionCalls::completed_all(const MPI_Status* statuses) {
  Call& call = call_of(this);
  if (statuses == MPI_STATUSES_IGNORE) return;
  // After MPI_ERR_IN_STATUS each status has its own error; any other error completes no request.
  int code = MPI_SUCCESS;
  if (call.failed()) PMPI_Error_class(call.result(), &code);
  if (call.failed() && code != MPI_ERR_IN_STATUS) return;
  for (int i = 0; i < held_; ++i) {
    complete(i, statuses[i], call.failed() ? statuses[i].MPI_ERROR : MPI_SUCCESS);
  }
}

void CompletionCalls::completed_any(const int* index, const MPI_Status* status) {
  Call& call = call_of(this);
  if (*index != MPI_UNDEFINED) complete(*index - index_base_, *status, call.result());
}

void CompletionCalls::completed_some(const int* count, const int* indices,
                                     const MPI_Status* statuses) {
  Call& call = call_of(this);
  if (*count == MPI_UNDEFINED || statuses == MPI_STATUSES_IGNORE) return;
  for (int i = 0; i < *count; ++i) {
    complete(indices[i] - index_base_, statuses[i],
             call.failed() ? statuses[i].MPI_ERROR : MPI_SUCCESS);
  }
}

// The operation is complete but its request remains; it must not be recorded a second time.
void CompletionCalls::completed_but_kept(const MPI_Status* status) {
  Call& call = call_of(this);
  if (call.failed() || held_ == 0) return;
  const MPI_Request handle = scratch.requests.get(held_)[0];
  if (requests::is_shared(handle)) {
    auto request = SharedRequests::of(handle).pop();
    if (!request) return;
    write_completion(*request, *status, MPI_SUCCESS);
    request->active = false;
    SharedRequests::of(handle).push(*request);
    return;
  }
  Request* known = claimed_ != nullptr ? claimed_[0] : requests::find(handle);
  if (known == nullptr || known->kind == Request::Kind::kDuplication) return;
  write_completion(*known, *status, MPI_SUCCESS);
  known->active = false;
}

// Called before MPI: another thread may be in a completion call for the request.
void CompletionCalls::cancelled(const MPI_Request* request) {
  if (request == nullptr) return;
  Request* known = requests::find(*request);
  if (known == nullptr) known = requests::table().find(key_of(*request));
  if (known != nullptr) known->cancelled = true;
}

void CompletionCalls::forget(const MPI_Request* request) {
  if (request == nullptr || *request == MPI_REQUEST_NULL) return;
  if (requests::is_shared(*request)) {
    SharedRequests::of(*request).pop();
  } else if (const Request* known = requests::find(*request); known != nullptr) {
    keep_place(*known);
    requests::remove(known);
  }
}

// A receive whose request is freed takes its message all the same, unseen. It keeps its place in
// the order of its channel, so that later messages find their receives. After MPI_Cancel nobody
// knows whether it takes one, and with wildcards nobody knows from which channel.
void CompletionCalls::keep_place(const Request& request) {
  using Kind = Request::Kind;
  if (!request.active || request.cancelled) return;
  const bool pair = request.kind == Kind::kSendReceive || request.kind == Kind::kKnownReceive;
  if (!pair && request.kind != Kind::kReceive && request.kind != Kind::kPartitionedReceive) return;
  if (request.message.peer == kAnyPeer || request.message.tag == kAnyPeer) return;
  Call& call = call_of(this);
  const record::RequestId id = request.id + (pair ? 1 : 0);
  const auto& [comm, peer, tag, room] = request.message;
  call.writer().irecv({comm, peer, tag, 0}, id | record::kLeftOut, call.time());
}

}  // namespace latecomer::mpi
