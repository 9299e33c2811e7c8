// SPDX-License-Identifier: BSD-3-Clause
// The words of the recipes: point-to-point, requests, collectives.
#include "tracer/mpi/call.hpp"

#include <algorithm>
#include <cstdlib>

#include "tracer/mpi/requests.hpp"

namespace latecomer::mpi {
namespace {

// Space of a thread for handles and statuses: a fixed part for common sizes, grown for larger ones.
template <typename T>
struct Scratch {
  static constexpr int kFixed = 64;
  T fixed[kFixed];
  T* grown;
  int capacity;

  T* get(int count) {
    if (count <= kFixed) return fixed;
    if (count > capacity) {
      auto* larger =
          static_cast<T*>(std::realloc(grown, static_cast<std::size_t>(count) * 2 * sizeof(T)));
      if (larger == nullptr) return nullptr;
      grown = larger;
      capacity = count * 2;
    }
    return grown;
  }
};

struct ThreadScratch {
  Scratch<MPI_Request> requests;
  Scratch<MPI_Status> statuses;
};
thread_local constinit ThreadScratch scratch [[gnu::tls_model("initial-exec")]]{};

std::uint64_t received_bytes(const MPI_Status& status) {
  int count = 0;
  PMPI_Get_count(&status, MPI_BYTE, &count);
  if (count >= 0) return static_cast<std::uint64_t>(count);
  MPI_Count large = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &large);
  return large > 0 ? static_cast<std::uint64_t>(large) : 0;
}

record::Message message_of(record::CommId comm, const MPI_Status& status) {
  return {comm, status.MPI_SOURCE, status.MPI_TAG, received_bytes(status)};
}

Request* keep(const MPI_Request* request, Request::Kind kind, record::RequestId id) {
  if (*request == MPI_REQUEST_NULL) return nullptr;
  Request* slot = requests::table().insert(key_of(*request));
  if (slot == nullptr) {
    session::lost("requests");
    return nullptr;
  }
  *slot = Request{};
  slot->kind = kind;
  slot->id = id;
  slot->active = true;
  return slot;
}

}  // namespace

MPI_Status* Call::own(MPI_Status* statuses, int count) {
  if (statuses != MPI_STATUS_IGNORE && statuses != MPI_STATUSES_IGNORE) return statuses;
  MPI_Status* mine = count > 0 ? scratch.statuses.get(count) : statuses;
  return mine != nullptr ? mine : statuses;
}

void Call::send(int dest, int tag, MPI_Comm comm, std::uint64_t bytes) {
  if (dest == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info != nullptr) writer_->send({info->id, dest, tag, bytes}, time_);
}

void Call::received(MPI_Comm comm, const MPI_Status* status) {
  if (failed() || status == MPI_STATUS_IGNORE || status->MPI_SOURCE == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info != nullptr) writer_->recv(message_of(info->id, *status), time_);
}

