// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions, barriers and critical sections of programs that GCC compiled.
//
// A program that has started has the runtime's functions. Should one be missing, a thread executes
// the parallel region alone.
#include "tracer/record/extended.hpp"
#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {
namespace {

using session::now;
using Lock = LockTable::Lock;

// The lock of all critical sections without a name. No lock of a program has this address.
constexpr std::uintptr_t kUnnamed = 1;

// The regions are kept with the lock, since the end of a critical section does not know where it
// began.
template <typename Call>
[[gnu::always_inline]] inline void begin_critical(std::uintptr_t address, std::uintptr_t place,
                                                  Call&& call) {
  ThreadWriter* const w = member_writer();
  if (w == nullptr) return call();
  LockTable& locks = process().openmp.locks;
  Lock* const lock = locks.find(address);
  const RegionId region = region_of(Construct::kCritical, place);
  const RegionId block = region_of(Construct::kCriticalBlock, place);
  if (lock == nullptr || region == 0 || block == 0) return call();
  enter(*w, region);
  call();
  const std::uint32_t before = lock->holders.fetch_add(1, std::memory_order_relaxed);
  lock->region.store(region, std::memory_order_relaxed);
  lock->block.store(block, std::memory_order_relaxed);
  const std::uint64_t word = record::two_halves(locks.number(lock), before);
  const record::Ticks t = now();
  w->extended(record::kLockAcquired, t, {&word, 1});
  w->enter(block, t);
}

template <typename Call>
[[gnu::always_inline]] inline void end_critical(std::uintptr_t address, Call&& call) {
  ThreadWriter* const w = member_writer();
  Lock* const lock = w == nullptr ? nullptr : process().openmp.locks.find(address);
  const RegionId region = lock == nullptr ? 0 : lock->region.exchange(0, std::memory_order_relaxed);
  if (region == 0) return call();
  const record::Ticks t = now();
  w->leave(lock->block.load(std::memory_order_relaxed), t);
  const std::uint64_t word = record::two_halves(process().openmp.locks.number(lock),
                                                lock->holders.load(std::memory_order_relaxed) - 1);
  w->extended(record::kLockReleased, t, {&word, 1});
  call();
  w->leave(region, now());
}

}  // namespace
}  // namespace latecomer::openmp

using namespace latecomer;
using namespace latecomer::openmp;

// A parallel region: `symbol` is the runtime's function, with the remaining arguments.
#define LATECOMER_PARALLEL(construct, symbol, ...)                 \
  const std::uintptr_t place = LATECOMER_PLACE();                  \
  auto* const real = LATECOMER_NEXT(symbol, place);                \
  if (real == nullptr) return body(data);                          \
  ThreadWriter* const w = maker_writer();                          \
  if (w == nullptr) return real(body, data, threads, __VA_ARGS__); \
  session::note_call_path(w);                                      \
  Team team{body, data};                                           \
  if (!begin_team(team, *w, construct, place, threads))            \
    return real(body, data, threads, __VA_ARGS__);                 \
  real(run_member, &team, threads, __VA_ARGS__);                   \
  end_team(team);

extern "C" {

void GOMP_parallel(void (*body)(void*), void* data, unsigned threads, unsigned flags) {
  LATECOMER_PARALLEL(Construct::kParallel, parallel, flags)
}

void GOMP_parallel_sections(void (*body)(void*), void* data, unsigned threads, unsigned count,
                            unsigned flags){
    LATECOMER_PARALLEL(Construct::kParallelSections, parallel_sections, count, flags)}
#define LATECOMER_ONE(schedule)                                                              \
  void GOMP_parallel_loop_##schedule(void (*body)(void*), void* data, unsigned threads,      \
                                     long start, long end, long step, long chunk,            \
                                     unsigned flags) {                                       \
    LATECOMER_PARALLEL(Construct::kParallelLoop, parallel_loop_##schedule, start, end, step, \
                       chunk, flags)                                                         \
  }
LATECOMER_GOMP_PARALLEL_CHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE
#define LATECOMER_ONE(schedule)                                                              \
  void GOMP_parallel_loop_##schedule(void (*body)(void*), void* data, unsigned threads,      \
                                     long start, long end, long step, unsigned flags) {      \
    LATECOMER_PARALLEL(Construct::kParallelLoop, parallel_loop_##schedule, start, end, step, \
                       flags)                                                                \
  }
    LATECOMER_GOMP_PARALLEL_UNCHUNKED(LATECOMER_ONE)
#undef LATECOMER_ONE

        void GOMP_barrier() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(barrier, place);
  if (real == nullptr) return;
  ThreadWriter* const w = member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kBarrier, place), real);
}

void GOMP_critical_start() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(critical_start, place);
  if (real != nullptr) begin_critical(kUnnamed, place, real);
}

void GOMP_critical_end() {
  auto* const real = LATECOMER_NEXT(critical_end, LATECOMER_PLACE());
  if (real != nullptr) end_critical(kUnnamed, real);
}

void GOMP_critical_name_start(void** lock) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(critical_name_start, place);
  if (real == nullptr) return;
  begin_critical(reinterpret_cast<std::uintptr_t>(lock), place, [=] { real(lock); });
}

void GOMP_critical_name_end(void** lock) {
  auto* const real = LATECOMER_NEXT(critical_name_end, LATECOMER_PLACE());
  if (real == nullptr) return;
  end_critical(reinterpret_cast<std::uintptr_t>(lock), [=] { real(lock); });
}

}  // extern "C"
