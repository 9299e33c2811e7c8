// SPDX-License-Identifier: BSD-3-Clause
// Functions of GCC's runtime for OpenMP that the measurement library replaces, as compilers call
// them (the ABI of libgomp).
#pragma once

// clang-format off
// Loops: name, and whether the schedule has a size of chunks.
#define LATECOMER_GOMP_CHUNKED(X) \
  X(static) X(dynamic) X(guided) X(nonmonotonic_dynamic) X(nonmonotonic_guided) \
  X(ordered_static) X(ordered_dynamic) X(ordered_guided)
#define LATECOMER_GOMP_UNCHUNKED(X) \
  X(runtime) X(ordered_runtime) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime)
// Parallel regions that are a loop.
#define LATECOMER_GOMP_PARALLEL_CHUNKED(X) \
  X(static) X(dynamic) X(guided) X(nonmonotonic_dynamic) X(nonmonotonic_guided)
#define LATECOMER_GOMP_PARALLEL_UNCHUNKED(X) \
  X(runtime) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime)
// clang-format on

extern "C" {
#pragma GCC visibility push(default)
// The program works in these functions (callpath/frame_table.cpp).
#define LATECOMER_PASS [[gnu::section("latecomer_pass")]]

LATECOMER_PASS void GOMP_parallel(void (*body)(void*), void* data, unsigned threads,
                                  unsigned flags);
LATECOMER_PASS void GOMP_parallel_sections(void (*body)(void*), void* data, unsigned threads,
                                           unsigned count, unsigned flags);
#define LATECOMER_ONE(schedule)                                                             \
  LATECOMER_PASS void GOMP_parallel_loop_##schedule(void (*body)(void*), void* data,        \
                                                    unsigned threads, long start, long end, \
                                                    long step, long chunk, unsigned flags);
LATECOMER_GOMP_PARALLEL_CHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE
#define LATECOMER_ONE(schedule)                                                             \
  LATECOMER_PASS void GOMP_parallel_loop_##schedule(void (*body)(void*), void* data,        \
                                                    unsigned threads, long start, long end, \
                                                    long step, unsigned flags);
LATECOMER_GOMP_PARALLEL_UNCHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE

LATECOMER_PASS void GOMP_barrier();
LATECOMER_PASS void GOMP_critical_start();
LATECOMER_PASS void GOMP_critical_end();
LATECOMER_PASS void GOMP_critical_name_start(void** lock);
LATECOMER_PASS void GOMP_critical_name_end(void** lock);

#define LATECOMER_ONE(schedule)                                                                 \
  LATECOMER_PASS bool GOMP_loop_##schedule##_start(long start, long end, long step, long chunk, \
                                                   long* first, long* last);                    \
  LATECOMER_PASS bool GOMP_loop_ull_##schedule##_start(                                         \
      bool up, unsigned long long start, unsigned long long end, unsigned long long step,       \
      unsigned long long chunk, unsigned long long* first, unsigned long long* last);
LATECOMER_GOMP_CHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE
#define LATECOMER_ONE(schedule)                                                                  \
  LATECOMER_PASS bool GOMP_loop_##schedule##_start(long start, long end, long step, long* first, \
                                                   long* last);                                  \
  LATECOMER_PASS bool GOMP_loop_ull_##schedule##_start(                                          \
      bool up, unsigned long long start, unsigned long long end, unsigned long long step,        \
      unsigned long long* first, unsigned long long* last);
LATECOMER_GOMP_UNCHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE
LATECOMER_PASS void GOMP_loop_end();
// Runtimes before GCC 12 take less arguments and do not look at the others.
LATECOMER_PASS void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*),
                              long size, long alignment, bool is_deferred, unsigned flags,
                              void** depend, int priority, void* detach);
LATECOMER_PASS void GOMP_taskwait();
LATECOMER_PASS void GOMP_taskgroup_end();
LATECOMER_PASS void GOMP_ordered_start();
LATECOMER_PASS void GOMP_loop_end_nowait();
LATECOMER_PASS unsigned GOMP_sections_start(unsigned count);
LATECOMER_PASS void GOMP_sections_end();
LATECOMER_PASS void GOMP_sections_end_nowait();

#pragma GCC visibility pop
}
