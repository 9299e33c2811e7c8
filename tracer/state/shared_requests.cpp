// SPDX-License-Identifier: BSD-3-Clause
// Queues of requests with a shared handle: rings that grow.
#include "tracer/state/shared_requests.hpp"

#include <sched.h>

#include <cstdlib>

#include "tracer/state/process.hpp"
#include "tracer/state/thread_state.hpp"

namespace latecomer::mpi {

namespace {

const void* this_thread() { return &session::detail::thread_state; }
bool several_threads() { return process().mpi.requests.several_threads; }

}  // namespace

// Yields instead of sleeping, since the lock is held for a few instructions only.
class SharedRequests::Lock {
 public:
  explicit Lock(SharedRequests& queue) : queue_(queue) {
    if (!several_threads()) return;
    while (__atomic_test_and_set(&queue_.locked_, __ATOMIC_ACQUIRE)) sched_yield();
  }
  ~Lock() {
    if (several_threads()) __atomic_clear(&queue_.locked_, __ATOMIC_RELEASE);
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  SharedRequests& queue_;
};

SharedRequests& SharedRequests::of(MPI_Request request) {
  auto& queues = process().mpi.requests.shared;
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
  entry.request.begin(kind, id, comm, 0, 0);
  entry.thread = this_thread();
  return true;
}

std::optional<Request> SharedRequests::pop() {
  const Lock lock(*this);
  if (count_ == 0) return std::nullopt;
  std::size_t place = 0;
  if (several_threads()) {
    while (place < count_ && at(place).thread != this_thread()) ++place;
    if (place == count_) place = 0;  // it was started by another thread
  }
  const std::optional<Request> request = at(place).request;
  // The entries before it move up by one, so the first place becomes free.
  for (; place > 0; --place) at(place) = at(place - 1);
  drop_first();
  return request;
}

}  // namespace latecomer::mpi
