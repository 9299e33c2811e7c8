// SPDX-License-Identifier: BSD-3-Clause
// Part of a recorded call: one-sided communication.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "tracer/record/writer.hpp"
#include "tracer/state/mpi_state.hpp"

namespace latecomer::mpi {

// Records transfers and epochs. A transfer without a request is complete after the call that ends
// the epoch, or a flush.
class OneSidedCalls {
 public:
  void put(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request = nullptr);
  void get(MPI_Win win, int target, std::uint64_t bytes, const MPI_Request* request = nullptr);
  void atomic(std::uint32_t type, MPI_Win win, int target, std::uint64_t sent,
              std::uint64_t received, const MPI_Request* request = nullptr);
  void fence(int assertion, MPI_Win win);
  void open_epoch(MPI_Group group, MPI_Win win, bool access);
  void close_epoch(MPI_Win win, bool access);
  void lock(int type, int target, MPI_Win win);
  void unlock(int target, MPI_Win win);
  void flush(int target, MPI_Win win, bool there);  // `there`: complete at the target, too
  void sync(MPI_Win win);

 protected:
  OneSidedCalls() = default;
  ~OneSidedCalls() = default;

 private:
  enum class Completion : std::uint8_t { kHere, kThere, kEpoch };
  WindowInfo* transfer(MPI_Win win, int target, const MPI_Request* request, bool distant,
                       record::RequestId& id);
  void complete_transfers(WindowInfo& window, int target, Completion how);
  void complete_all_transfers(WindowInfo& window, Completion how);
};

}  // namespace latecomer::mpi
