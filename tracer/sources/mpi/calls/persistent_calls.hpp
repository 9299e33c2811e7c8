// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: persistent operations and partitioned messages.
#pragma once

#include <mpi.h>

#include <cstdint>

namespace latecomer::mpi {

// Describes operations when they are made, and records them when they start.
class PersistentCalls {
 public:
  // Persistent operations.
  void send_init(int dest, int tag, MPI_Comm comm, std::uint64_t bytes, const MPI_Request* request);
  void recv_init(int source, int tag, MPI_Comm comm, const MPI_Request* request);
  void start(int count, const MPI_Request* requests);

  // Partitioned: a message is complete when its last partition is, so that call sends it.
  void partitioned_send_init(int dest, int tag, MPI_Comm comm, int partitions,
                             std::uint64_t partition_bytes, const MPI_Request* request);
  void partitioned_recv_init(int source, int tag, MPI_Comm comm, int partitions,
                             std::uint64_t partition_bytes, const MPI_Request* request);
  void ready(int partitions, MPI_Request request);

 protected:
  PersistentCalls() = default;
  ~PersistentCalls() = default;
};

}  // namespace latecomer::mpi
