// SPDX-License-Identifier: BSD-3-Clause
// Conditions. A wait releases the mutex, and has it again at its end, also if the thread is
// cancelled.
#include "tracer/sources/posix_threads/mutexes.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {
namespace {

// The mutex is released inside the call. Others may wait for it.
void release(const pthread_mutex_t* mutex, ThreadWriter* writer) {
  if (!is_watched(mutex)) return;
  if (WaitTable::Object* const object = watched_mutex(mutex); object != nullptr) {
    record_release(*object, writer, writer == nullptr ? 0 : session::now());
  }
}

template <typename Wait>
int wait_for(Call function, pthread_cond_t* condition, pthread_mutex_t* mutex,
             const callpath::CallPlace& place, Wait&& wait) {
  WaitingCall call(function, place);
  WaitTable::Object* const object = call ? object_at(condition) : nullptr;
  if (object == nullptr) {
    release(mutex, nullptr);
    return wait();
  }
  call.enter();
  release(mutex, WaitingCall::writer());
  const Waiting waiting(*object);
  const int result = call.inside(wait);
  if (result == 0) waiting.record_woken(WaitingCall::writer(), session::now());
  return result;
}

[[gnu::noinline]] int signal(pthread_cond_t* condition, const callpath::CallPlace& place) {
  return wake_up(Call::k_pthread_cond_signal, condition, place,
                 [=] { return LATECOMER_NEXT(pthread_cond_signal)(condition); });
}

[[gnu::noinline]] int broadcast(pthread_cond_t* condition, const callpath::CallPlace& place) {
  return wake_up(Call::k_pthread_cond_broadcast, condition, place,
                 [=] { return LATECOMER_NEXT(pthread_cond_broadcast)(condition); });
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_cond_wait)(condition, mutex); };
  if (!is_recording()) return wait();
  return wait_for(Call::k_pthread_cond_wait, condition, mutex, this_place(), wait);
}

LATECOMER_REPLACED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              const timespec* until) {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_cond_timedwait)(condition, mutex, until); };
  if (!is_recording()) return wait();
  return wait_for(Call::k_pthread_cond_timedwait, condition, mutex, this_place(), wait);
}

LATECOMER_REPLACED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              clockid_t clock, const timespec* until) {
  const auto wait = [=] {
    return LATECOMER_NEXT(pthread_cond_clockwait)(condition, mutex, clock, until);
  };
  if (!is_recording()) return wait();
  return wait_for(Call::k_pthread_cond_clockwait, condition, mutex, this_place(), wait);
}

LATECOMER_REPLACED int pthread_cond_signal(pthread_cond_t* condition) noexcept {
  if (!is_watched(condition)) [[likely]]
    return LATECOMER_NEXT(pthread_cond_signal)(condition);
  return signal(condition, this_place());
}

LATECOMER_REPLACED int pthread_cond_broadcast(pthread_cond_t* condition) noexcept {
  if (!is_watched(condition)) [[likely]]
    return LATECOMER_NEXT(pthread_cond_broadcast)(condition);
  return broadcast(condition, this_place());
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
