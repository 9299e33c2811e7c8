// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes for blocking and nonblocking messages.
#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/statuses.hpp"

namespace latecomer::mpi {

void MessageCalls::send(int dest, int tag, MPI_Comm comm, std::uint64_t bytes) {
  Call& call = call_of(this);
  if (bytes == kUnknownBytes) return;
  sent_ = true;
  const CommInfo* info = communicators::find_for(dest, tag, comm);
  if (info != nullptr) call.writer().send({info->id, dest, tag, bytes}, call.entry());
}

void MessageCalls::buffered(int dest, int tag, MPI_Comm comm, std::uint64_t bytes) {
  if (!call_of(this).failed()) send(dest, tag, comm, bytes);
}

void MessageCalls::received(MPI_Comm comm, const MPI_Status* status) {
  Call& call = call_of(this);
  if (!arrived(call.result()) || status == MPI_STATUS_IGNORE) return;
  if (status->MPI_SOURCE == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info != nullptr)
    call.writer().recv(message_of(info->id, *status, call.result()), call.time());
}

void MessageCalls::isend(int dest, int tag, MPI_Comm comm, std::uint64_t bytes,
                         const MPI_Request* request) {
  Call& call = call_of(this);
  if (call.failed()) return;
  const CommInfo* info = communicators::find_for(dest, tag, comm);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  call.writer().isend({info->id, dest, tag, bytes}, id, call.entry());
  requests::keep(request, Request::Kind::kSend, id, info->id, dest, tag);
}

void MessageCalls::irecv(int source, int tag, MPI_Comm comm, const MPI_Request* request) {
  Call& call = call_of(this);
  if (call.failed() || source == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  const record::RequestId id = requests::next_id();
  if (requests::keep(request, Request::Kind::kReceive, id, info->id, noted_source(source),
                     noted_tag(tag))) {
    call.writer().irecv_request(id, call.time());
  }
}

// The receive is described by its arguments, since the status of MPICH 4.0 contains nothing useful.
// A receive with wildcards is therefore not recorded.
void MessageCalls::isendrecv(int dest, int send_tag, std::uint64_t sent, int source,
                             int receive_tag, std::uint64_t room, MPI_Comm comm,
                             const MPI_Request* request) {
  Call& call = call_of(this);
  if (call.failed()) return;
  const CommInfo* to = communicators::find_for(dest, send_tag, comm);
  const CommInfo* from = communicators::find_for(source, receive_tag, comm);
  if (from == nullptr && source != MPI_PROC_NULL) session::lost("receives of MPI_Isendrecv");
  if (to == nullptr && from == nullptr) return;
  Request started{.kind = Request::Kind::kSendReceive, .id = requests::next_id(2), .message = {}};
  if (to != nullptr) call.writer().isend({to->id, dest, send_tag, sent}, started.id, call.entry());
  if (from == nullptr) started.kind = Request::Kind::kSend;
  if (to == nullptr) started.kind = Request::Kind::kKnownReceive;
  if (from != nullptr) started.message = {from->id, source, receive_tag, room};
  if (requests::keep(request, started) && from != nullptr) {
    call.writer().irecv_request(started.id + 1, call.time());
  }
}

}  // namespace latecomer::mpi
