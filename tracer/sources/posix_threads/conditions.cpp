// SPDX-License-Identifier: BSD-3-Clause
// Conditions.
#include "tracer/sources/posix_threads/conditions.hpp"

#include "tracer/sources/posix_threads/mutexes.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {
namespace {

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
  if (!is_recording()) return unrecorded(Function::k_pthread_cond_wait, this_place(), wait);
  return wait_for_condition(Call::k_pthread_cond_wait, condition, mutex, this_place(), wait);
}

LATECOMER_REPLACED int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              const timespec* until) {
  const auto wait = [=] { return LATECOMER_NEXT(pthread_cond_timedwait)(condition, mutex, until); };
  if (!is_recording()) return unrecorded(Function::k_pthread_cond_timedwait, this_place(), wait);
  return wait_for_condition(Call::k_pthread_cond_timedwait, condition, mutex, this_place(), wait);
}

LATECOMER_REPLACED int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex,
                                              clockid_t clock, const timespec* until) {
  const auto wait = [=] {
    return LATECOMER_NEXT(pthread_cond_clockwait)(condition, mutex, clock, until);
  };
  if (!is_recording()) return unrecorded(Function::k_pthread_cond_clockwait, this_place(), wait);
  return wait_for_condition(Call::k_pthread_cond_clockwait, condition, mutex, this_place(), wait);
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
