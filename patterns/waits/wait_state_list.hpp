// SPDX-License-Identifier: BSD-3-Clause
// The list of wait states. A new one is a line here, its file in this folder, and the call of its
// formula in analyzer/waits. Metrics, delay costs, chains, polling, drawings and names are loops.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace latecomer::patterns {

// The part of a program's communication in which a wait state occurs.
enum class WaitFamily : std::uint8_t {
  kPointToPoint,
  kCollective,
  kOneSided,
  kFiles,
  kInitExit,
  kOpenMp,
  kPthread,
};

// FOLLOWED(enumerator, name, family): its causes are followed back through the program.
// OTHER(...): it has the causes of a followed one, is a part of one, or is a time without a cause.
// The function name_state() returns the record. Indices by kind follow this order.
#define LATECOMER_WAIT_STATES(FOLLOWED, OTHER)                      \
  FOLLOWED(kLateSender, late_sender, kPointToPoint)                 \
  FOLLOWED(kLateReceiver, late_receiver, kPointToPoint)             \
  FOLLOWED(kBarrier, barrier_wait, kCollective)                     \
  FOLLOWED(kNxN, wait_nxn, kCollective)                             \
  FOLLOWED(kLateBroadcast, late_broadcast, kCollective)             \
  FOLLOWED(kEarlyReduce, early_reduce, kCollective)                 \
  FOLLOWED(kLateContributor, late_contributor, kCollective)         \
  FOLLOWED(kEarlyScan, early_scan, kCollective)                     \
  FOLLOWED(kLateNeighbor, late_neighbor, kCollective)               \
  FOLLOWED(kWindowCreate, wait_at_create, kOneSided)                \
  FOLLOWED(kWindowFree, wait_at_free, kOneSided)                    \
  FOLLOWED(kFence, wait_at_fence, kOneSided)                        \
  FOLLOWED(kLatePost, sync_late_post, kOneSided)                    \
  FOLLOWED(kEarlyWait, early_wait, kOneSided)                       \
  FOLLOWED(kLock, sync_lock_contention, kOneSided)                  \
  FOLLOWED(kProgress, sync_wait_for_progress, kOneSided)            \
  FOLLOWED(kFile, file_io_wait, kFiles)                             \
  FOLLOWED(kFinalize, finalize_wait, kInitExit)                     \
  FOLLOWED(kThreadBarrier, omp_ebarrier_wait, kOpenMp)              \
  FOLLOWED(kTaskStarvation, omp_ibarrier_starvation, kOpenMp)       \
  FOLLOWED(kTaskWait, omp_taskwait_starvation, kOpenMp)             \
  FOLLOWED(kIdleThread, idle_threads, kOpenMp)                      \
  FOLLOWED(kThreadLock, omp_critical_contention, kOpenMp)           \
  FOLLOWED(kMutex, pthread_mutex_contention, kPthread)              \
  FOLLOWED(kSignal, pthread_condition_wait, kPthread)               \
  FOLLOWED(kReadWriteLock, pthread_rwlock_contention, kPthread)     \
  FOLLOWED(kPost, pthread_semaphore_wait, kPthread)                 \
  FOLLOWED(kPosixBarrier, pthread_barrier_wait, kPthread)           \
  FOLLOWED(kThreadEnd, pthread_join_wait, kPthread)                 \
  OTHER(kLatePostOfTransfer, comm_late_post, kOneSided)             \
  OTHER(kLockOfTransfer, comm_lock_contention, kOneSided)           \
  OTHER(kProgressOfTransfer, comm_wait_for_progress, kOneSided)     \
  OTHER(kFileManagement, file_management_wait, kFiles)              \
  OTHER(kImplicitThreadBarrier, omp_ibarrier_wait, kOpenMp)         \
  OTHER(kExplicitTaskStarvation, omp_ebarrier_starvation, kOpenMp)  \
  OTHER(kLimitedParallelism, limited_parallelism, kOpenMp)          \
  OTHER(kLockCall, omp_lock_contention, kOpenMp)                    \
  OTHER(kCondition, pthread_condition_contention, kPthread)         \
  OTHER(kInitCompletion, init_completion, kInitExit)                \
  OTHER(kBarrierCompletion, barrier_completion, kCollective)        \
  OTHER(kNxNCompletion, nxn_completion, kCollective)                \
  OTHER(kWrongOrder, wrong_order, kPointToPoint)                    \
  OTHER(kWrongOrderDifferent, wrong_order_different, kPointToPoint) \
  OTHER(kWrongOrderSame, wrong_order_same, kPointToPoint)           \
  OTHER(kEarlyFence, early_fence, kOneSided)                        \
  OTHER(kLateComplete, late_complete, kOneSided)

#define LATECOMER_ENUMERATOR(enumerator, name, family) enumerator,
#define LATECOMER_NOTHING(enumerator, name, family)
#define LATECOMER_FAMILY(enumerator, name, family) WaitFamily::family,
#define LATECOMER_STATE(enumerator, name, family) WaitState::enumerator,

enum class WaitState : std::uint8_t {
  LATECOMER_WAIT_STATES(LATECOMER_ENUMERATOR, LATECOMER_ENUMERATOR)
};
// A wait state whose causes are followed.
enum class WaitKind : std::uint8_t {
  LATECOMER_WAIT_STATES(LATECOMER_ENUMERATOR, LATECOMER_NOTHING)
};

inline constexpr std::array kFamilyOfState = {
    LATECOMER_WAIT_STATES(LATECOMER_FAMILY, LATECOMER_FAMILY)};
inline constexpr std::array kFamilyOfKind = {
    LATECOMER_WAIT_STATES(LATECOMER_FAMILY, LATECOMER_NOTHING)};
inline constexpr std::array kStateOfKind = {
    LATECOMER_WAIT_STATES(LATECOMER_STATE, LATECOMER_NOTHING)};
inline constexpr std::size_t kWaitStateCount = kFamilyOfState.size();
inline constexpr std::size_t kWaitKindCount = kFamilyOfKind.size();

#undef LATECOMER_ENUMERATOR
#undef LATECOMER_NOTHING
#undef LATECOMER_FAMILY
#undef LATECOMER_STATE

// Indices in arrays by kind and by state.
[[nodiscard]] constexpr std::size_t index_of(WaitKind kind) {
  return static_cast<std::size_t>(kind);
}
[[nodiscard]] constexpr std::size_t index_of(WaitState state) {
  return static_cast<std::size_t>(state);
}

[[nodiscard]] constexpr WaitFamily family_of(WaitKind kind) {
  return kFamilyOfKind[index_of(kind)];
}
[[nodiscard]] constexpr bool is_one_sided(WaitKind kind) {
  return family_of(kind) == WaitFamily::kOneSided;
}
// Threads wait for threads of their own process.
[[nodiscard]] constexpr bool is_of_threads(WaitFamily family) {
  return family == WaitFamily::kOpenMp || family == WaitFamily::kPthread;
}
[[nodiscard]] constexpr bool is_of_threads(WaitKind kind) { return is_of_threads(family_of(kind)); }
// True for calls that MPI allows to wait, but does not require to. Such a call is known to have
// waited only if the recorded times show it.
[[nodiscard]] constexpr bool is_as_recorded(WaitKind kind) {
  return is_one_sided(kind) || family_of(kind) == WaitFamily::kFiles;
}
[[nodiscard]] constexpr bool is_point_to_point(WaitKind kind) {
  return family_of(kind) == WaitFamily::kPointToPoint;
}

}  // namespace latecomer::patterns
