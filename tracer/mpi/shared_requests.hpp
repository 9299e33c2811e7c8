// SPDX-License-Identifier: BSD-3-Clause
// Requests that have a common handle, in the order of their starts.
#pragma once

#include <mpi.h>

#include <cstddef>

#include "tracer/mpi/requests.hpp"

namespace latecomer::mpi {

// They are complete, so which of them is taken when the program waits for one makes no difference;
// the oldest is what most programs mean.
//
// MT: any thread; there is a lock where several threads may call MPI at the same time.
class SharedRequests {
 public:
  // False: memory is exhausted.
  bool push(const Request& request);
  // False: there is none, as for a send to MPI_PROC_NULL.
  bool pop(Request& request);

  // The queue of a handle.
  static SharedRequests& of(MPI_Request request);

 private:
  class Lock;
  bool grow();
  void forget_old();

  bool locked_ = false;
  std::uint32_t generation_ = 0;  // of the session: what was started before recording was switched
                                  // off may have been completed since
  Request* ring_ = nullptr;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace latecomer::mpi
