// SPDX-License-Identifier: BSD-3-Clause
// Implements the notes about what a call waits for.
#include "tracer/sources/mpi/calls/pending_calls.hpp"

#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"
#include "tracer/sources/mpi/objects/windows.hpp"

namespace latecomer::mpi {

using record::Awaited;
using record::AwaitedOperation;
using record::AwaitedRequest;
using record::PendingCall;

namespace {

AwaitedRequest describe(const Request& request) {
  const record::Message& m = request.message;
  switch (request.kind) {
    case Request::Kind::kSend:
    case Request::Kind::kPartitionedSend:
      return {AwaitedOperation::kSend, m.comm, m.peer, m.tag};
    case Request::Kind::kReceive:
    case Request::Kind::kKnownReceive:
    case Request::Kind::kPartitionedReceive:
      return {AwaitedOperation::kReceive, m.comm, m.peer, m.tag};
    case Request::Kind::kSendReceive:
      return {AwaitedOperation::kSendReceive, m.comm, m.peer, m.tag};
    case Request::Kind::kCollective:
      return {AwaitedOperation::kCollective, request.collective.comm,
              static_cast<std::int32_t>(request.collective.op),
              static_cast<std::int32_t>(request.instance)};
    default:
      return {AwaitedOperation::kOther, 0, 0, 0};
  }
}

}  // namespace

PendingCall& begin_pending(session::ThreadWriter& writer, record::RegionId region,
                           record::Ticks entry, Awaited what, std::uint32_t object) {
  PendingCall& call = writer.live_state().begin();
  call.entered = entry;
  call.left = 0;
  call.region = region;
  call.frame = writer.call_path();
  call.awaited = what;
  call.object = object;
  return call;
}

void note_collective(session::ThreadWriter& writer, record::RegionId region, record::Ticks entry,
                     const CommInfo& comm, std::uint32_t op, std::uint32_t root) {
  PendingCall& call = begin_pending(writer, region, entry, Awaited::kCollective, comm.id);
  call.operation = op;
  call.root = root;
  call.instance = std::uint64_t{comm.operations} + 1;
  writer.live_state().end();
}

std::uint32_t count_collective(session::ThreadWriter& writer, CommInfo& comm) {
  const std::uint32_t number = ++comm.operations;
  writer.live_state().count(comm.id, number);
  return number;
}

PendingCall& PendingCalls::begin(Awaited what, std::uint32_t object) {
  Call& call = call_of(this);
  return begin_pending(call.writer(), call.region(), call.entry(), what, object);
}

void PendingCalls::end() { call_of(this).writer().live_state().end(); }

void PendingCalls::awaits(Awaited what, int peer, int tag, MPI_Comm comm) {
  if (peer == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  PendingCall& pending = begin(what, info->id);
  pending.peer = noted_source(peer);
  pending.tag = noted_tag(tag);
  end();
}

void PendingCalls::awaits_message(int source, int tag, MPI_Comm comm) {
  awaits(Awaited::kReceive, source, tag, comm);
}

void PendingCalls::awaits_probe(int source, int tag, MPI_Comm comm) {
  awaits(Awaited::kProbe, source, tag, comm);
}

void PendingCalls::awaits_receiver(int dest, int tag, MPI_Comm comm) {
  awaits(Awaited::kSend, dest, tag, comm);
}

void PendingCalls::awaits_exchange(int dest, int send_tag, int source, int receive_tag,
                                   MPI_Comm comm) {
  if (source == MPI_PROC_NULL) return awaits_receiver(dest, send_tag, comm);
  if (dest == MPI_PROC_NULL) return awaits_message(source, receive_tag, comm);
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  PendingCall& pending = begin(Awaited::kSendReceive, info->id);
  pending.peer = noted_source(source);
  pending.tag = noted_tag(receive_tag);
  pending.other_peer = dest;
  pending.other_tag = send_tag;
  end();
}

// Requests with shared handles are complete, and inactive persistent ones are not waited for.
void PendingCalls::awaits_requests(int count, const MPI_Request* requests) {
  PendingCall& pending = begin(Awaited::kRequests, 0);
  std::uint32_t all = 0, listed = 0;
  for (int i = 0; i < count; ++i) {
    if (requests[i] == MPI_REQUEST_NULL || requests::is_shared(requests[i])) continue;
    if (listed < PendingCall::kMostRequests) {
      const Request* known = requests::find(requests[i]);
      if (known != nullptr && !known->active) continue;
      pending.listed[listed++] = known != nullptr ? describe(*known) : AwaitedRequest{};
    }
    ++all;
  }
  pending.requests = all;
  end();
}

void PendingCalls::awaits_members(std::uint32_t op, MPI_Comm comm, int root) {
  comm_ = communicators::find_to_count(comm);
  if (comm_ == nullptr) return;
  Call& call = call_of(this);
  note_collective(call.writer(), call.region(), call.entry(), *comm_, op,
                  root == kNoRoot ? record::kRootNone : static_cast<std::uint32_t>(root));
}

void PendingCalls::count_pending_operation() {
  if (comm_ != nullptr) count_collective(call_of(this).writer(), *comm_);
}

void PendingCalls::awaits_window(MPI_Win win) {
  const WindowInfo* window = windows::find(win);
  if (window == nullptr) return;
  begin(Awaited::kWindow, window->id);
  end();
}

void PendingCalls::awaits_lock(int target, MPI_Win win) {
  const WindowInfo* window = target == MPI_PROC_NULL ? nullptr : windows::find(win);
  if (window == nullptr) return;
  begin(Awaited::kLock, window->id).peer = target == kEveryTarget ? record::kEverybody : target;
  end();
}

// The members of the group cannot be asked for yet, since MPI has not checked the handle.
void PendingCalls::awaits_group(MPI_Win win) {
  const WindowInfo* window = windows::find(win);
  if (window == nullptr) return;
  begin(Awaited::kEpoch, window->id).peer = static_cast<std::int32_t>(kNoGroup);
  end();
}

void PendingCalls::awaits_epoch(MPI_Win win, bool access) {
  const WindowInfo* window = windows::find(win);
  if (window == nullptr) return;
  begin(Awaited::kEpoch, window->id).peer =
      static_cast<std::int32_t>(access ? window->access : window->exposure);
  end();
}

void PendingCalls::awaits_file(MPI_File file) {
  const FileInfo* info = files::find(file);
  if (info == nullptr) return;
  begin(Awaited::kFile, info->handle);
  end();
}

}  // namespace latecomer::mpi
