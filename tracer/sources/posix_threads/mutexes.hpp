// SPDX-License-Identifier: BSD-3-Clause
// Records of mutexes, at calls for mutexes and for conditions.
#pragma once

#include <pthread.h>

#include "tracer/sources/posix_threads/waiting_call.hpp"

namespace latecomer::posix {

// True if a call that locks a mutex may wait, although it is taken. A mutex that checks for errors
// refuses to be locked twice.
[[nodiscard]] bool may_wait(const pthread_mutex_t* mutex);

// The thread, which has the mutex now, has waited for it and recorded that: its unlock will be
// recorded. `writer` may be null.
void record_acquired(WaitTable::Object& object, ThreadWriter* writer, session::Ticks t);

// True if the thread is about to unlock a mutex, and others have to know that.
[[nodiscard]] WaitTable::Object* watched_mutex(const pthread_mutex_t* mutex);

// Call it while the mutex is held. `writer` may be null.
void record_release(WaitTable::Object& object, ThreadWriter* writer, session::Ticks t);

}  // namespace latecomer::posix
