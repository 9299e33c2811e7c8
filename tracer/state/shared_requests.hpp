// SPDX-License-Identifier: BSD-3-Clause
// Requests that share a handle, in the order of their starts.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "tracer/state/request.hpp"

namespace latecomer::mpi {

// All of them are complete, so it makes little difference which one is taken when the program waits
// for one. Most programs mean the oldest that this thread has started. A request of another thread
// may even have begun after the wait was over.
//
// MT: any thread; a lock is taken if several threads may call MPI at the same time.
class SharedRequests {
 public:
  // Appends a request. False: memory is exhausted.
  bool push(const Request& request);
  bool push(Request::Kind kind, record::RequestId id, record::CommId comm);
  // Removes a request. Empty if there is none, as for a send to MPI_PROC_NULL.
  std::optional<Request> pop();

  // The oldest request without a copy, if only one thread calls MPI; null if there is none.
  [[nodiscard]] Request* first() { return count_ == 0 ? nullptr : &at(0).request; }
  void drop_first() {
    first_ = (first_ + 1) & (capacity_ - 1);
    --count_;
  }

  // Queue of the requests with this handle.
  static SharedRequests& of(MPI_Request request);

 private:
  class Lock;
  struct Entry {
    Request request;
    const void* thread;
  };
  Entry& at(std::size_t place) { return ring_[(first_ + place) & (capacity_ - 1)]; }
  bool grow();

  bool locked_ = false;
  Entry* ring_ = nullptr;
  std::size_t capacity_ = 0;  // a power of two
  std::size_t first_ = 0, count_ = 0;
};

}  // namespace latecomer::mpi
