// SPDX-License-Identifier: BSD-3-Clause
// Functions of GCC's runtime for OpenMP that the measurement library replaces, as compilers call
// them (the ABI of libgomp), and those of all runtimes for locks.
#pragma once

#include <cstddef>

// clang-format off
// Loops: name, and whether the schedule has a size of chunks.
#define LATECOMER_GOMP_CHUNKED(X) \
  X(static) X(dynamic) X(guided) X(nonmonotonic_dynamic) X(nonmonotonic_guided) \
  X(ordered_static) X(ordered_dynamic) X(ordered_guided)
#define LATECOMER_GOMP_UNCHUNKED(X) \
  X(runtime) X(ordered_runtime) X(nonmonotonic_runtime) X(maybe_nonmonotonic_runtime)
#define LATECOMER_GOMP_GENERAL(X) X(start) X(ordered_start)
#define LATECOMER_GOMP_DOACROSS(X) X(static) X(dynamic) X(guided)
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

// The first word of `data` points to what the runtime needs for reductions of tasks.
LATECOMER_PASS unsigned GOMP_parallel_reductions(void (*body)(void*), void* data, unsigned threads,
                                                 unsigned flags);

LATECOMER_PASS void GOMP_barrier();
LATECOMER_PASS bool GOMP_barrier_cancel();
LATECOMER_PASS void GOMP_workshare_task_reduction_unregister(bool cancelled);
LATECOMER_PASS void GOMP_atomic_start();
LATECOMER_PASS void GOMP_atomic_end();
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
// Loops with reductions of tasks or with a condition of `lastprivate`; `first` may be null.
#define LATECOMER_ONE(name)                                                                        \
  LATECOMER_PASS bool GOMP_loop_##name(long start, long end, long step, long schedule, long chunk, \
                                       long* first, long* last, void* reductions, void** memory);  \
  LATECOMER_PASS bool GOMP_loop_ull_##name(                                                        \
      bool up, unsigned long long start, unsigned long long end, unsigned long long step,          \
      long schedule, unsigned long long chunk, unsigned long long* first,                          \
      unsigned long long* last, void* reductions, void** memory);
LATECOMER_GOMP_GENERAL(LATECOMER_ONE)
#undef LATECOMER_ONE
// Loops whose iterations wait for others (`ordered` with a number of loops).
#define LATECOMER_ONE(schedule)                                                                   \
  LATECOMER_PASS bool GOMP_loop_doacross_##schedule##_start(unsigned loops, long* counts,         \
                                                            long chunk, long* first, long* last); \
  LATECOMER_PASS bool GOMP_loop_ull_doacross_##schedule##_start(                                  \
      unsigned loops, unsigned long long* counts, unsigned long long chunk,                       \
      unsigned long long* first, unsigned long long* last);
LATECOMER_GOMP_DOACROSS(LATECOMER_ONE)
#undef LATECOMER_ONE
LATECOMER_PASS bool GOMP_loop_doacross_runtime_start(unsigned loops, long* counts, long* first,
                                                     long* last);
LATECOMER_PASS bool GOMP_loop_ull_doacross_runtime_start(unsigned loops, unsigned long long* counts,
                                                         unsigned long long* first,
                                                         unsigned long long* last);
LATECOMER_PASS bool GOMP_loop_doacross_start(unsigned loops, long* counts, long schedule,
                                             long chunk, long* first, long* last, void* reductions,
                                             void** memory);
LATECOMER_PASS bool GOMP_loop_ull_doacross_start(unsigned loops, unsigned long long* counts,
                                                 long schedule, unsigned long long chunk,
                                                 unsigned long long* first,
                                                 unsigned long long* last, void* reductions,
                                                 void** memory);
LATECOMER_PASS void GOMP_loop_end();
LATECOMER_PASS bool GOMP_loop_end_cancel();
// Runtimes before GCC 12 take less arguments and do not look at the others.
LATECOMER_PASS void GOMP_task(void (*body)(void*), void* data, void (*copy)(void*, void*),
                              long size, long alignment, bool is_deferred, unsigned flags,
                              void** depend, int priority, void* detach);
LATECOMER_PASS void GOMP_taskloop(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                  long size, long alignment, unsigned flags, unsigned long tasks,
                                  int priority, long start, long end, long step);
LATECOMER_PASS void GOMP_taskloop_ull(void (*body)(void*), void* data, void (*copy)(void*, void*),
                                      long size, long alignment, unsigned flags,
                                      unsigned long tasks, int priority, unsigned long long start,
                                      unsigned long long end, unsigned long long step);
LATECOMER_PASS void GOMP_taskwait();
LATECOMER_PASS void GOMP_taskwait_depend(void** depend);
LATECOMER_PASS void GOMP_taskgroup_end();
LATECOMER_PASS void GOMP_ordered_start();
LATECOMER_PASS void GOMP_doacross_wait(long first, ...);
LATECOMER_PASS void GOMP_doacross_ull_wait(unsigned long long first, ...);
LATECOMER_PASS void GOMP_loop_end_nowait();
LATECOMER_PASS unsigned GOMP_sections_start(unsigned count);
LATECOMER_PASS unsigned GOMP_sections2_start(unsigned count, void* reductions, void** memory);
LATECOMER_PASS void GOMP_sections_end();
LATECOMER_PASS bool GOMP_sections_end_cancel();
LATECOMER_PASS void GOMP_sections_end_nowait();
LATECOMER_PASS bool GOMP_single_start();
LATECOMER_PASS void* GOMP_single_copy_start();
LATECOMER_PASS void GOMP_single_copy_end(void* data);

LATECOMER_PASS void GOMP_target_ext(int device, void (*body)(void*), std::size_t count,
                                    void** addresses, std::size_t* sizes, unsigned short* kinds,
                                    unsigned flags, void** depend, void** arguments);
LATECOMER_PASS void GOMP_target_data_ext(int device, std::size_t count, void** addresses,
                                         std::size_t* sizes, unsigned short* kinds);
LATECOMER_PASS void GOMP_target_end_data();
LATECOMER_PASS void GOMP_target_update_ext(int device, std::size_t count, void** addresses,
                                           std::size_t* sizes, unsigned short* kinds,
                                           unsigned flags, void** depend);
LATECOMER_PASS void GOMP_target_enter_exit_data(int device, std::size_t count, void** addresses,
                                                std::size_t* sizes, unsigned short* kinds,
                                                unsigned flags, void** depend);

// Locks, with the names of C and of Fortran (gfortran, flang). All runtimes have them.
LATECOMER_PASS void omp_set_lock(void* lock);
LATECOMER_PASS void omp_unset_lock(void* lock);
LATECOMER_PASS int omp_test_lock(void* lock);
LATECOMER_PASS void omp_set_nest_lock(void* lock);
LATECOMER_PASS void omp_unset_nest_lock(void* lock);
LATECOMER_PASS int omp_test_nest_lock(void* lock);
LATECOMER_PASS void omp_set_lock_(void* lock);
LATECOMER_PASS void omp_unset_lock_(void* lock);
LATECOMER_PASS int omp_test_lock_(void* lock);
LATECOMER_PASS void omp_set_nest_lock_(void* lock);
LATECOMER_PASS void omp_unset_nest_lock_(void* lock);
LATECOMER_PASS int omp_test_nest_lock_(void* lock);

#pragma GCC visibility pop
}
