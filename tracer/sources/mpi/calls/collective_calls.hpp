// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: collective operations.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/sources/mpi/objects/volumes.hpp"

namespace latecomer::mpi {

// Records collective operations of the call.
class CollectiveCalls {
 public:
  void collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume);
  // A neighborhood does not synchronize all processes, so clocks are not measured at these
  // operations.
  void neighbor_collective(std::uint32_t op, MPI_Comm comm, const Volume& volume);
  void collective_init(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume,
                       const MPI_Request* request);
  void start_collective(std::uint32_t op, MPI_Comm comm, int root, const Volume& volume,
                        const MPI_Request* request);

 protected:
  CollectiveCalls() = default;
  ~CollectiveCalls() = default;

 private:
  friend class Call;
  bool everybody_ = false;  // it was a blocking collective operation over all processes
};

}  // namespace latecomer::mpi
