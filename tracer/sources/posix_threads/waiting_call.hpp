// SPDX-License-Identifier: BSD-3-Clause
// A call that makes a thread wait, or lets another one go on: whether it is recorded, and its
// records.
//
//   WaitingCall call(Call::k_pthread_mutex_lock, place);
//   if (!call) return LATECOMER_NEXT(pthread_mutex_lock)(mutex);
//   call.enter();
//   const int result = call.inside([&] { return LATECOMER_NEXT(pthread_mutex_lock)(mutex); });
//   ...                                       // more records by call.writer()
//
// The region is left at the end of the scope. So it is left, too, if the thread is cancelled while
// it waits: then the stack is unwound. Nothing here changes errno.
//
// The program may hold any lock meanwhile. What is allocated here, and the locks that are taken,
// are none that a lock of the program may wait for: must_pass() keeps calls by allocators away.
#pragma once

#include <cstdint>

#include "tracer/session/process/session.hpp"
#include "tracer/sources/blocking/blocking_call.hpp"
#include "tracer/sources/posix_threads/call_places.hpp"

namespace latecomer::posix {

// True between MPI_Init and MPI_Finalize, unless the user does not want it.
[[gnu::always_inline]] inline bool is_recording() {
  const Process& p = process();
  return p.posix.is_recorded.load(std::memory_order_relaxed) &&
         p.session.phase.load(std::memory_order_relaxed) == session::detail::Phase::kRunning;
}

using blocking::Function;
using blocking::is_in_handler;
using blocking::this_place;

// Runs a call that is not recorded, and notes where it was blocked.
template <typename Wait>
[[gnu::always_inline]] inline auto unrecorded(Function function, const callpath::CallPlace& place,
                                              Wait&& wait) {
  return blocking::blocking_call(function, place, wait);
}

class WaitingCall {
 public:
  // Finds out whether the call is recorded, and its region. That may allocate, and take samples of
  // what was computed before.
  WaitingCall(Call call, const callpath::CallPlace& place);
  ~WaitingCall() {
    if (entered_) leave();
  }
  WaitingCall(const WaitingCall&) = delete;
  WaitingCall& operator=(const WaitingCall&) = delete;

  explicit operator bool() const { return writer_ != nullptr; }
  // The writer before the call; null: the call is not recorded.
  [[nodiscard]] ThreadWriter* recorder() const { return writer_; }

  void enter() { enter(session::now()); }
  void enter(session::Ticks t) {
    writer_->enter(region_, t);
    entered_ = true;
  }
  // Runs what waits. Nothing in it is recorded.
  template <typename Wait>
  auto inside(Wait&& wait) {
    const session::Suspend suspend(writer_);
    return wait();
  }
  // The writer after a wait. Null: recording has ended meanwhile.
  [[nodiscard]] static ThreadWriter* writer() { return session::writer(); }

 private:
  void leave() {
    if (ThreadWriter* const w = writer(); w != nullptr) w->leave(region_, session::now());
  }

  ThreadWriter* writer_ = nullptr;
  RegionId region_ = 0;
  bool entered_ = false;
};

}  // namespace latecomer::posix
