// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes for point-to-point, requests and collectives.
#include "tracer/mpi/calls/call.hpp"

#include "tracer/mpi/objects/requests.hpp"
#include "tracer/mpi/objects/statuses.hpp"
#include "tracer/state/shared_requests.hpp"

namespace latecomer::mpi {

bool Call::is_refusal(int error) {
  int code = MPI_SUCCESS;
  PMPI_Error_class(error, &code);
  switch (code) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_TAG:
    case MPI_ERR_COMM:
    case MPI_ERR_RANK:
    case MPI_ERR_REQUEST:
    case MPI_ERR_ROOT:
    case MPI_ERR_OP:
    case MPI_ERR_ARG:
      return true;
    default:
      return false;
  }
}

bool Call::arrived(int error) {
  if (error == MPI_SUCCESS) return true;
  int code = MPI_SUCCESS;
  PMPI_Error_class(error, &code);
  return code == MPI_ERR_TRUNCATE;
}

namespace {

// The communicator of a message, or null if nothing is recorded: there is no such process, it is
// MPI_PROC_NULL, or MPI refuses the tag.
[[gnu::always_inline]] inline const CommInfo* partners(int dest, int tag, MPI_Comm comm) {
  if (dest < 0 || tag < 0 || tag > communicators::largest_tag()) return nullptr;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return nullptr;
  return dest < (info->remote_size != 0 ? info->remote_size : info->size) ? info : nullptr;
}

}  // namespace

void Call::send(int dest, int tag, MPI_Comm comm, std::uint64_t bytes) {
  if (bytes == kUnknownBytes) return;
  sent_ = true;
  const CommInfo* info = partners(dest, tag, comm);
  if (info != nullptr) writer_->send({info->id, dest, tag, bytes}, entry_);
}

void Call::received(MPI_Comm comm, const MPI_Status* status) {
  if (!arrived(result_) || status == MPI_STATUS_IGNORE) return;
  if (status->MPI_SOURCE == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info != nullptr) writer_->recv(message_of(info->id, *status, result_), time_);
}

void Call::isend(int dest, int tag, MPI_Comm comm, std::uint64_t bytes,
                 const MPI_Request* request) {
  if (failed()) return;
  const CommInfo* info = partners(dest, tag, comm);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  writer_->isend({info->id, dest, tag, bytes}, id, entry_);
  requests::keep(request, Request::Kind::kSend, id, info->id);
}

