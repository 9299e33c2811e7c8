// SPDX-License-Identifier: BSD-3-Clause
// Requests that have a common handle, in the order of their starts.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "tracer/mpi/requests.hpp"

namespace latecomer::mpi {

// They are complete, so which of them is taken when the program waits for one makes little
// difference. The oldest that this thread has started is what most programs mean; another one may
// even have begun after the wait was over.
//
// MT: any thread; there is a lock where several threads may call MPI at the same time.
class SharedRequests {
 public:
  // False: memory is exhausted.
  bool push(const Request& request);
  bool push(Request::Kind kind, record::RequestId id, record::CommId comm);
  // Nothing: there is none, as for a send to MPI_PROC_NULL.
  std::optional<Request> pop();

  // The same without a copy, where only one thread calls MPI: null if there is none.
  [[nodiscard]] Request* first() { return count_ == 0 ? nullptr : &at(0).request; }
  void drop_first() {
    first_ = (first_ + 1) & (capacity_ - 1);
    --count_;
  }

  // The queue of a handle.
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
