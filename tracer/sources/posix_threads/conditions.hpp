// SPDX-License-Identifier: BSD-3-Clause
// Waits for conditions. A wait releases the mutex, and has it again at its end, also if the thread
// is cancelled.
#pragma once

#include "tracer/sources/posix_threads/mutexes.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {

// The thread does not hold the mutex while it waits, but afterwards, also if it is cancelled.
class NotHeld {
 public:
  explicit NotHeld(const void* mutex) : mutex_(mutex) { session::note_released(mutex); }
  ~NotHeld() { session::note_held(mutex_); }
  NotHeld(const NotHeld&) = delete;
  NotHeld& operator=(const NotHeld&) = delete;

 private:
  const void* mutex_;
};

// The mutex is released inside the call. Others may wait for it. `writer` may be null.
inline void release_inside(const pthread_mutex_t* mutex, ThreadWriter* writer) {
  if (!is_watched(mutex)) return;
  if (WaitTable::Object* const object = watched_mutex(mutex); object != nullptr) {
    record_release(*object, writer, writer == nullptr ? 0 : session::now());
  }
}

template <typename Wait>
int wait_for_condition(Call function, const void* condition, const pthread_mutex_t* mutex,
                       const callpath::CallPlace& place, Wait&& wait) {
  const NotHeld not_held(mutex);
  WaitingCall call(function, place);
  WaitTable::Object* const object = call ? object_at(condition) : nullptr;
  if (object == nullptr) {
    release_inside(mutex, nullptr);
    return wait();
  }
  call.enter();
  release_inside(mutex, WaitingCall::writer());
  const Waiting waiting(*object);
  const int result = call.inside(wait);
  if (result == 0) waiting.record_woken(WaitingCall::writer(), session::now());
  return result;
}

}  // namespace latecomer::posix
