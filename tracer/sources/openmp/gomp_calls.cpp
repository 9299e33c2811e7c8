// SPDX-License-Identifier: BSD-3-Clause
// Parallel regions, barriers and critical sections of programs that GCC compiled. Atomic operations
// that the processor does not have are critical sections of the runtime.
//
// A program that has started has the runtime's functions. Should one be missing, a thread executes
// the parallel region alone.
#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"
#include "tracer/sources/openmp/worksharing.hpp"

namespace latecomer::openmp {
namespace {

using session::now;
using Lock = LockTable::Lock;

// The lock of all critical sections without a name. No lock of a program has this address.
constexpr std::uintptr_t kUnnamed = 1;
constexpr std::uintptr_t kOfAtomics = 2;  // the same for atomic operations

// The regions are kept with the lock, since the end of a critical section does not know where it
// began.
template <typename Call>
[[gnu::always_inline]] inline void begin_critical(std::uintptr_t address, std::uintptr_t place,
                                                  Call&& call,
                                                  Construct outside = Construct::kCritical,
                                                  Construct inside = Construct::kCriticalBlock) {
  ThreadWriter* const w = worker_writer();
  if (w == nullptr) return call();
  LockTable& locks = process().openmp.locks;
  Lock* const lock = locks.find(address);
  const RegionId region = region_of(outside, place);
  const RegionId block = region_of(inside, place);
  if (lock == nullptr || region == 0 || block == 0) return call();
  const std::uint32_t number = locks.number(lock);
  if (session::detail::thread_state.paths != nullptr)
    w->call_path(session::detail::thread_state.team_path);
  w->lock_wanted(region, block, number, lock->holders.load(std::memory_order_relaxed), now());
  const auto* const held = reinterpret_cast<const void*>(address);
  session::note_wanted(held);
  call();
  session::note_wanted(nullptr);
  session::note_held(held);
  const std::uint32_t before = lock->holders.fetch_add(1, std::memory_order_relaxed);
  lock->region.store(region, std::memory_order_relaxed);
  lock->block.store(block, std::memory_order_relaxed);
  w->lock_acquired(region, block, number, before, now());
}

template <typename Call>
[[gnu::always_inline]] inline void end_critical(std::uintptr_t address, Call&& call) {
  ThreadWriter* const w = member_writer();
  Lock* const lock = w == nullptr ? nullptr : process().openmp.locks.find(address);
  const RegionId region = lock == nullptr ? 0 : lock->region.exchange(0, std::memory_order_relaxed);
  if (region == 0) return call();
  session::note_released(reinterpret_cast<const void*>(address));
  const std::uint32_t number = process().openmp.locks.number(lock);
  w->lock_released(region, lock->block.load(std::memory_order_relaxed), number,
                   lock->holders.load(std::memory_order_relaxed) - 1, now());
  call();
  w->lock_left(region, number, now());
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
  Team team{nullptr, body, data};                                  \
  if (!begin_team(team, construct, place, threads)) {              \
    const OutsideTeam outside;                                     \
    return real(body, data, threads, __VA_ARGS__);                 \
  }                                                                \
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

        unsigned GOMP_parallel_reductions(void (*body)(void*), void* data, unsigned threads,
                                          unsigned flags) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(parallel_reductions, place);
  if (real == nullptr) {
    body(data);
    return 1;
  }
  ThreadWriter* const w = maker_writer();
  if (w == nullptr) return real(body, data, threads, flags);
  session::note_call_path(w);
  Team team{*static_cast<void**>(data), body, data};
  if (!begin_team(team, Construct::kParallel, place, threads)) {
    const OutsideTeam outside;
    return real(body, data, threads, flags);
  }
  const unsigned size = real(run_member, &team, threads, flags);
  end_team(team);
  return size;
}

void GOMP_barrier() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(barrier, place);
  if (real != nullptr) at_barrier(place, real);
}

bool GOMP_barrier_cancel() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(barrier_cancel, place);
  bool is_cancelled = false;
  if (real != nullptr) at_barrier(place, [&] { is_cancelled = real(); });
  return is_cancelled;
}

// All threads meet here, unless the construct was cancelled.
void GOMP_workshare_task_reduction_unregister(bool cancelled) {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(workshare_task_reduction_unregister, place);
  if (real == nullptr) return;
  ThreadWriter* const w = cancelled ? nullptr : member_writer();
  around(w, w == nullptr ? 0 : region_of(Construct::kImplicitBarrier, place),
         [=] { real(cancelled); });
}

void GOMP_atomic_start() {
  const std::uintptr_t place = LATECOMER_PLACE();
  auto* const real = LATECOMER_NEXT(atomic_start, place);
  if (real == nullptr) return;
  begin_critical(kOfAtomics, place, real, Construct::kAtomic, Construct::kAtomicBlock);
}

void GOMP_atomic_end() {
  auto* const real = LATECOMER_NEXT(atomic_end, LATECOMER_PLACE());
  if (real != nullptr) end_critical(kOfAtomics, real);
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
