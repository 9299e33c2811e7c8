// SPDX-License-Identifier: BSD-3-Clause
// The metric tree of reports.
#include <catch2/catch.hpp>

#include "tests/patterns/outline.hpp"

using namespace latecomer::patterns;

TEST_CASE("the metrics of threads stand between MPI and overhead, idle threads behind it") {
  const auto all = outline(computed_metrics({}, {.openmp = true, .pthread = true}));
  CHECK(all.find(R"(        mpi_io_collective
    omp_time
      omp_management
        omp_fork
      omp_synchronization
        omp_barrier
          omp_ebarrier
            omp_ebarrier_wait
          omp_ibarrier
            omp_ibarrier_wait
        omp_critical
          omp_lock_contention_critical
        omp_lock_api
          omp_lock_contention_api
        omp_ordered
        omp_taskwait
      omp_flush
    pthread_time
      pthread_management
      pthread_synchronization
        pthread_lock_api
          pthread_lock_contention_mutex_lock
        pthread_conditional
          pthread_lock_contention_conditional
  overhead
  omp_idle_threads
    omp_limited_parallelism
visits
)") != std::string::npos);
  CHECK(all.find(R"(    delay_finalize_aggregate
      delay_finalize
      delay_finalize_longterm
  delay_omp
    delay_ompbarrier_aggregate
      delay_ompbarrier
      delay_ompbarrier_longterm
    delay_ompidle_aggregate
      delay_ompidle
      delay_ompidle_longterm
    delay_omplock_aggregate
      delay_omplock
      delay_omplock_longterm
  delay_pthread
    delay_pthreadlock_aggregate
      delay_pthreadlock
      delay_pthreadlock_longterm
  delay_unknown
)") != std::string::npos);
  for (const char* name : {"omp_fork", "pthread_time", "omp_limited_parallelism"}) {
    CHECK(find_metric(name));
  }
}

TEST_CASE("bytes of files, and waits at them, are there if they are recorded") {
  const auto all = outline(computed_metrics({}, {.files = true}));
  for (const char* part : {R"(
        mpi_mgmt_file
          mpi_mgmt_file_wait
        mpi_mgmt_win
)",
                           R"(
        mpi_io_collective
          mpi_io_collective_wait
  overhead
)",
                           R"(
    delay_file_aggregate
      delay_file
      delay_file_longterm
    delay_finalize_aggregate
)",
                           R"(
    mpi_wait_propagating_file
    mpi_wait_propagating_finalize
)",
                           R"(
    mpi_wait_terminal_file
    mpi_wait_terminal_finalize
)",
                           R"(
    mpi_wait_direct_file
    mpi_wait_direct_finalize
)",
                           R"(
    mpi_wait_indirect_file
    mpi_wait_indirect_finalize
)"}) {
    CHECK(all.find(part) != std::string::npos);
  }
  const Metahost two[] = {{0, "Jena"}, {3, "Bonn"}};
  const auto grid = outline(computed_metrics(two, {.files = true}));
  CHECK(grid.find(R"(
    grid_mgmt_file
      grid_mgmt_file_wait
)") != std::string::npos);
  CHECK(grid.find(R"(
  grid_io
    grid_io_collective
      grid_io_collective_wait
)") != std::string::npos);
  CHECK(grid.find("    metahost_pairs_mgmt_file_wait_0_3\n") != std::string::npos);
  CHECK(outline(computed_metrics({}, {.files = true})).find(R"(
mpi_file_bytes
  mpi_file_ibytes
    mpi_file_irbytes
    mpi_file_iwbytes
  mpi_file_cbytes
    mpi_file_crbytes
    mpi_file_cwbytes
)") != std::string::npos);
  CHECK(outline(computed_metrics({})).find("mpi_file_bytes") == std::string::npos);
  CHECK(find_metric("mpi_file_cwbytes")->display == "Written");
}

TEST_CASE("the metrics of polling are there if somebody tests") {
  const auto all = outline(computed_metrics({}, {.tests = true}));
  CHECK(all.find(R"(
polling
  polling_latesender
  polling_latereceiver
  polling_barrier_wait
  polling_earlyreduce
  polling_earlyscan
  polling_latebroadcast
  polling_wait_nxn
  polling_late_neighbor
)") != std::string::npos);
  CHECK(outline(computed_metrics({})).find("polling") == std::string::npos);
  CHECK(find_metric("polling_latesender")->display == "Late Sender");
}

TEST_CASE("the metric tree of a run on one metahost") {
  CHECK(outline(computed_metrics({})) == R"(time
  execution
    comp
    mpi
      mpi_management
        mpi_init_exit
          mpi_init_completion
          mpi_finalize_wait
        mpi_mgmt_comm
        mpi_mgmt_file
        mpi_mgmt_win
          mpi_rma_wait_at_create
          mpi_rma_wait_at_free
      mpi_synchronization
        mpi_sync_collective
          mpi_barrier_wait
          mpi_barrier_completion
        mpi_rma_synchronization
          mpi_rma_sync_active
            mpi_rma_sync_late_post
            mpi_rma_early_wait
              mpi_rma_late_complete
            mpi_rma_wait_at_fence
              mpi_rma_early_fence
          mpi_rma_sync_passive
            mpi_rma_sync_lock_competition
            mpi_rma_sync_wait_for_progress
      mpi_communication
        mpi_point2point
          mpi_latesender
            mpi_latesender_wo
              mpi_lswo_different
              mpi_lswo_same
          mpi_latereceiver
        mpi_collective
          mpi_earlyreduce
          mpi_late_contributor
          mpi_earlyscan
          mpi_latebroadcast
          mpi_wait_nxn
          mpi_late_neighbor
          mpi_nxn_completion
        mpi_rma_communication
          mpi_rma_comm_late_post
          mpi_rma_comm_lock_competition
          mpi_rma_comm_wait_for_progress
      mpi_io
        mpi_io_individual
        mpi_io_collective
  overhead
visits
syncs
  syncs_p2p
    syncs_send
      mpi_slr_count
    syncs_recv
      mpi_sls_count
        mpi_slswo_count
  syncs_coll
  syncs_rma
    syncs_rma_active
    syncs_rma_passive
mpi_rma_pairsync_count
  mpi_rma_pairsync_unneeded_count
comms
  comms_p2p
    comms_send
      mpi_clr_count
    comms_recv
      mpi_cls_count
        mpi_clswo_count
  comms_coll
    comms_cxch
    comms_csrc
    comms_cdst
  comms_rma
    comms_rma_puts
    comms_rma_gets
    comms_rma_atomics
mpi_file_ops
  mpi_file_iops
    mpi_file_irops
    mpi_file_iwops
  mpi_file_cops
    mpi_file_crops
    mpi_file_cwops
bytes
  bytes_p2p
    bytes_sent
    bytes_rcvd
  bytes_coll
    bytes_cout
    bytes_cin
  bytes_rma
    bytes_put
    bytes_get
delay
  delay_mpi
    delay_p2p
      delay_latesender_aggregate
        delay_latesender
        delay_latesender_longterm
      delay_latereceiver_aggregate
        delay_latereceiver
        delay_latereceiver_longterm
    delay_collective
      delay_barrier_aggregate
        delay_barrier
        delay_barrier_longterm
      delay_n2n_aggregate
        delay_n2n
        delay_n2n_longterm
      delay_12n_aggregate
        delay_12n
        delay_12n_longterm
      delay_n21_aggregate
        delay_n21
        delay_n21_longterm
      delay_late_contributor_aggregate
        delay_late_contributor
        delay_late_contributor_longterm
      delay_scan_aggregate
        delay_scan
        delay_scan_longterm
      delay_neighbor_aggregate
        delay_neighbor
        delay_neighbor_longterm
    delay_rma
      delay_rma_create_aggregate
        delay_rma_create
        delay_rma_create_longterm
      delay_rma_free_aggregate
        delay_rma_free
        delay_rma_free_longterm
      delay_rma_fence_aggregate
        delay_rma_fence
        delay_rma_fence_longterm
      delay_rma_late_post_aggregate
        delay_rma_late_post
        delay_rma_late_post_longterm
      delay_rma_early_wait_aggregate
        delay_rma_early_wait
        delay_rma_early_wait_longterm
      delay_rma_lock_aggregate
        delay_rma_lock
        delay_rma_lock_longterm
      delay_rma_progress_aggregate
        delay_rma_progress
        delay_rma_progress_longterm
    delay_finalize_aggregate
      delay_finalize
      delay_finalize_longterm
  delay_unknown
waitstates_propagating_vs_terminal
  mpi_wait_propagating
    mpi_wait_propagating_ls
    mpi_wait_propagating_lr
    mpi_wait_propagating_barrier
    mpi_wait_propagating_nxn
    mpi_wait_propagating_latebroadcast
    mpi_wait_propagating_earlyreduce
    mpi_wait_propagating_late_contributor
    mpi_wait_propagating_earlyscan
    mpi_wait_propagating_neighbor
    mpi_wait_propagating_rma_create
    mpi_wait_propagating_rma_free
    mpi_wait_propagating_rma_fence
    mpi_wait_propagating_rma_late_post
    mpi_wait_propagating_rma_early_wait
    mpi_wait_propagating_rma_lock
    mpi_wait_propagating_rma_progress
    mpi_wait_propagating_finalize
  mpi_wait_terminal
    mpi_wait_terminal_ls
    mpi_wait_terminal_lr
    mpi_wait_terminal_barrier
    mpi_wait_terminal_nxn
    mpi_wait_terminal_latebroadcast
    mpi_wait_terminal_earlyreduce
    mpi_wait_terminal_late_contributor
    mpi_wait_terminal_earlyscan
    mpi_wait_terminal_neighbor
    mpi_wait_terminal_rma_create
    mpi_wait_terminal_rma_free
    mpi_wait_terminal_rma_fence
    mpi_wait_terminal_rma_late_post
    mpi_wait_terminal_rma_early_wait
    mpi_wait_terminal_rma_lock
    mpi_wait_terminal_rma_progress
    mpi_wait_terminal_finalize
waitstates_direct_vs_indirect
  mpi_wait_direct
    mpi_wait_direct_latesender
    mpi_wait_direct_latereceiver
    mpi_wait_direct_barrier
    mpi_wait_direct_nxn
    mpi_wait_direct_latebroadcast
    mpi_wait_direct_earlyreduce
    mpi_wait_direct_late_contributor
    mpi_wait_direct_earlyscan
    mpi_wait_direct_neighbor
    mpi_wait_direct_rma_create
    mpi_wait_direct_rma_free
    mpi_wait_direct_rma_fence
    mpi_wait_direct_rma_late_post
    mpi_wait_direct_rma_early_wait
    mpi_wait_direct_rma_lock
    mpi_wait_direct_rma_progress
    mpi_wait_direct_finalize
  mpi_wait_indirect
    mpi_wait_indirect_latesender
    mpi_wait_indirect_latereceiver
    mpi_wait_indirect_barrier
    mpi_wait_indirect_nxn
    mpi_wait_indirect_latebroadcast
    mpi_wait_indirect_earlyreduce
    mpi_wait_indirect_late_contributor
    mpi_wait_indirect_earlyscan
    mpi_wait_indirect_neighbor
    mpi_wait_indirect_rma_create
    mpi_wait_indirect_rma_free
    mpi_wait_indirect_rma_fence
    mpi_wait_indirect_rma_late_post
    mpi_wait_indirect_rma_early_wait
    mpi_wait_indirect_rma_lock
    mpi_wait_indirect_rma_progress
    mpi_wait_indirect_finalize
critical_path
  critical_path_imbalance
performance_impact
  performance_impact_criticalpath
    critical_path_activities
    critical_imbalance_impact
      intra_partition_imbalance
      inter_partition_imbalance
  non_critical_path_activities
imbalance
  imbalance_above
    imbalance_above_single
  imbalance_below
    imbalance_below_bypass
      imbalance_below_singularity
clock_violations
  clock_violations_p2p
    clock_violations_p2p_external
  clock_violations_collective
    clock_violations_collective_external
clock_violation_time
  clock_violation_time_p2p
    clock_violation_time_p2p_external
  clock_violation_time_collective
    clock_violation_time_collective_external
)");
}
