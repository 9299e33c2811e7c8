// SPDX-License-Identifier: BSD-3-Clause
// Mutexes. Acquisitions are counted while the mutex is held, so their numbers are in their order.
//
// A thread that finds the mutex free has no record of that. If others wait when it unlocks the
// mutex, that has a record: they wait for this thread. A thread that has waited itself has records
// of both.
#include "tracer/sources/posix_threads/mutexes.hpp"

#include <unistd.h>

#include <cerrno>

#include "tracer/sources/posix_threads/possible_times.hpp"
#include "tracer/sources/posix_threads/thread_functions.hpp"

namespace latecomer::posix {
namespace {

using Object = WaitTable::Object;

// Kinds of mutexes, and the bit of robust ones, as the C library's macros for initial values have
// them.
constexpr int kKindMask = 3, kRobust = 16;

bool is_owner(const pthread_mutex_t* mutex) { return mutex->__data.__owner == gettid(); }

// False if the mutex stays locked, or if it is not this thread that has it.
bool will_release(const pthread_mutex_t* mutex) {
  const int kind = mutex->__data.__kind;
  if ((kind & kKindMask) == PTHREAD_MUTEX_RECURSIVE_NP && mutex->__data.__count > 1) return false;
  const bool is_plain = (kind & kKindMask) == PTHREAD_MUTEX_TIMED_NP ||
                        (kind & kKindMask) == PTHREAD_MUTEX_ADAPTIVE_NP;
  return (is_plain && (kind & kRobust) == 0) || is_owner(mutex);
}

void put(ThreadWriter* w, record::ExtendedKind kind, const Object& object, std::uint32_t order,
         session::Ticks t) {
  if (w == nullptr) return;
  const std::uint64_t word = record::two_halves(process().posix.objects.number(&object), order);
  w->extended(kind, t, {&word, 1});
}

}  // namespace

bool may_wait(const pthread_mutex_t* mutex) {
  const bool checks = (mutex->__data.__kind & kKindMask) == PTHREAD_MUTEX_ERRORCHECK_NP;
  return !checks || !is_owner(mutex);
}

void record_acquired(Object& object, ThreadWriter* writer, session::Ticks t) {
  const std::uint32_t order = object.number.fetch_add(1, std::memory_order_relaxed);
  object.is_held.store(true, std::memory_order_relaxed);
  put(writer, record::kMutexAcquired, object, order, t);
}

Object* watched_lock(const void* lock) {
  Object* const object = process().posix.objects.find_known(reinterpret_cast<std::uintptr_t>(lock));
  if (object == nullptr) return nullptr;
  const bool concerns = object->is_held.load(std::memory_order_relaxed) ||
                        object->waiting.load(std::memory_order_relaxed) != 0;
  return concerns ? object : nullptr;
}

Object* watched_mutex(const pthread_mutex_t* mutex) {
  Object* const object = watched_lock(mutex);
  return object != nullptr && will_release(mutex) ? object : nullptr;
}

void record_release(Object& object, ThreadWriter* writer, session::Ticks t) {
  if (object.is_held.exchange(false, std::memory_order_relaxed)) {
    put(writer, record::kMutexReleased, object, object.number.load(std::memory_order_relaxed) - 1,
        t);
    process().posix.objects.unwatch(object.address.load(std::memory_order_relaxed));
  } else {
    put(writer, record::kMutexGiven, object, object.number.fetch_add(1, std::memory_order_relaxed),
        t);
  }
}

namespace {

template <typename Wait>
int contended(Call function, pthread_mutex_t* mutex, const callpath::CallPlace& place,
              Wait&& wait) {
  return may_wait(mutex) ? wait_for_lock(function, mutex, place, wait) : wait();
}

[[gnu::noinline]] int lock_taken(pthread_mutex_t* mutex, const callpath::CallPlace& place) {
  return contended(Call::k_pthread_mutex_lock, mutex, place,
                   [=] { return LATECOMER_NEXT(pthread_mutex_lock)(mutex); });
}
[[gnu::noinline]] int lock_taken(pthread_mutex_t* mutex, const timespec* until,
                                 const callpath::CallPlace& place) {
  return contended(Call::k_pthread_mutex_timedlock, mutex, place,
                   [=] { return LATECOMER_NEXT(pthread_mutex_timedlock)(mutex, until); });
}
[[gnu::noinline]] int lock_taken(pthread_mutex_t* mutex, clockid_t clock, const timespec* until,
                                 const callpath::CallPlace& place) {
  return contended(Call::k_pthread_mutex_clocklock, mutex, place,
                   [=] { return LATECOMER_NEXT(pthread_mutex_clocklock)(mutex, clock, until); });
}

[[gnu::noinline]] int unlock_watched(pthread_mutex_t* mutex, const callpath::CallPlace& place) {
  return unlock(Call::k_pthread_mutex_unlock, watched_mutex(mutex), place,
                [=] { return LATECOMER_NEXT(pthread_mutex_unlock)(mutex); });
}

}  // namespace
}  // namespace latecomer::posix

using namespace latecomer::posix;  // NOLINT: the functions below are the C library's

// NOLINTBEGIN(readability-inconsistent-declaration-parameter-name): those of the C library are
// reserved names

LATECOMER_REPLACED int pthread_mutex_lock(pthread_mutex_t* mutex) noexcept {
  if (!is_recording()) {
    return unrecorded(Function::k_pthread_mutex_lock, this_place(),
                      [=] { return LATECOMER_NEXT(pthread_mutex_lock)(mutex); });
  }
  const int result = LATECOMER_NEXT(pthread_mutex_trylock)(mutex);
  return held_if(result != EBUSY ? result : lock_taken(mutex, this_place()), mutex);
}

LATECOMER_REPLACED int pthread_mutex_timedlock(pthread_mutex_t* mutex,
                                               const timespec* until) noexcept {
  if (!is_recording() || !is_possible(until)) {
    return unrecorded(Function::k_pthread_mutex_timedlock, this_place(),
                      [=] { return LATECOMER_NEXT(pthread_mutex_timedlock)(mutex, until); });
  }
  const int result = LATECOMER_NEXT(pthread_mutex_trylock)(mutex);
  return held_if(result != EBUSY ? result : lock_taken(mutex, until, this_place()), mutex);
}

LATECOMER_REPLACED int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock,
                                               const timespec* until) noexcept {
  if (!is_recording() || !is_possible(clock, until)) {
    return unrecorded(Function::k_pthread_mutex_clocklock, this_place(),
                      [=] { return LATECOMER_NEXT(pthread_mutex_clocklock)(mutex, clock, until); });
  }
  const int result = LATECOMER_NEXT(pthread_mutex_trylock)(mutex);
  return held_if(result != EBUSY ? result : lock_taken(mutex, clock, until, this_place()), mutex);
}

LATECOMER_REPLACED int pthread_mutex_trylock(pthread_mutex_t* mutex) noexcept {
  const int result = LATECOMER_NEXT(pthread_mutex_trylock)(mutex);
  return is_recording() ? held_if(result, mutex) : result;
}

LATECOMER_REPLACED int pthread_mutex_unlock(pthread_mutex_t* mutex) noexcept {
  latecomer::session::note_released(mutex);
  if (!latecomer::process().posix.objects.is_watched(reinterpret_cast<std::uintptr_t>(mutex)))
      [[likely]]
    return LATECOMER_NEXT(pthread_mutex_unlock)(mutex);
  return unlock_watched(mutex, this_place());
}

// NOLINTEND(readability-inconsistent-declaration-parameter-name)
