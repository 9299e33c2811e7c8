// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the runtime's functions, which come after those of the measurement library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/sources/openmp/gomp_functions.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::openmp {

// clang-format off
// Functions whose names begin with GOMP_, and those whose names begin with omp_.
#define LATECOMER_GOMP_SYMBOLS(X, SCHEDULE, PARALLEL, GENERAL, DOACROSS) \
  X(parallel) X(parallel_sections) X(parallel_reductions) X(barrier) X(barrier_cancel) \
  X(workshare_task_reduction_unregister) X(atomic_start) X(atomic_end) \
  X(critical_start) X(critical_end) X(critical_name_start) X(critical_name_end) \
  X(loop_end) X(loop_end_cancel) X(loop_end_nowait) \
  X(task) X(taskloop) X(taskloop_ull) X(taskwait) X(taskwait_depend) X(taskgroup_end) \
  X(ordered_start) X(doacross_wait) X(doacross_ull_wait) X(sections_start) X(sections2_start) X(sections_end) X(sections_end_cancel) \
  X(sections_end_nowait) X(single_start) X(single_copy_start) X(single_copy_end) \
  X(target_ext) X(target_data_ext) X(target_end_data) X(target_update_ext) \
  X(target_enter_exit_data) \
  LATECOMER_GOMP_CHUNKED(SCHEDULE) LATECOMER_GOMP_UNCHUNKED(SCHEDULE) \
  LATECOMER_GOMP_PARALLEL_CHUNKED(PARALLEL) LATECOMER_GOMP_PARALLEL_UNCHUNKED(PARALLEL) \
  LATECOMER_GOMP_GENERAL(GENERAL) \
  LATECOMER_GOMP_DOACROSS(DOACROSS) DOACROSS(runtime) GENERAL(doacross_start)
#define LATECOMER_OMP_SYMBOLS(X) \
  X(set_lock) X(unset_lock) X(test_lock) X(set_nest_lock) X(unset_nest_lock) X(test_nest_lock) \
  X(set_lock_) X(unset_lock_) X(test_lock_) X(set_nest_lock_) X(unset_nest_lock_) \
  X(test_nest_lock_)
// clang-format on

enum class Symbol : std::size_t {
#define LATECOMER_ONE(name) k_##name,
#define LATECOMER_SCHEDULE(name) k_loop_##name##_start, k_loop_ull_##name##_start,
#define LATECOMER_PARALLEL(name) k_parallel_loop_##name,
#define LATECOMER_GENERAL(name) k_loop_##name, k_loop_ull_##name,
#define LATECOMER_DOACROSS(name) k_loop_doacross_##name##_start, k_loop_ull_doacross_##name##_start,
  LATECOMER_GOMP_SYMBOLS(LATECOMER_ONE, LATECOMER_SCHEDULE, LATECOMER_PARALLEL, LATECOMER_GENERAL,
                         LATECOMER_DOACROSS) LATECOMER_OMP_SYMBOLS(LATECOMER_ONE)
#undef LATECOMER_DOACROSS
#undef LATECOMER_GENERAL
#undef LATECOMER_PARALLEL
#undef LATECOMER_SCHEDULE
#undef LATECOMER_ONE
      kCount
};

// The function that the code at `place` calls without the measurement library. Null: there is none.
void* find_runtime(Symbol symbol, std::uintptr_t place);

// The function as a pointer of its type. Most programs have one runtime, which all modules see; its
// functions were found when the library was loaded.
template <typename Function>
[[gnu::always_inline]] inline Function* next(Symbol symbol, std::uintptr_t place) {
  void* known =
      process().openmp.next[static_cast<std::size_t>(symbol)].load(std::memory_order_relaxed);
  if (known == nullptr) [[unlikely]]
    known = find_runtime(symbol, place);
  return reinterpret_cast<Function*>(known);
}

// The runtime's function of the name, as in LATECOMER_NEXT(barrier, place)().
#define LATECOMER_NEXT(name, place) \
  ::latecomer::openmp::next<decltype(::GOMP_##name)>(::latecomer::openmp::Symbol::k_##name, place)

#define LATECOMER_NEXT_OMP(name, place) \
  ::latecomer::openmp::next<decltype(::omp_##name)>(::latecomer::openmp::Symbol::k_##name, place)

// The place of the call of the function that this stands in: inside the call instruction.
#define LATECOMER_PLACE() (reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1)

}  // namespace latecomer::openmp
