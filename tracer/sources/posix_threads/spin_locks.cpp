// SPDX-License-Identifier: BSD-3-Clause
// Spin locks. A thread that waits for one computes all the time, but to no purpose.
#include <cerrno>

#include "tracer/sources/posix_threads/mutexes.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {
namespace {

[[gnu::noinline]] int lock_taken(pthread_spinlock_t* lock, const callpath::CallPlace& place) {
  return wait_for_lock(Call::k_pthread_spin_lock, const_cast<const int*>(lock), place,
                       [=] { return LATECOMER_NEXT(pthread_spin_lock)(lock); });
}

[[gnu::noinline]] int unlock_watched(pthread_spinlock_t* lock, const callpath::CallPlace& place) {
  return unlock(Call::k_pthread_spin_unlock, watched_lock(const_cast<const int*>(lock)), place,
                [=] { return LATECOMER_NEXT(pthread_spin_unlock)(lock); });
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int pthread_spin_lock(pthread_spinlock_t* lock) noexcept {
  if (!is_recording()) return LATECOMER_NEXT(pthread_spin_lock)(lock);
  const int result = LATECOMER_NEXT(pthread_spin_trylock)(lock);
  return held_if(result != EBUSY ? result : lock_taken(lock, this_place()), lock);
}

LATECOMER_REPLACED int pthread_spin_trylock(pthread_spinlock_t* lock) noexcept {
  const int result = LATECOMER_NEXT(pthread_spin_trylock)(lock);
  return is_recording() ? held_if(result, lock) : result;
}

LATECOMER_REPLACED int pthread_spin_unlock(pthread_spinlock_t* lock) noexcept {
  latecomer::session::note_released(lock);
  if (!is_watched(const_cast<const int*>(lock))) [[likely]]
    return LATECOMER_NEXT(pthread_spin_unlock)(lock);
  return unlock_watched(lock, this_place());
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