void Call::isend(int dest, int tag, MPI_Comm comm, std::uint64_t bytes) {
  if (dest == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  request_ = requests::next_id(2);  // a combined receive takes the second one
  writer_->isend({info->id, dest, tag, bytes}, request_, time_);
}

void Call::keep_send(const MPI_Request* request) {
  if (request_ != 0 && !failed()) keep(request, Request::Kind::kSend, request_);
}

void Call::irecv(int source, MPI_Comm comm, const MPI_Request* request) {
  if (failed() || source == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  if (Request* slot = keep(request, Request::Kind::kReceive, id); slot != nullptr) {
    slot->message.comm = info->id;
    writer_->irecv_request(id, time_);
  }
}

void Call::keep_sendrecv(int source, MPI_Comm comm, const MPI_Request* request) {
  if (failed()) return;
  if (request_ == 0) return irecv(source, comm, request);
  if (source == MPI_PROC_NULL) return keep_send(request);
  Request* slot = keep(request, Request::Kind::kSendReceive, request_);
  if (slot == nullptr) return;
  slot->message.comm = communicators::find(comm)->id;  // known: the send was recorded
  writer_->irecv_request(request_ + 1, time_);
}

void Call::send_init(int dest, int tag, MPI_Comm comm, std::uint64_t bytes,
                     const MPI_Request* request) {
  if (failed() || dest == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  Request* slot = keep(request, Request::Kind::kSend, requests::next_id());
  if (slot == nullptr) return;
  slot->persistent = true;
  slot->active = false;
  slot->message = {info->id, dest, tag, bytes};
}

void Call::recv_init(int source, MPI_Comm comm, const MPI_Request* request) {
  if (failed() || source == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  Request* slot = keep(request, Request::Kind::kReceive, requests::next_id());
  if (slot == nullptr) return;
  slot->persistent = true;
  slot->active = false;
  slot->message.comm = info->id;
}

void Call::start(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    Request* slot = requests::table().find(key_of(requests[i]));
    if (slot == nullptr || !slot->persistent || slot->active) continue;
    slot->active = true;
    slot->cancelled = false;
    if (slot->kind == Request::Kind::kSend) {
      writer_->isend(slot->message, slot->id, time_);
    } else {
      writer_->irecv_request(slot->id, time_);
    }
  }
}

void Call::hold(int count, const MPI_Request* requests) {
  if (count <= 0) return;
  MPI_Request* space = scratch.requests.get(count);
  if (space == nullptr) return;
  std::copy_n(requests, count, space);
  held_ = count;
  requests_ = requests;
}

// `error` is that of this request. An operation that failed is forgotten; one that is still pending
// stays.
void Call::complete(int index, const MPI_Status& status, int error) {
  if (index < 0 || index >= held_ || error == MPI_ERR_PENDING) return;
  const MPI_Request handle = scratch.requests.get(held_)[index];
  if (handle == MPI_REQUEST_NULL) return;
  Request* slot = requests::table().find(key_of(handle));
  if (slot == nullptr || (slot->persistent && !slot->active)) return;
  Request request = *slot;
  if (request.persistent) {
    slot->active = false;
  } else {
    requests::table().erase(key_of(handle));
  }
  int cancelled = 0;
  if (request.cancelled) PMPI_Test_cancelled(&status, &cancelled);
  if (!request.active) return;  // completed before by MPI_Request_get_status
  if (cancelled != 0) return writer_->request_cancelled(request.id, time_);
  switch (request.kind) {
    case Request::Kind::kSend:
      writer_->isend_complete(request.id, time_);
      break;
    case Request::Kind::kSendReceive:
      writer_->isend_complete(request.id, time_);
      ++request.id;
      [[fallthrough]];
    case Request::Kind::kReceive:
      if (error != MPI_SUCCESS || status.MPI_SOURCE == MPI_PROC_NULL) break;
      writer_->irecv(message_of(request.message.comm, status), request.id, time_);
      break;
    case Request::Kind::kCollective:
      writer_->nonblocking_complete(request.collective, request.id, time_);
      break;
    case Request::Kind::kDuplication: {
      Duplication& d = *request.duplication;
      PMPI_Wait(&d.naming, MPI_STATUS_IGNORE);
      const CommInfo* info = communicators::finish_naming(*d.fresh, d.parent, d.name);
      delete request.duplication;
      if (info != nullptr) writer_->comm_create(info->id, time_);
      writer_->nonblocking_complete(request.collective, request.id, time_);
      break;
    }
  }
}

void Call::completed_all(const MPI_Status* statuses) {
  if (statuses == MPI_STATUSES_IGNORE) return;
  int code = MPI_SUCCESS;
  if (failed()) PMPI_Error_class(result_, &code);
  if (failed() && code != MPI_ERR_IN_STATUS) return;
  for (int i = 0; i < held_; ++i) {
    complete(i, statuses[i], failed() ? statuses[i].MPI_ERROR : MPI_SUCCESS);
  }
}

// A request that MPI has just set to null, or a persistent one that is active.
bool Call::may_be_complete(int index) const {
  if (index < 0 || index >= held_) return false;
  const MPI_Request before = scratch.requests.get(held_)[index];
  if (before == MPI_REQUEST_NULL) return false;
  if (requests_[index] == MPI_REQUEST_NULL) return true;
  const Request* slot = requests::table().find(key_of(before));
  return slot != nullptr && slot->persistent && slot->active;
}

void Call::completed_any(int index, const MPI_Status* status) {
  if (index == MPI_UNDEFINED) return;
  // The mpi_f08 module of MPICH 4.0.2 forgets to count from 1 here: the handles tell.
  const bool from_zero =
      index_base_ == 0 || (!may_be_complete(index - index_base_) && may_be_complete(index));
  complete(from_zero ? index : index - index_base_, *status, result_);
}

void Call::completed_some(int count, const int* indices, const MPI_Status* statuses) {
  if (count == MPI_UNDEFINED || statuses == MPI_STATUSES_IGNORE) return;
  for (int i = 0; i < count; ++i) {
    complete(indices[i] - index_base_, statuses[i], failed() ? statuses[i].MPI_ERROR : MPI_SUCCESS);
  }
}

// The operation is complete, its request lives on: it must not be recorded a second time.
void Call::completed_but_kept(const MPI_Status* status) {
  if (failed() || held_ == 0) return;
  const MPI_Request handle = scratch.requests.get(held_)[0];
  Request* slot = handle == MPI_REQUEST_NULL ? nullptr : requests::table().find(key_of(handle));
  if (slot == nullptr || !slot->active || slot->kind == Request::Kind::kDuplication) return;
  const Request before = *slot;
  complete(0, *status, result_);
  if (before.persistent) return;
  if (Request* again = requests::table().insert(key_of(handle)); again != nullptr) {
    *again = before;
    again->active = false;
  }
}

void Call::cancelled(const MPI_Request* request) {
  Request* slot = requests::table().find(key_of(*request));
  if (slot != nullptr) slot->cancelled = true;
}

void Call::forget(const MPI_Request* request) { requests::table().erase(key_of(*request)); }

namespace {
struct Matched {
  record::RequestId id = 0;
  record::CommId comm = 0;
};
HandleTable<Matched>& messages() {
  static constinit HandleTable<Matched> table;
  return table;
}
}  // namespace

void Call::message_matched(MPI_Comm comm, const MPI_Message* message) {
  if (failed() || *message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) return;
  const CommInfo* info = communicators::find(comm);
  Matched* slot = info == nullptr ? nullptr : messages().insert(key_of(*message));
  if (slot == nullptr) return;
  *slot = {requests::next_id(), info->id};
  writer_->irecv_request(slot->id, time_);
}

void Call::hold_message(const MPI_Message* message) {
  const Matched* slot = messages().find(key_of(*message));
  if (slot == nullptr) return;
  message_ = slot->id;
  message_comm_ = slot->comm;
  messages().erase(key_of(*message));
}

void Call::message_received(const MPI_Status* status) {
  if (message_ == 0 || failed() || status == MPI_STATUS_IGNORE) return;
  writer_->irecv(message_of(message_comm_, *status), message_, time_);
}

void Call::keep_message(const MPI_Request* request) {
  if (message_ == 0 || failed()) return;
  Request* slot = keep(request, Request::Kind::kReceive, message_);
  if (slot != nullptr) slot->message.comm = message_comm_;
}

bool Call::describe(record::Collective& c, std::uint32_t op, MPI_Comm comm, int root,
                    const Volume& volume, bool* everybody) {
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return false;
  if (everybody != nullptr) *everybody = info->everybody;
  std::uint32_t recorded = record::kRootNone;
  if (root == MPI_ROOT) {
    recorded = record::kRootSelf;
  } else if (root == MPI_PROC_NULL) {
    recorded = record::kRootThisGroup;
  } else if (root != kNoRoot) {
    recorded = static_cast<std::uint32_t>(root);
  }
  c = {info->id, op, recorded, volume.sent, volume.received};
  return true;
}

void Call::collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume) {
  collective_pending_ = describe(collective_, op, comm, root, volume, &everybody_);
  if (collective_pending_) writer_->collective_begin(time_);
}

void Call::start_collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume) {
  if (!describe(collective_, op, comm, root, volume)) return;
  request_ = requests::next_id();
  writer_->nonblocking_request(request_, time_);
}

void Call::keep_collective(const MPI_Request* request) {
  if (request_ == 0 || failed()) return;
  Request* slot = keep(request, Request::Kind::kCollective, request_);
  if (slot != nullptr) slot->collective = collective_;
}

}  // namespace latecomer::mpi
