// SPDX-License-Identifier: BSD-3-Clause
// Implements the recipes for collective operations.
#include "tracer/sources/mpi/calls/call.hpp"
#include "tracer/sources/mpi/objects/requests.hpp"

namespace latecomer::mpi {

namespace {

// `info` is the communicator, if it has been found already.
bool describe(record::Collective& c, std::uint32_t op, MPI_Comm comm, int root,
              const Volume& volume, const CommInfo* info = nullptr, bool* everybody = nullptr) {
  if (info == nullptr) info = communicators::find(comm);
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

}  // namespace

void CollectiveCalls::collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume) {
  Call& call = call_of(this);
  record::Collective c;
  if (describe(c, op, comm, root, volume, call.collective_comm(), &everybody_))
    call.writer().collective(c, call.entry(), call.time());
}

void CollectiveCalls::neighbor_collective(std::uint32_t op, MPI_Comm comm, const Volume& volume) {
  Call& call = call_of(this);
  record::Collective c;
  if (describe(c, op, comm, kNoRoot, volume, call.collective_comm()))
    call.writer().collective(c, call.entry(), call.time());
}

void CollectiveCalls::collective_init(std::uint32_t op, MPI_Comm comm, int root,
                                      const Volume& volume, const MPI_Request* request) {
  Call& call = call_of(this);
  Request made{
      .kind = Request::Kind::kCollective, .persistent = true, .active = false, .collective = {}};
  if (call.failed() || !describe(made.collective, op, comm, root, volume)) return;
  made.id = requests::next_id();
  made.collective.series = communicators::next_series(comm);
  requests::keep(request, made);
}

void CollectiveCalls::start_collective(std::uint32_t op, MPI_Comm comm, int root,
                                       const Volume& volume, const MPI_Request* request) {
  Call& call = call_of(this);
  Request started{.kind = Request::Kind::kCollective, .collective = {}, .instance = 0};
  if (call.failed() || !describe(started.collective, op, comm, root, volume)) return;
  started.id = requests::next_id();
  started.instance = count_collective(call.writer(), *communicators::find_to_count(comm));
  call.writer().nonblocking_request(started.id, call.entry());
  requests::keep(request, started);
}

}  // namespace latecomer::mpi
