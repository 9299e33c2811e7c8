// SPDX-License-Identifier: BSD-3-Clause
// Locks of OpenMP in C and Fortran, with any runtime. Only threads that wait leave a record.
//
// A lock that no thread has waited for is unknown here: then a call costs a look at a table. The
// first thread that waits enters it there. From then on each holder gets a number, while it holds
// the lock. A holder that others wait for has its number recorded when it releases the lock.
//
//   thread 0   holds it                        | release: acquired 0, released 0
//   thread 1            fails to test it, waits ................. acquired 1
#include "tracer/record/extended.hpp"
#include "tracer/sources/openmp/ompt_callbacks.hpp"
#include "tracer/sources/openmp/runtime_functions.hpp"
#include "tracer/sources/openmp/team.hpp"

namespace latecomer::openmp {
namespace {

using session::now;
using session::detail::thread_state;
using Lock = LockTable::Lock;

bool is_recorded() {
  const Process& p = process();
  return p.openmp.is_recorded.load(std::memory_order_relaxed) &&
         p.session.phase.load(std::memory_order_relaxed) == session::detail::Phase::kRunning;
}

ThreadWriter* lock_writer() {
  if (!is_recorded()) return nullptr;
  ThreadWriter* const w = session::writer();
  return w != nullptr && !w->paused() ? w : nullptr;
}

std::uintptr_t address_of(const void* lock) { return reinterpret_cast<std::uintptr_t>(lock); }

// This thread holds the lock now.
void count_holder(const void* lock) {
  if (!is_recorded()) return;
  session::note_held(lock);
  Lock* const known = process().openmp.locks.known(address_of(lock));
  if (known == nullptr) return;
  known->is_recorded.store(false, std::memory_order_relaxed);
  known->holders.fetch_add(1, std::memory_order_relaxed);
}

// Waits for the lock in `set`.
template <typename Set>
[[gnu::noinline, gnu::cold]] void wait_for(const void* lock, Construct construct,
                                           std::uintptr_t place, Set&& set) {
  LockTable& locks = process().openmp.locks;
  Lock* const known = locks.find(address_of(lock));
  ThreadWriter* const w = lock_writer();
  const RegionId region = w == nullptr ? 0 : region_of(construct, place);
  if (known == nullptr || region == 0) {
    set();
    return count_holder(lock);
  }
  std::uint32_t none = 0;
  known->holders.compare_exchange_strong(none, 1);  // the one that holds it was not counted
  known->waiters.fetch_add(1);
  if (thread_state.in_team) {
    enter(*w, region);
  } else {
    if (thread_state.paths != nullptr && ompt::in_recorded_team()) w->call_path(ompt::team_path());
    w->enter(region, now());
  }
  session::note_wanted(lock);
  set();
  session::note_wanted(nullptr);
  session::note_held(lock);
  known->waiters.fetch_sub(1);
  const std::uint32_t before = known->holders.fetch_add(1, std::memory_order_relaxed);
  ThreadWriter* const after = session::writer();
  known->is_recorded.store(after != nullptr, std::memory_order_relaxed);
  if (after == nullptr) return;
  const record::Ticks t = now();
  const std::uint64_t word = record::two_halves(locks.number(known), before);
  after->extended(record::kLockAcquired, t, {&word, 1});
  after->leave(region, t);
}

// The lock if its release is to be recorded, else null.
Lock* awaited(const void* lock) {
  if (!is_recorded()) return nullptr;
  Lock* const known = process().openmp.locks.known(address_of(lock));
  if (known == nullptr) return nullptr;
  return known->is_recorded.load(std::memory_order_relaxed) || known->waiters.load() != 0 ? known
                                                                                          : nullptr;
}

// This thread releases the lock now.
[[gnu::noinline, gnu::cold]] void record_release(Lock& lock) {
  const bool is_known = lock.is_recorded.exchange(false, std::memory_order_relaxed);
  const std::uint32_t holders = lock.holders.load(std::memory_order_relaxed);
  ThreadWriter* const w = lock_writer();
  if (w == nullptr || holders == 0) return;
  const record::Ticks t = now();
  const std::uint64_t word = record::two_halves(process().openmp.locks.number(&lock), holders - 1);
  if (!is_known) w->extended(record::kLockAcquired, t, {&word, 1});
  w->extended(record::kLockReleased, t, {&word, 1});
}

// Sets a lock that one thread may set several times: `test` returns how often it has done so.
template <typename Test, typename Set>
[[gnu::always_inline]] inline void set_lock(void* lock, Construct construct, std::uintptr_t place,
                                            Test* test, Set* set) {
  if (test == nullptr || !is_recorded()) return set(lock);
  const int times = test(lock);
  if (times > 1) return session::note_held(lock);
  if (times == 1) return count_holder(lock);
  if (times == 0) wait_for(lock, construct, place, [=] { set(lock); });
}

template <typename Test, typename Unset>
[[gnu::always_inline]] inline void unset_nested(void* lock, Test* test, Unset* unset) {
  session::note_released(lock);  // each time that it was set is noted
  Lock* const known = awaited(lock);
  if (known != nullptr && test != nullptr) [[unlikely]] {
    // The test sets it once more.
    if (test(lock) == 2) record_release(*known);
    unset(lock);
  }
  unset(lock);
}

}  // namespace
}  // namespace latecomer::openmp

