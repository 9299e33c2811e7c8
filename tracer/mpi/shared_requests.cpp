// SPDX-License-Identifier: BSD-3-Clause
// Queues of requests with a shared handle: rings that grow.
#include "tracer/mpi/shared_requests.hpp"

#include <sched.h>

#include <array>
#include <cstdlib>

#include "tracer/session/process/session.hpp"

namespace latecomer::mpi {

namespace {
const void* this_thread() { return &session::detail::thread_state; }
}  // namespace

// Yields instead of sleeping, since the lock is held for a few instructions only.
class SharedRequests::Lock {
 public:
  explicit Lock(SharedRequests& queue) : queue_(queue) {
    if (!requests::threads) return;
    while (__atomic_test_and_set(&queue_.locked_, __ATOMIC_ACQUIRE)) sched_yield();
  }
  ~Lock() {
    if (requests::threads) __atomic_clear(&queue_.locked_, __ATOMIC_RELEASE);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  SharedRequests& queue_;
};

SharedRequests& SharedRequests::of(MPI_Request request) {
  // MPICH numbers these handles from 0, one per kind of operation; there are 14 in 4.0.
  static constinit std::array<SharedRequests, 16> queues;
  return queues[key_of(request) % queues.size()];
}

bool SharedRequests::grow() {
  const std::size_t larger = capacity_ == 0 ? 64 : capacity_ * 2;
  auto* ring = static_cast<Entry*>(std::malloc(larger * sizeof(Entry)));
  if (ring == nullptr) return false;
  for (std::size_t i = 0; i < count_; ++i) ring[i] = at(i);
  std::free(ring_);
  ring_ = ring;
  capacity_ = larger;
  first_ = 0;
  return true;
}

bool SharedRequests::push(const Request& request) {
  const Lock lock(*this);
  if (count_ == capacity_ && !grow()) return false;
  at(count_++) = {request, this_thread()};
  return true;
}

bool SharedRequests::push(Request::Kind kind, record::RequestId id, record::CommId comm) {
  const Lock lock(*this);
  if (count_ == capacity_ && !grow()) return false;
  Entry& entry = at(count_++);
  entry.request.begin(kind, id, comm);
  entry.thread = this_thread();
  return true;
}

std::optional<Request> SharedRequests::pop() {
  const Lock lock(*this);
  if (count_ == 0) return std::nullopt;
  std::size_t place = 0;
  if (requests::threads) {
    while (place < count_ && at(place).thread != this_thread()) ++place;
    if (place == count_) place = 0;  // it was started by another thread
  }
  const std::optional<Request> request = at(place).request;
  // The entries before it move up by one, so the first place becomes free.
  for (; place > 0; --place) at(place) = at(place - 1);
  drop_first();
  return request;
}

bool requests::keep_shared(MPI_Request handle, Request::Kind kind, record::RequestId id,
                           record::CommId comm) {
  if (SharedRequests::of(handle).push(kind, id, comm)) return true;
  session::lost("requests");
  return false;
}

bool requests::keep_shared(MPI_Request handle, const Request& request) {
  if (SharedRequests::of(handle).push(request)) return true;
  session::lost("requests");
  return false;
}

}  // namespace latecomer::mpi
