// SPDX-License-Identifier: BSD-3-Clause
// Loops and sections inside parallel regions.
#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/worksharing.hpp"

using namespace latecomer::openmp;

extern "C" {

// Without the runtime's function no iteration is left for this thread.
#define LATECOMER_LOOP(symbol, ...)                 \
  const std::uintptr_t place = LATECOMER_PLACE();   \
  auto* const real = LATECOMER_NEXT(symbol, place); \
  if (real == nullptr) return false;                \
  begin_work(Construct::kLoop, place);              \
  return real(__VA_ARGS__);

#define LATECOMER_ONE(schedule)                                                                    \
  bool GOMP_loop_##schedule##_start(long start, long end, long step, long chunk, long* first,      \
                                    long* last) {                                                  \
    LATECOMER_LOOP(loop_##schedule##_start, start, end, step, chunk, first, last)                  \
  }                                                                                                \
  bool GOMP_loop_ull_##schedule##_start(bool up, unsigned long long start, unsigned long long end, \
                                        unsigned long long step, unsigned long long chunk,         \
                                        unsigned long long* first, unsigned long long* last) {     \
    LATECOMER_LOOP(loop_ull_##schedule##_start, up, start, end, step, chunk, first, last)          \
  }
LATECOMER_GOMP_CHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE
#define LATECOMER_ONE(schedule)                                                                    \
  bool GOMP_loop_##schedule##_start(long start, long end, long step, long* first, long* last) {    \
    LATECOMER_LOOP(loop_##schedule##_start, start, end, step, first, last)                         \
  }                                                                                                \
  bool GOMP_loop_ull_##schedule##_start(bool up, unsigned long long start, unsigned long long end, \
                                        unsigned long long step, unsigned long long* first,        \
                                        unsigned long long* last) {                                \
    LATECOMER_LOOP(loop_ull_##schedule##_start, up, start, end, step, first, last)                 \
  }
LATECOMER_GOMP_UNCHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE

#define LATECOMER_ONE(name)                                                                        \
  bool GOMP_loop_##name(long start, long end, long step, long schedule, long chunk, long* first,   \
                        long* last, void* reductions, void** memory) {                             \
    LATECOMER_LOOP(loop_##name, start, end, step, schedule, chunk, first, last, reductions,        \
                   memory)                                                                         \
  }                                                                                                \
  bool GOMP_loop_ull_##name(bool up, unsigned long long start, unsigned long long end,             \
                            unsigned long long step, long schedule, unsigned long long chunk,      \
                            unsigned long long* first, unsigned long long* last, void* reductions, \
                            void** memory) {                                                       \
    LATECOMER_LOOP(loop_ull_##name, up, start, end, step, schedule, chunk, first, last,            \
                   reductions, memory)                                                             \
  }
LATECOMER_GOMP_GENERAL(LATECOMER_ONE)
#undef LATECOMER_ONE
#define LATECOMER_ONE(schedule)                                                             \
  bool GOMP_loop_doacross_##schedule##_start(unsigned loops, long* counts, long chunk,      \
                                             long* first, long* last) {                     \
    LATECOMER_LOOP(loop_doacross_##schedule##_start, loops, counts, chunk, first, last)     \
  }                                                                                         \
  bool GOMP_loop_ull_doacross_##schedule##_start(                                           \
      unsigned loops, unsigned long long* counts, unsigned long long chunk,                 \
      unsigned long long* first, unsigned long long* last) {                                \
    LATECOMER_LOOP(loop_ull_doacross_##schedule##_start, loops, counts, chunk, first, last) \
  }
LATECOMER_GOMP_DOACROSS(LATECOMER_ONE)
#undef LATECOMER_ONE
bool GOMP_loop_doacross_runtime_start(unsigned loops, long* counts, long* first, long* last) {
  LATECOMER_LOOP(loop_doacross_runtime_start, loops, counts, first, last)
}
bool GOMP_loop_ull_doacross_runtime_start(unsigned loops, unsigned long long* counts,
                                          unsigned long long* first, unsigned long long* last) {
  LATECOMER_LOOP(loop_ull_doacross_runtime_start, loops, counts, first, last)
}
bool GOMP_loop_doacross_start(unsigned loops, long* counts, long schedule, long chunk, long* first,
                              long* last, void* reductions, void** memory) {
  LATECOMER_LOOP(loop_doacross_start, loops, counts, schedule, chunk, first, last, reductions,
                 memory)
}
bool GOMP_loop_ull_doacross_start(unsigned loops, unsigned long long* counts, long schedule,
                                  unsigned long long chunk, unsigned long long* first,
                                  unsigned long long* last, void* reductions, void** memory) {
  LATECOMER_LOOP(loop_ull_doacross_start, loops, counts, schedule, chunk, first, last, reductions,
                 memory)
}

void GOMP_loop_end() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(loop_end, place);
  if (real != nullptr) end_with_barrier(place, real);
}

bool GOMP_loop_end_cancel() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(loop_end_cancel, place);
  bool is_cancelled = false;
  if (real != nullptr) end_with_barrier(place, [&] { is_cancelled = real(); });
  return is_cancelled;
}

void GOMP_loop_end_nowait() {
  auto* const real = LATECOMER_NEXT(loop_end_nowait, LATECOMER_PLACE());
  if (real != nullptr) real();
  end_work();
}

unsigned GOMP_sections_start(unsigned count) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(sections_start, place);
  if (real == nullptr) return 0;
  begin_work(Construct::kSections, place);
  return real(count);
}

unsigned GOMP_sections2_start(unsigned count, void* reductions, void** memory) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(sections2_start, place);
  if (real == nullptr) return 0;
  begin_work(Construct::kSections, place);
  return real(count, reductions, memory);
}

void GOMP_sections_end() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(sections_end, place);
  if (real != nullptr) end_with_barrier(place, real);
}

bool GOMP_sections_end_cancel() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(sections_end_cancel, place);
  bool is_cancelled = false;
  if (real != nullptr) end_with_barrier(place, [&] { is_cancelled = real(); });
  return is_cancelled;
}

void GOMP_sections_end_nowait() {
  auto* const real = LATECOMER_NEXT(sections_end_nowait, LATECOMER_PLACE());
  if (real != nullptr) real();
  end_work();
}

}  // extern "C"