using namespace latecomer::openmp;

extern "C" {

// For the names of C and of Fortran.
#define LATECOMER_LOCKS(end)                                                                    \
  void omp_set_lock##end(void* lock) {                                                          \
    const std::uintptr_t place = LATECOMER_PLACE();                                             \
    auto* const real = LATECOMER_NEXT_OMP(set_lock##end, place);                                \
    if (real == nullptr) return;                                                                \
    set_lock(lock, Construct::kLock, place, LATECOMER_NEXT_OMP(test_lock##end, place), real);   \
  }                                                                                             \
  void omp_unset_lock##end(void* lock) {                                                        \
    auto* const real = LATECOMER_NEXT_OMP(unset_lock##end, LATECOMER_PLACE());                  \
    if (real == nullptr) return;                                                                \
    latecomer::session::note_released(lock);                                                    \
    if (LockTable::Lock* const known = awaited(lock); known != nullptr) record_release(*known); \
    real(lock);                                                                                 \
  }                                                                                             \
  int omp_test_lock##end(void* lock) {                                                          \
    auto* const real = LATECOMER_NEXT_OMP(test_lock##end, LATECOMER_PLACE());                   \
    if (real == nullptr) return 1;                                                              \
    const int is_set = real(lock);                                                              \
    if (is_set != 0) count_holder(lock);                                                        \
    return is_set;                                                                              \
  }                                                                                             \
  void omp_set_nest_lock##end(void* lock) {                                                     \
    const std::uintptr_t place = LATECOMER_PLACE();                                             \
    auto* const real = LATECOMER_NEXT_OMP(set_nest_lock##end, place);                           \
    if (real == nullptr) return;                                                                \
    set_lock(lock, Construct::kNestLock, place, LATECOMER_NEXT_OMP(test_nest_lock##end, place), \
             real);                                                                             \
  }                                                                                             \
  void omp_unset_nest_lock##end(void* lock) {                                                   \
    const std::uintptr_t place = LATECOMER_PLACE();                                             \
    auto* const real = LATECOMER_NEXT_OMP(unset_nest_lock##end, place);                         \
    if (real == nullptr) return;                                                                \
    unset_nested(lock, LATECOMER_NEXT_OMP(test_nest_lock##end, place), real);                   \
  }                                                                                             \
  int omp_test_nest_lock##end(void* lock) {                                                     \
    auto* const real = LATECOMER_NEXT_OMP(test_nest_lock##end, LATECOMER_PLACE());              \
    if (real == nullptr) return 1;                                                              \
    const int times = real(lock);                                                               \
    if (times == 1) count_holder(lock);                                                         \
    if (times > 1) latecomer::session::note_held(lock);                                         \
    return times;                                                                               \
  }
LATECOMER_LOCKS()
LATECOMER_LOCKS(_)
#undef LATECOMER_LOCKS

}  // extern "C"