void Call::irecv(int source, MPI_Comm comm, const MPI_Request* request) {
  if (failed() || source == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  if (requests::keep(request, Request::Kind::kReceive, id, info->id)) {
    writer_->irecv_request(id, time_);
  }
}

// The receive is described by its arguments, since the status of MPICH 4.0 contains nothing useful.
// A receive with wildcards is therefore not recorded.
void Call::isendrecv(int dest, int send_tag, std::uint64_t sent, int source, int receive_tag,
                     std::uint64_t room, MPI_Comm comm, const MPI_Request* request) {
  if (failed()) return;
  const CommInfo* to = partners(dest, send_tag, comm);
  const CommInfo* from = partners(source, receive_tag, comm);
  if (from == nullptr && source != MPI_PROC_NULL) session::lost("receives of MPI_Isendrecv");
  if (to == nullptr && from == nullptr) return;
  Request started{.kind = Request::Kind::kSendReceive, .id = requests::next_id(2), .message = {}};
  if (to != nullptr) writer_->isend({to->id, dest, send_tag, sent}, started.id, entry_);
  if (from == nullptr) started.kind = Request::Kind::kSend;
  if (to == nullptr) started.kind = Request::Kind::kKnownReceive;
  if (from != nullptr) started.message = {from->id, source, receive_tag, room};
  if (requests::keep(request, started) && from != nullptr) {
    writer_->irecv_request(started.id + 1, time_);
  }
}

void Call::send_init(int dest, int tag, MPI_Comm comm, std::uint64_t bytes,
                     const MPI_Request* request) {
  if (failed()) return;
  const CommInfo* info = partners(dest, tag, comm);
  if (info == nullptr) return;
  requests::keep(request, {.kind = Request::Kind::kSend,
                           .persistent = true,
                           .active = false,
                           .id = requests::next_id(),
                           .message = {info->id, dest, tag, bytes}});
}

void Call::recv_init(int source, MPI_Comm comm, const MPI_Request* request) {
  if (failed() || source == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  requests::keep(request, {.kind = Request::Kind::kReceive,
                           .persistent = true,
                           .active = false,
                           .id = requests::next_id(),
                           .message = {.comm = info->id}});
}

void Call::partitioned_send_init(int dest, int tag, MPI_Comm comm, int partitions,
                                 std::uint64_t partition_bytes, const MPI_Request* request) {
  const CommInfo* info = failed() || partitions < 1 ? nullptr : partners(dest, tag, comm);
  if (info == nullptr) return;
  const auto count = static_cast<std::uint32_t>(partitions);
  requests::keep(request, {.kind = Request::Kind::kPartitionedSend,
                           .persistent = true,
                           .active = false,
                           .id = requests::next_id(),
                           .message = {info->id, dest, tag, count * partition_bytes},
                           .partitions = {count}});
}

// There are no wildcards, and statuses of such receives say less than their arguments.
void Call::partitioned_recv_init(int source, int tag, MPI_Comm comm, int partitions,
                                 std::uint64_t partition_bytes, const MPI_Request* request) {
  const CommInfo* info = failed() || partitions < 1 ? nullptr : partners(source, tag, comm);
  if (info == nullptr) return;
  const auto count = static_cast<std::uint32_t>(partitions);
  requests::keep(request, {.kind = Request::Kind::kPartitionedReceive,
                           .persistent = true,
                           .active = false,
                           .id = requests::next_id(),
                           .message = {info->id, source, tag, count * partition_bytes}});
}

// Called before MPI: as soon as MPI is called, another thread may complete the message.
void Call::ready(int partitions, MPI_Request request) {
  Request* known = partitions < 1 ? nullptr : requests::find(request);
  if (known == nullptr || known->kind != Request::Kind::kPartitionedSend) return;
  const auto count = static_cast<std::uint32_t>(partitions);
  const auto before = __atomic_fetch_add(&known->partitions.ready, count, __ATOMIC_ACQ_REL);
  if (before < known->partitions.all && before + count >= known->partitions.all) {
    writer_->isend(known->message, known->id, entry_);
  }
}

// A request that seems to be active was completed while recording was off. Each start has its own
// number, because a reader of one thread's records does not see completions by other threads.
void Call::start(int count, const MPI_Request* requests) {
  for (int i = 0; i < count; ++i) {
    Request* known = requests::find(requests[i]);
    if (known == nullptr || !known->persistent) continue;
    known->active = true;
    known->cancelled = false;
    known->id = requests::next_id();
    if (known->kind == Request::Kind::kPartitionedSend) {
      __atomic_store_n(&known->partitions.ready, 0, __ATOMIC_RELAXED);
    } else if (known->kind == Request::Kind::kSend) {
      writer_->isend(known->message, known->id, entry_);
    } else if (known->kind == Request::Kind::kCollective) {
      writer_->nonblocking_request(known->id, entry_);
    } else {
      writer_->irecv_request(known->id, entry_);
    }
  }
}

namespace {
HandleTable<MatchedMessage>& messages() { return process().mpi.requests.matched; }
}  // namespace

void Call::message_matched(MPI_Comm comm, const MPI_Message* message) {
  if (failed() || *message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) return;
  const CommInfo* info = communicators::find(comm);
  MatchedMessage* slot = info == nullptr ? nullptr : messages().insert(key_of(*message));
  if (slot == nullptr) return;
  *slot = {requests::next_id(), info->id};
  writer_->irecv_request(slot->id, time_);
}

void Call::hold_message(const MPI_Message* message) {
  if (message == nullptr) return;
  const MatchedMessage* slot = messages().find(key_of(*message));
  if (slot == nullptr) return;
  message_ = slot->id;
  message_comm_ = slot->comm;
  messages().erase(slot);
}

void Call::message_received(const MPI_Status* status) {
  if (message_ == 0 || status == MPI_STATUS_IGNORE) return;
  receive_complete(message_comm_, message_, *status, result_);
}

void Call::keep_message(const MPI_Request* request) {
  if (message_ == 0 || failed()) return;
  requests::keep(
      request,
      {.kind = Request::Kind::kReceive, .id = message_, .message = {.comm = message_comm_}});
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
  c = {info->id,           op, recorded, volume.sent, volume.received, volume.all_positive,
       volume.neighborhood};
  return true;
}

void Call::collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume) {
  record::Collective c;
  if (describe(c, op, comm, root, volume, &everybody_)) writer_->collective(c, entry_, time_);
}

void Call::neighbor_collective(std::uint32_t op, MPI_Comm comm, const Volume& volume) {
  record::Collective c;
  if (describe(c, op, comm, kNoRoot, volume)) writer_->collective(c, entry_, time_);
}

void Call::collective_init(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume,
                           const MPI_Request* request) {
  Request made{
      .kind = Request::Kind::kCollective, .persistent = true, .active = false, .collective = {}};
  if (failed() || !describe(made.collective, op, comm, root, volume)) return;
  made.id = requests::next_id();
  made.collective.series = communicators::next_series(comm);
  requests::keep(request, made);
}

void Call::start_collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume,
                            const MPI_Request* request) {
  Request started{.kind = Request::Kind::kCollective, .collective = {}};
  if (failed() || !describe(started.collective, op, comm, root, volume)) return;
  started.id = requests::next_id();
  writer_->nonblocking_request(started.id, entry_);
  requests::keep(request, started);
}

}  // namespace latecomer::mpi
