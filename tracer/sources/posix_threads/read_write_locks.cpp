// SPDX-License-Identifier: BSD-3-Clause
// Read-write locks. Whoever unlocks one may let several threads go on, or none yet, if others still
// read. The last unlock before a thread got the lock counts.
#include <cerrno>

#include "tracer/sources/posix_threads/mutexes.hpp"
#include "tracer/sources/posix_threads/possible_times.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {
namespace {

template <typename Wait>
int wait_for_taken(Call function, const void* lock, const callpath::CallPlace& place, Wait&& wait) {
  session::note_wanted(lock);
  const int result = wait_for_other(function, lock, place, wait, 0);
  session::note_wanted(nullptr);
  return result;
}

[[gnu::noinline]] int unlock_watched(pthread_rwlock_t* lock, const callpath::CallPlace& place) {
  return wake_up(Call::k_pthread_rwlock_unlock, lock, place,
                 [=] { return LATECOMER_NEXT(pthread_rwlock_unlock)(lock); });
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

// First tries to get the lock with `attempt`.
#define LATECOMER_LOCK(function, attempt, possible, lock, ...)                                 \
  const auto wait = [=] { return LATECOMER_NEXT(function)(lock __VA_OPT__(, ) __VA_ARGS__); }; \
  if (!is_recording() || !(possible)) return wait();                                           \
  const int result = LATECOMER_NEXT(attempt)(lock);                                            \
  if (result != EBUSY) return held_if(result, lock);                                           \
  return held_if(wait_for_taken(Call::k_##function, lock, this_place(), wait), lock);

LATECOMER_REPLACED int pthread_rwlock_rdlock(pthread_rwlock_t* lock) noexcept {
    LATECOMER_LOCK(pthread_rwlock_rdlock, pthread_rwlock_tryrdlock, true, lock)}

LATECOMER_REPLACED int pthread_rwlock_wrlock(pthread_rwlock_t* lock) noexcept {
    LATECOMER_LOCK(pthread_rwlock_wrlock, pthread_rwlock_trywrlock, true, lock)}

LATECOMER_REPLACED
    int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
        LATECOMER_LOCK(pthread_rwlock_timedrdlock, pthread_rwlock_tryrdlock, is_possible(until),
                       lock, until)}

LATECOMER_REPLACED
    int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* until) noexcept {
        LATECOMER_LOCK(pthread_rwlock_timedwrlock, pthread_rwlock_trywrlock, is_possible(until),
                       lock, until)}

LATECOMER_REPLACED int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock,
                                                  const timespec* until) noexcept {
    LATECOMER_LOCK(pthread_rwlock_clockrdlock, pthread_rwlock_tryrdlock, is_possible(clock, until),
                   lock, clock, until)}

LATECOMER_REPLACED int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock,
                                                  const timespec* until) noexcept {
    LATECOMER_LOCK(pthread_rwlock_clockwrlock, pthread_rwlock_trywrlock, is_possible(clock, until),
                   lock, clock, until)}

LATECOMER_REPLACED int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) noexcept {
  const int result = LATECOMER_NEXT(pthread_rwlock_tryrdlock)(lock);
  return is_recording() ? held_if(result, lock) : result;
}

LATECOMER_REPLACED int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) noexcept {
  const int result = LATECOMER_NEXT(pthread_rwlock_trywrlock)(lock);
  return is_recording() ? held_if(result, lock) : result;
}

LATECOMER_REPLACED int pthread_rwlock_unlock(pthread_rwlock_t* lock) noexcept {
  latecomer::session::note_released(lock);
  if (!is_watched(lock)) [[likely]]
    return LATECOMER_NEXT(pthread_rwlock_unlock)(lock);
  return unlock_watched(lock, this_place());
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
