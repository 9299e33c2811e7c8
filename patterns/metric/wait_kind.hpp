// SPDX-License-Identifier: BSD-3-Clause
// Lists the wait states whose causes are followed back through the program.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace latecomer::patterns {

// The order is that of kWaitKinds; waits of threads come last.
enum class WaitKind : std::uint8_t {
  kLateSender,
  kLateReceiver,
  kBarrier,
  kNxN,
  kLateBroadcast,
  kEarlyReduce,
  kEarlyScan,
  kLateNeighbor,
  kWindowCreate,
  kWindowFree,
  kFence,
  kLatePost,
  kEarlyWait,
  kLock,
  kProgress,
  kFile,
  kFinalize,
  kThreadBarrier,  // this and the following are waits of threads for threads of their own process
  kIdleThread,
  kThreadLock,
  kMutex,
};

// Names of the metrics of one kind.
struct WaitKindNames {
  std::string_view wait;     // unique name of the wait state
  std::string_view display;  // "Late Sender"
  std::string_view delay;    // unique name of its short-term delay costs
  // Last parts of the names mpi_wait_direct_... and mpi_wait_indirect_... (split), and of
  // mpi_wait_propagating_... and mpi_wait_terminal_... (chain). Empty for waits of threads, which
  // are not divided.
  std::string_view split, chain;
  std::string_view also{};  // unique name of the same wait state in other calls, if any
};

// Names by WaitKind.
inline constexpr std::array<WaitKindNames, 21> kWaitKinds = {{
    {"mpi_latesender", "Late Sender", "delay_latesender", "latesender", "ls"},
    {"mpi_latereceiver", "Late Receiver", "delay_latereceiver", "latereceiver", "lr"},
    {"mpi_barrier_wait", "Wait at Barrier", "delay_barrier", "barrier", "barrier"},
    {"mpi_wait_nxn", "Wait at N x N", "delay_n2n", "nxn", "nxn"},
    {"mpi_latebroadcast", "Late Broadcast", "delay_12n", "latebroadcast", "latebroadcast"},
    {"mpi_earlyreduce", "Early Reduce", "delay_n21", "earlyreduce", "earlyreduce"},
    {"mpi_earlyscan", "Early Scan", "delay_scan", "earlyscan", "earlyscan"},
    {"mpi_late_neighbor", "Late Neighbor", "delay_neighbor", "neighbor", "neighbor"},
    {"mpi_rma_wait_at_create", "Wait at Create", "delay_rma_create", "rma_create", "rma_create"},
    {"mpi_rma_wait_at_free", "Wait at Free", "delay_rma_free", "rma_free", "rma_free"},
    {"mpi_rma_wait_at_fence", "Wait at Fence", "delay_rma_fence", "rma_fence", "rma_fence"},
    {"mpi_rma_sync_late_post", "Late Post", "delay_rma_late_post", "rma_late_post", "rma_late_post",
     "mpi_rma_comm_late_post"},
    {"mpi_rma_early_wait", "Early Wait", "delay_rma_early_wait", "rma_early_wait",
     "rma_early_wait"},
    {"mpi_rma_sync_lock_competition", "Lock Contention", "delay_rma_lock", "rma_lock", "rma_lock",
     "mpi_rma_comm_lock_competition"},
    {"mpi_rma_sync_wait_for_progress", "Wait for Progress", "delay_rma_progress", "rma_progress",
     "rma_progress", "mpi_rma_comm_wait_for_progress"},
    {"mpi_io_collective_wait", "Wait at Files", "delay_file", "file", "file", "mpi_mgmt_file_wait"},
    {"mpi_finalize_wait", "Wait at Finalize", "delay_finalize", "finalize", "finalize"},
    {"omp_ebarrier_wait", "Wait at Barrier", "delay_ompbarrier", "", "", "omp_ibarrier_wait"},
    {"omp_idle_threads", "Idle threads", "delay_ompidle", "", ""},
    {"omp_lock_contention_critical", "Lock Contention", "delay_omplock", "", "",
     "omp_lock_contention_api"},
    {"pthread_lock_contention_mutex_lock", "Lock Contention", "delay_pthreadlock", "", "",
     "pthread_lock_contention_conditional"},
}};

// Index in kWaitKinds and other arrays by kind.
[[nodiscard]] constexpr std::size_t index_of(WaitKind kind) {
  return static_cast<std::size_t>(kind);
}
[[nodiscard]] constexpr bool is_one_sided(WaitKind kind) {
  return kind == WaitKind::kWindowCreate || kind == WaitKind::kWindowFree ||
         kind == WaitKind::kFence || kind == WaitKind::kLatePost || kind == WaitKind::kEarlyWait ||
         kind == WaitKind::kLock || kind == WaitKind::kProgress;
}
[[nodiscard]] constexpr bool is_of_threads(WaitKind kind) {
  return kind >= WaitKind::kThreadBarrier;
}
// True for calls that MPI allows to wait, but does not require to. Such a call is known to have
// waited only if the recorded times show it.
[[nodiscard]] constexpr bool is_as_recorded(WaitKind kind) {
  return is_one_sided(kind) || kind == WaitKind::kFile;
}
[[nodiscard]] constexpr bool is_point_to_point(WaitKind kind) {
  return kind == WaitKind::kLateSender || kind == WaitKind::kLateReceiver;
}

}  // namespace latecomer::patterns
