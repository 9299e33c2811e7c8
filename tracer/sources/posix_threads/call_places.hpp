// SPDX-License-Identifier: BSD-3-Clause
// Regions of calls on threads: one per function and place of the call.
#pragma once

#include <cstdint>

#include "tracer/session/process/session.hpp"
#include "tracer/sources/blocking/callers.hpp"

namespace latecomer::posix {

using session::RegionId;
using session::ThreadWriter;

// clang-format off
#define LATECOMER_THREAD_CALLS(X) \
  X(pthread_create, "thread create") X(pthread_join, "thread wait") \
  X(pthread_timedjoin_np, "thread wait") X(pthread_clockjoin_np, "thread wait") \
  X(pthread_mutex_lock, "wrapper") X(pthread_mutex_timedlock, "wrapper") \
  X(pthread_mutex_clocklock, "wrapper") X(pthread_mutex_unlock, "wrapper") \
  X(pthread_cond_wait, "wrapper") X(pthread_cond_timedwait, "wrapper") \
  X(pthread_cond_clockwait, "wrapper") X(pthread_cond_signal, "wrapper") \
  X(pthread_cond_broadcast, "wrapper") X(pthread_rwlock_rdlock, "wrapper") \
  X(pthread_rwlock_wrlock, "wrapper") X(pthread_rwlock_timedrdlock, "wrapper") \
  X(pthread_rwlock_timedwrlock, "wrapper") X(pthread_rwlock_clockrdlock, "wrapper") \
  X(pthread_rwlock_clockwrlock, "wrapper") X(pthread_rwlock_unlock, "wrapper") \
  X(pthread_barrier_wait, "barrier") X(sem_wait, "wrapper") X(sem_timedwait, "wrapper") \
  X(sem_clockwait, "wrapper") X(sem_post, "wrapper") \
  X(pthread_spin_lock, "wrapper") X(pthread_spin_unlock, "wrapper") \
  X(thrd_create, "thread create") X(thrd_join, "thread wait") \
  X(mtx_lock, "wrapper") X(mtx_timedlock, "wrapper") X(mtx_unlock, "wrapper") \
  X(cnd_wait, "wrapper") X(cnd_timedwait, "wrapper") X(cnd_signal, "wrapper") \
  X(cnd_broadcast, "wrapper")
// clang-format on

enum class Call : std::uint8_t {
#define LATECOMER_ONE(name, role) k_##name,
  LATECOMER_THREAD_CALLS(LATECOMER_ONE)
#undef LATECOMER_ONE
      kCount
};

// A place has several functions. Addresses of programs leave room for their number.
inline constexpr unsigned kCallBits = 6;
static_assert(static_cast<unsigned>(Call::kCount) <= 1U << kCallBits);

constexpr std::uintptr_t key_of(Call call, std::uintptr_t place) {
  return place << kCallBits | static_cast<std::uintptr_t>(call);
}

// Values of PosixState::regions that are no regions. Calls by MPI, by runtimes of OpenMP and by the
// C library are not the program's. Calls by the library of C++ are at the place where the program
// calls that library, which the call path tells.
inline constexpr RegionId kNotOfProgram = 0xffffffff, kByPath = 0xfffffffe;

using blocking::must_pass;

// True unless MPI, a runtime of OpenMP or the C library calls. It may allocate.
[[nodiscard]] bool is_of_program(std::uintptr_t place);

// The region of a call, or one of the values above. It allocates for a place that is new.
[[nodiscard]] RegionId look_up(Call call, std::uintptr_t place);

// The region of a call wherever it is; 0: out of memory. It allocates.
[[nodiscard]] RegionId region_without_place(Call call);

// The region of a call whose path the writer has, at the innermost function of the path.
[[nodiscard]] RegionId look_up_by_path(Call call, std::uintptr_t place, record::FrameId path);

}  // namespace latecomer::posix
