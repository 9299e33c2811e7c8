// SPDX-License-Identifier: BSD-3-Clause
// Names of collective operations.
#pragma once

#include <string_view>

#include "patterns/calls/collective_class.hpp"

namespace latecomer::patterns {

// The MPI function in lower case, without "MPI_"; empty for a number that no operation has.
[[nodiscard]] constexpr std::string_view name(CollectiveOperation operation) {
  using enum CollectiveOperation;
  switch (operation) {
    case kBarrier:
      return "barrier";
    case kBcast:
      return "bcast";
    case kGather:
      return "gather";
    case kGatherv:
      return "gatherv";
    case kScatter:
      return "scatter";
    case kScatterv:
      return "scatterv";
    case kAllgather:
      return "allgather";
    case kAllgatherv:
      return "allgatherv";
    case kAlltoall:
      return "alltoall";
    case kAlltoallv:
      return "alltoallv";
    case kAlltoallw:
      return "alltoallw";
    case kAllreduce:
      return "allreduce";
    case kReduce:
      return "reduce";
    case kReduceScatter:
      return "reduce_scatter";
    case kScan:
      return "scan";
    case kExscan:
      return "exscan";
    case kReduceScatterBlock:
      return "reduce_scatter_block";
    case kNeighborhood:
      return "neighborhood";
    case kWindowCreate:
      return "window_create";
    case kWindowFree:
      return "window_free";
    case kFence:
      return "fence";
    case kFileOpen:
      return "file_open";
    case kFileClose:
      return "file_close";
    case kFileSync:
      return "file_sync";
    case kFileRead:
      return "file_read";
    case kFileWrite:
      return "file_write";
    case kFileReadEnd:
      return "file_read_end";
    case kFileWriteEnd:
      return "file_write_end";
    case kFileSet:
      return "file_set";
  }
  return "";
}

}  // namespace latecomer::patterns
