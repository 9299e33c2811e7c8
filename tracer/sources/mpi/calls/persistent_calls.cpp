// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes for persistent operations and partitioned messages.
#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"

namespace latecomer::mpi {

void PersistentCalls::send_init(int dest, int tag, MPI_Comm comm, std::uint64_t bytes,
                                const MPI_Request* request) {
  Call& call = call_of(this);
  if (call.failed()) return;
  const CommInfo* info = communicators::find_for(dest, tag, comm);
  if (info == nullptr) return;
  requests::keep(request, {.kind = Request::Kind::kSend,
                           .persistent = true,
                           .active = false,
                           .id = requests::next_id(),
                           .message = {info->id, dest, tag, bytes}});
}

void PersistentCalls::recv_init(int source, int tag, MPI_Comm comm, const MPI_Request* request) {
  Call& call = call_of(this);
  if (call.failed() || source == MPI_PROC_NULL) return;
  const CommInfo* info = communicators::find(comm);
  if (info == nullptr) return;
  requests::keep(request, {.kind = Request::Kind::kReceive,
                           .persistent = true,
                           .active = false,
                           .id = requests::next_id(),
                           .message = {info->id, noted_source(source), noted_tag(tag)}});
}

void PersistentCalls::partitioned_send_init(int dest, int tag, MPI_Comm comm, int partitions,
                                            std::uint64_t partition_bytes,
                                            const MPI_Request* request) {
  Call& call = call_of(this);
  const CommInfo* info =
      call.failed() || partitions < 1 ? nullptr : communicators::find_for(dest, tag, comm);
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
void PersistentCalls::partitioned_recv_init(int source, int tag, MPI_Comm comm, int partitions,
                                            std::uint64_t partition_bytes,
                                            const MPI_Request* request) {
  Call& call = call_of(this);
  const CommInfo* info =
      call.failed() || partitions < 1 ? nullptr : communicators::find_for(source, tag, comm);
  if (info == nullptr) return;
  const auto count = static_cast<std::uint32_t>(partitions);
  requests::keep(request, {.kind = Request::Kind::kPartitionedReceive,
                           .persistent = true,
                           .active = false,
                           .id = requests::next_id(),
                           .message = {info->id, source, tag, count * partition_bytes}});
}

// Called before MPI: as soon as MPI is called, another thread may complete the message.
void PersistentCalls::ready(int partitions, MPI_Request request) {
  Call& call = call_of(this);
  Request* known = partitions < 1 ? nullptr : requests::find(request);
  if (known == nullptr || known->kind != Request::Kind::kPartitionedSend) return;
  const auto count = static_cast<std::uint32_t>(partitions);
  const auto before = __atomic_fetch_add(&known->partitions.ready, count, __ATOMIC_ACQ_REL);
  if (before < known->partitions.all && before + count >= known->partitions.all) {
    call.writer().isend(known->message, known->id, call.entry());
  }
}

// A request that seems to be active was completed while recording was off. Each start has its own
// number, because a reader of one thread's records does not see completions by other threads.
void PersistentCalls::start(int count, const MPI_Request* requests) {
  Call& call = call_of(this);
  for (int i = 0; i < count; ++i) {
    Request* known = requests::find(requests[i]);
    if (known == nullptr || !known->persistent) continue;
    known->active = true;
    known->cancelled = false;
    known->id = requests::next_id();
    if (known->kind == Request::Kind::kPartitionedSend) {
      __atomic_store_n(&known->partitions.ready, 0, __ATOMIC_RELAXED);
    } else if (known->kind == Request::Kind::kSend) {
      call.writer().isend(known->message, known->id, call.entry());
    } else if (known->kind == Request::Kind::kCollective) {
      call.writer().nonblocking_request(known->id, call.entry());
    } else {
      call.writer().irecv_request(known->id, call.entry());
    }
  }
}

}  // namespace latecomer::mpi
