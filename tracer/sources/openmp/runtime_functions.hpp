// SPDX-License-Identifier: BSD-3-Clause
// Addresses of the runtime's functions, which come after those of the measurement library.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tracer/sources/openmp/gomp_functions.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::openmp {

// clang-format off
#define LATECOMER_GOMP_SYMBOLS(X, SCHEDULE, PARALLEL) \
  X(parallel) X(parallel_sections) X(barrier) X(critical_start) X(critical_end) \
  X(critical_name_start) X(critical_name_end) X(loop_end) X(loop_end_nowait) \
  X(task) X(taskwait) X(taskgroup_end) X(ordered_start) X(sections_start) X(sections_end) X(sections_end_nowait) \
  LATECOMER_GOMP_CHUNKED(SCHEDULE) LATECOMER_GOMP_UNCHUNKED(SCHEDULE) \
  LATECOMER_GOMP_PARALLEL_CHUNKED(PARALLEL) LATECOMER_GOMP_PARALLEL_UNCHUNKED(PARALLEL)
// clang-format on

enum class Symbol : std::size_t {
#define LATECOMER_ONE(name) k_##name,
#define LATECOMER_SCHEDULE(name) k_loop_##name##_start, k_loop_ull_##name##_start,
#define LATECOMER_PARALLEL(name) k_parallel_loop_##name,
  LATECOMER_GOMP_SYMBOLS(LATECOMER_ONE, LATECOMER_SCHEDULE, LATECOMER_PARALLEL)
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

// The place of the call of the function that this stands in: inside the call instruction.
#define LATECOMER_PLACE() (reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1)

}  // namespace latecomer::openmp
