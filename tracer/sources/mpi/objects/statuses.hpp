// SPDX-License-Identifier: BSD-3-Clause
// Facts about a message from its status.
#pragma once

#include <mpi.h>

#include "tracer/record/writer.hpp"

namespace latecomer::mpi {

inline std::uint64_t received_bytes(const MPI_Status& status) {
#if defined(MPICH_VERSION)
  // Layout that the common ABI of MPICH fixes: the number of bytes, with bit 0 of the upper half
  // for a cancelled message.
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

// The size of a truncated message is unknown; 0 is recorded.
inline record::Message message_of(record::CommId comm, const MPI_Status& status, int error) {
  return {comm, status.MPI_SOURCE, status.MPI_TAG,
          error == MPI_SUCCESS ? received_bytes(status) : 0};
}

// The message was received, though perhaps not all of it.
[[nodiscard]] inline bool arrived(int error) {
  if (error == MPI_SUCCESS) return true;
  int code = MPI_SUCCESS;
  PMPI_Error_class(error, &code);
  return code == MPI_ERR_TRUNCATE;
}

// Bytes that an operation on a file has read or written.
[[nodiscard]] inline std::uint64_t file_bytes(const MPI_Status* status, int error) {
  if (error != MPI_SUCCESS || status == MPI_STATUS_IGNORE) return 0;
  return received_bytes(*status);
}

}  // namespace latecomer::mpi
