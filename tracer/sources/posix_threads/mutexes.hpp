// SPDX-License-Identifier: BSD-3-Clause
// Records of mutexes and spin locks, at calls for them and for conditions.
#pragma once

#include <pthread.h>

#include <cerrno>

#include "tracer/record/extended.hpp"
#include "tracer/sources/posix_threads/waiting_call.hpp"

namespace latecomer::posix {

// True if a call that locks a mutex may wait, although it is taken. A mutex that checks for errors
// refuses to be locked twice.
[[nodiscard]] bool may_wait(const pthread_mutex_t* mutex);

// The thread, which has the lock now, has waited for it and recorded that: its unlock will be
// recorded. `writer` may be null.
void record_acquired(WaitTable::Object& object, ThreadWriter* writer, session::Ticks t);

// The lock, if others have to know that it is unlocked; else null.
[[nodiscard]] WaitTable::Object* watched_lock(const void* lock);
// The same for a mutex, if the thread is about to unlock it.
[[nodiscard]] WaitTable::Object* watched_mutex(const pthread_mutex_t* mutex);

// Call it while the lock is held. `writer` may be null.
void record_release(WaitTable::Object& object, ThreadWriter* writer, session::Ticks t);

// Remembers that the thread holds the lock, if it got it; returns `result`.
[[gnu::always_inline]] inline int held_if(int result, const volatile void* lock) {
  if (result == 0 || result == EOWNERDEAD) session::note_held(lock);
  return result;
}

// Waits for a lock that is taken.
template <typename Wait>
int wait_for_lock(Call function, const void* lock, const callpath::CallPlace& place, Wait&& wait) {
  WaitingCall call(function, place);
  if (!call) return wait();
  WaitTable& objects = process().posix.objects;
  const auto address = reinterpret_cast<std::uintptr_t>(lock);
  WaitTable::Object* const object = objects.find(address);
  if (object == nullptr) {
    process().posix.without_room.fetch_add(1, std::memory_order_relaxed);
    return wait();
  }
  call.enter();
  object->waiting.fetch_add(1);
  objects.watch(address);
  session::note_wanted(lock);
  const int result = call.inside(wait);
  session::note_wanted(nullptr);
  object->waiting.fetch_sub(1);
  if (result == 0 || result == EOWNERDEAD) {
    record_acquired(*object, WaitingCall::writer(), session::now());
  } else {
    objects.unwatch(address);
  }
  return result;
}

// Calls `give`, which unlocks, with a record unless `object` is null.
template <typename Give>
int unlock(Call function, WaitTable::Object* object, const callpath::CallPlace& place,
           Give&& give) {
  if (object == nullptr) return give();
  WaitingCall call(function, place);
  const session::Ticks t = call ? session::now() : 0;
  if (call) call.enter(t);
  record_release(*object, call.recorder(), t);
  return give();
}

}  // namespace latecomer::posix
