// SPDX-License-Identifier: BSD-3-Clause
// What a status says of a message.
#pragma once

#include <mpi.h>

#include "tracer/record/writer.hpp"

namespace latecomer::mpi {

inline std::uint64_t received_bytes(const MPI_Status& status) {
#if defined(MPICH_VERSION)
  // What its ABI fixes for all that are compatible with it: bytes, and the lowest bit of the upper
  // half says that the message was cancelled.
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(status.count_hi_and_cancelled) >> 1)
             << 32 |
         static_cast<std::uint32_t>(status.count_lo);
#else
  int count = 0;
  PMPI_Get_count(&status, MPI_BYTE, &count);
  if (count >= 0) return static_cast<std::uint64_t>(count);
  MPI_Count large = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &large);
  return large > 0 ? static_cast<std::uint64_t>(large) : 0;
#endif
}

// Of a message that was truncated nobody knows how much came.
inline record::Message message_of(record::CommId comm, const MPI_Status& status, int error) {
  return {comm, status.MPI_SOURCE, status.MPI_TAG,
          error == MPI_SUCCESS ? received_bytes(status) : 0};
}

}  // namespace latecomer::mpi
