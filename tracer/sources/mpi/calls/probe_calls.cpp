// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes for matched probes.
#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"

namespace latecomer::mpi {

namespace {
HandleTable<MatchedMessage>& messages() { return process().mpi.requests.matched; }
}  // namespace

void ProbeCalls::message_matched(MPI_Comm comm, const MPI_Message* message) {
  Call& call = call_of(this);
  if (call.failed() || *message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC) return;
  const CommInfo* info = communicators::find(comm);
  MatchedMessage* slot = info == nullptr ? nullptr : messages().insert(key_of(*message));
  if (slot == nullptr) return;
  *slot = {requests::next_id(), info->id};
  call.writer().irecv_request(slot->id, call.time());
}

void ProbeCalls::hold_message(const MPI_Message* message) {
  if (message == nullptr) return;
  const MatchedMessage* slot = messages().find(key_of(*message));
  if (slot == nullptr) return;
  message_ = slot->id;
  message_comm_ = slot->comm;
  messages().erase(slot);
}

void ProbeCalls::message_received(const MPI_Status* status) {
  Call& call = call_of(this);
  if (message_ == 0 || status == MPI_STATUS_IGNORE) return;
  call.receive_complete(message_comm_, message_, *status, call.result());
}

void ProbeCalls::keep_message(const MPI_Request* request) {
  Call& call = call_of(this);
  if (message_ == 0 || call.failed()) return;
  // The status of the probe, which named source and tag, is gone.
  requests::keep(request, {.kind = Request::Kind::kReceive,
                           .id = message_,
                           .message = {message_comm_, kAnyPeer, kAnyPeer}});
}

}  // namespace latecomer::mpi
