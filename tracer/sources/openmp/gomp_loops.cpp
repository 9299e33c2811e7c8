// SPDX-License-Identifier: BSD-3-Clause
// Loops and sections inside parallel regions. A thread has at most one of them open; loops that are
// a whole parallel region have an end only.
#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {
namespace {

using session::detail::thread_state;

[[gnu::always_inline]] inline void begin_work(Construct construct, std::uintptr_t place) {
  ThreadWriter* const w = member_writer();
  if (w == nullptr) return;
  const RegionId region = region_of(construct, place);
  if (region == 0) return;
  enter(*w, region);
  thread_state.worksharing = region;
}

[[gnu::always_inline]] inline void end_work() {
  const RegionId region = thread_state.worksharing;
  if (region == 0) return;
  thread_state.worksharing = 0;
  ThreadWriter* const w = member_writer();
  if (w != nullptr) w->leave(region, session::now());
}

// The barrier at the end belongs to the loop.
template <typename Call>
[[gnu::always_inline]] inline void end_with_barrier(std::uintptr_t place, Call&& call) {
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kImplicitBarrier, place), call);
  end_work();
}

}  // namespace
}  // namespace latecomer::openmp

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

void GOMP_loop_end() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(loop_end, place);
  if (real != nullptr) end_with_barrier(place, real);
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

void GOMP_sections_end() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(sections_end, place);
  if (real != nullptr) end_with_barrier(place, real);
}

void GOMP_sections_end_nowait() {
  auto* const real = LATECOMER_NEXT(sections_end_nowait, LATECOMER_PLACE());
  if (real != nullptr) real();
  end_work();
}

}  // extern "C"
