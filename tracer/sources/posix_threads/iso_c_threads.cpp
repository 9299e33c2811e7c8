// SPDX-License-Identifier: BSD-3-Clause
// Threads, mutexes and conditions of ISO C (threads.h). In the C library they are those of POSIX,
// but its functions do not call the ones that are replaced here.
#include <threads.h>

#include "tracer/sources/posix_threads/conditions.hpp"
#include "tracer/sources/posix_threads/mutexes.hpp"
#include "tracer/sources/posix_threads/possible_times.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"
#include "tracer/sources/posix_threads/thread_life.hpp"
#include "tracer/sources/posix_threads/wake_ups.hpp"

namespace latecomer::posix {
namespace {

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t));
const pthread_mutex_t* mutex_in(const mtx_t* mutex) {
  return reinterpret_cast<const pthread_mutex_t*>(mutex);
}

[[gnu::noinline]] int lock_taken(mtx_t* mutex, const callpath::CallPlace& place) {
  return wait_for_lock(Call::k_mtx_lock, mutex, place,
                       [=] { return LATECOMER_NEXT(mtx_lock)(mutex); });
}
[[gnu::noinline]] int lock_taken(mtx_t* mutex, const timespec* until,
                                 const callpath::CallPlace& place) {
  return wait_for_lock(Call::k_mtx_timedlock, mutex, place,
                       [=] { return LATECOMER_NEXT(mtx_timedlock)(mutex, until); });
}

[[gnu::noinline]] int unlock_watched(mtx_t* mutex, const callpath::CallPlace& place) {
  return unlock(Call::k_mtx_unlock, watched_mutex(mutex_in(mutex)), place,
                [=] { return LATECOMER_NEXT(mtx_unlock)(mutex); });
}

[[gnu::noinline]] int signal(cnd_t* condition, const callpath::CallPlace& place) {
  return wake_up(Call::k_cnd_signal, condition, place,
                 [=] { return LATECOMER_NEXT(cnd_signal)(condition); });
}
[[gnu::noinline]] int broadcast(cnd_t* condition, const callpath::CallPlace& place) {
  return wake_up(Call::k_cnd_broadcast, condition, place,
                 [=] { return LATECOMER_NEXT(cnd_broadcast)(condition); });
}

// The functions with which recorded threads begin.
[[gnu::section("latecomer_pass")]] int run_thread(void* argument) {
  const Begin begin = taken(argument);
  begin_thread(begin);
  return reinterpret_cast<thrd_start_t>(begin.function)(begin.argument);
}
[[gnu::section("latecomer_pass")]] int run_early_thread(void* argument) {
  const Begin begin = taken(argument);
  const EarlyEnd end;
  begin_thread(begin);
  return reinterpret_cast<thrd_start_t>(begin.function)(begin.argument);
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int thrd_create(thrd_t* thread, thrd_start_t function, void* argument) {
  return create_thread(
      Call::k_thrd_create, thread, reinterpret_cast<std::uintptr_t>(function), argument,
      this_place(), [=] { return LATECOMER_NEXT(thrd_create)(thread, function, argument); },
      [=](Begin* begin) {
        return LATECOMER_NEXT(thrd_create)(thread, begin->is_early ? run_early_thread : run_thread,
                                           begin);
      });
}

LATECOMER_REPLACED int thrd_join(thrd_t thread, int* result) {
  const auto wait = [=] { return LATECOMER_NEXT(thrd_join)(thread, result); };
  if (!is_recording()) return wait();
  return join_thread(Call::k_thrd_join, thread, this_place(), wait);
}

LATECOMER_REPLACED int mtx_lock(mtx_t* mutex) {
  if (!is_recording()) return LATECOMER_NEXT(mtx_lock)(mutex);
  const int result = LATECOMER_NEXT(mtx_trylock)(mutex);
  return held_if(result != thrd_busy ? result : lock_taken(mutex, this_place()), mutex);
}

LATECOMER_REPLACED int mtx_timedlock(mtx_t* mutex, const timespec* until) {
  if (!is_recording() || !is_possible(until)) return LATECOMER_NEXT(mtx_timedlock)(mutex, until);
  const int result = LATECOMER_NEXT(mtx_trylock)(mutex);
  return held_if(result != thrd_busy ? result : lock_taken(mutex, until, this_place()), mutex);
}

LATECOMER_REPLACED int mtx_trylock(mtx_t* mutex) {
  const int result = LATECOMER_NEXT(mtx_trylock)(mutex);
  return is_recording() ? held_if(result, mutex) : result;
}

LATECOMER_REPLACED int mtx_unlock(mtx_t* mutex) {
  latecomer::session::note_released(mutex);
  if (!is_watched(mutex)) [[likely]]
    return LATECOMER_NEXT(mtx_unlock)(mutex);
  return unlock_watched(mutex, this_place());
}

LATECOMER_REPLACED int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  const auto wait = [=] { return LATECOMER_NEXT(cnd_wait)(condition, mutex); };
  if (!is_recording()) return wait();
  return wait_for_condition(Call::k_cnd_wait, condition, mutex_in(mutex), this_place(), wait);
}

LATECOMER_REPLACED int cnd_timedwait(cnd_t* condition, mtx_t* mutex, const timespec* until) {
  const auto wait = [=] { return LATECOMER_NEXT(cnd_timedwait)(condition, mutex, until); };
  if (!is_recording()) return wait();
  return wait_for_condition(Call::k_cnd_timedwait, condition, mutex_in(mutex), this_place(), wait);
}

LATECOMER_REPLACED int cnd_signal(cnd_t* condition) {
  if (!is_watched(condition)) [[likely]]
    return LATECOMER_NEXT(cnd_signal)(condition);
  return signal(condition, this_place());
}

LATECOMER_REPLACED int cnd_broadcast(cnd_t* condition) {
  if (!is_watched(condition)) [[likely]]
    return LATECOMER_NEXT(cnd_broadcast)(condition);
  return broadcast(condition, this_place());
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
