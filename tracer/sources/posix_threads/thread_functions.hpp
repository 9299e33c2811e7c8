// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the functions on threads that come after those of the measurement library: usually
// the C library's.
#pragma once

#include <pthread.h>
#include <semaphore.h>
#include <threads.h>

#include <cstddef>

#include "tracer/state/process.hpp"

namespace latecomer::posix {

// clang-format off
#define LATECOMER_THREAD_SYMBOLS(X, CONDITION) \
  X(pthread_create) X(pthread_join) X(pthread_timedjoin_np) X(pthread_clockjoin_np) \
  X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_timedlock) \
  X(pthread_mutex_clocklock) X(pthread_mutex_unlock) \
  CONDITION(pthread_cond_wait) CONDITION(pthread_cond_timedwait) X(pthread_cond_clockwait) \
  CONDITION(pthread_cond_signal) CONDITION(pthread_cond_broadcast) \
  X(pthread_rwlock_rdlock) X(pthread_rwlock_wrlock) X(pthread_rwlock_tryrdlock) \
  X(pthread_rwlock_trywrlock) X(pthread_rwlock_timedrdlock) X(pthread_rwlock_timedwrlock) \
  X(pthread_rwlock_clockrdlock) X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) \
  X(pthread_barrier_init) X(pthread_barrier_wait) \
  X(sem_wait) X(sem_trywait) X(sem_timedwait) X(sem_clockwait) X(sem_post) \
  X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) \
  X(thrd_create) X(thrd_join) X(mtx_lock) X(mtx_trylock) X(mtx_timedlock) X(mtx_unlock) \
  X(cnd_wait) X(cnd_timedwait) X(cnd_signal) X(cnd_broadcast)
// clang-format on

enum class Symbol : std::size_t {
#define LATECOMER_ONE(name) k_##name,
  LATECOMER_THREAD_SYMBOLS(LATECOMER_ONE, LATECOMER_ONE)
#undef LATECOMER_ONE
      kCount
};

// Finds a function by its name. It is found when the library is loaded; only constructors that run
// before ours come here.
void* find_next(Symbol symbol);

template <typename Function>
[[gnu::always_inline]] inline Function* next(Symbol symbol) {
  void* known =
      process().posix.next[static_cast<std::size_t>(symbol)].load(std::memory_order_relaxed);
  if (known == nullptr) [[unlikely]]
    known = find_next(symbol);
  return reinterpret_cast<Function*>(known);
}

// The next function of the same name and type, as in LATECOMER_NEXT(pthread_join)(thread, result).
#define LATECOMER_NEXT(name) \
  ::latecomer::posix::next<decltype(::name)>(::latecomer::posix::Symbol::k_##name)

#define LATECOMER_REPLACED extern "C" [[gnu::visibility("default")]]

}  // namespace latecomer::posix
