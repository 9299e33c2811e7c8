// SPDX-License-Identifier: BSD-3-Clause
// The trees of waits between metahosts.
#include <catch2/catch.hpp>

#include "tests/patterns/outline.hpp"

using namespace latecomer::patterns;

TEST_CASE("one metahost has no grid metrics") {
  const Metahost one[] = {{0, "Jena"}};
  CHECK(outline(computed_metrics(one)) == outline(computed_metrics({})));
}

TEST_CASE("several metahosts add the grid trees behind the others") {
  const Metahost two[] = {{0, "Jena"}, {3, "Bonn"}};
  const auto all = computed_metrics(two);
  const auto base = computed_metrics({});
  const std::vector<Metric> grid(all.begin() + static_cast<std::ptrdiff_t>(base.size()), all.end());
  CHECK(outline(grid) == R"(grid
  grid_management
    grid_init_exit
      grid_init_completion
      grid_finalize_wait
    grid_mgmt_win
      grid_rma_wait_at_create
      grid_rma_wait_at_free
  grid_synchronization
    grid_sync_collective
      grid_barrier_wait
      grid_barrier_completion
    grid_rma_synchronization
      grid_rma_sync_active
        grid_rma_sync_late_post
        grid_rma_early_wait
          grid_rma_late_complete
        grid_rma_wait_at_fence
          grid_rma_early_fence
      grid_rma_sync_passive
        grid_rma_sync_lock_competition
        grid_rma_sync_wait_for_progress
  grid_communication
    grid_point2point
      grid_latesender
        grid_latesender_wo
          grid_lswo_different
          grid_lswo_same
      grid_latereceiver
    grid_collective
      grid_earlyreduce
      grid_late_contributor
      grid_earlyscan
      grid_latebroadcast
      grid_wait_nxn
      grid_late_neighbor
      grid_nxn_completion
    grid_rma_communication
      grid_rma_comm_late_post
      grid_rma_comm_lock_competition
      grid_rma_comm_wait_for_progress
metahost_pairs
  metahost_pairs_finalize_wait
    metahost_pairs_finalize_wait_0_0
    metahost_pairs_finalize_wait_0_3
    metahost_pairs_finalize_wait_3_0
    metahost_pairs_finalize_wait_3_3
  metahost_pairs_rma_wait_at_create
    metahost_pairs_rma_wait_at_create_0_0
    metahost_pairs_rma_wait_at_create_0_3
    metahost_pairs_rma_wait_at_create_3_0
    metahost_pairs_rma_wait_at_create_3_3
  metahost_pairs_rma_wait_at_free
    metahost_pairs_rma_wait_at_free_0_0
    metahost_pairs_rma_wait_at_free_0_3
    metahost_pairs_rma_wait_at_free_3_0
    metahost_pairs_rma_wait_at_free_3_3
  metahost_pairs_barrier_wait
    metahost_pairs_barrier_wait_0_0
    metahost_pairs_barrier_wait_0_3
    metahost_pairs_barrier_wait_3_0
    metahost_pairs_barrier_wait_3_3
  metahost_pairs_rma_sync_late_post
    metahost_pairs_rma_sync_late_post_0_0
    metahost_pairs_rma_sync_late_post_0_3
    metahost_pairs_rma_sync_late_post_3_0
    metahost_pairs_rma_sync_late_post_3_3
  metahost_pairs_rma_early_wait
    metahost_pairs_rma_early_wait_0_0
    metahost_pairs_rma_early_wait_0_3
    metahost_pairs_rma_early_wait_3_0
    metahost_pairs_rma_early_wait_3_3
  metahost_pairs_rma_wait_at_fence
    metahost_pairs_rma_wait_at_fence_0_0
    metahost_pairs_rma_wait_at_fence_0_3
    metahost_pairs_rma_wait_at_fence_3_0
    metahost_pairs_rma_wait_at_fence_3_3
  metahost_pairs_rma_sync_lock_competition
    metahost_pairs_rma_sync_lock_competition_0_0
    metahost_pairs_rma_sync_lock_competition_0_3
    metahost_pairs_rma_sync_lock_competition_3_0
    metahost_pairs_rma_sync_lock_competition_3_3
  metahost_pairs_rma_sync_wait_for_progress
    metahost_pairs_rma_sync_wait_for_progress_0_0
    metahost_pairs_rma_sync_wait_for_progress_0_3
    metahost_pairs_rma_sync_wait_for_progress_3_0
    metahost_pairs_rma_sync_wait_for_progress_3_3
  metahost_pairs_latesender
    metahost_pairs_latesender_0_0
    metahost_pairs_latesender_0_3
    metahost_pairs_latesender_3_0
    metahost_pairs_latesender_3_3
  metahost_pairs_latereceiver
    metahost_pairs_latereceiver_0_0
    metahost_pairs_latereceiver_0_3
    metahost_pairs_latereceiver_3_0
    metahost_pairs_latereceiver_3_3
  metahost_pairs_earlyreduce
    metahost_pairs_earlyreduce_0_0
    metahost_pairs_earlyreduce_0_3
    metahost_pairs_earlyreduce_3_0
    metahost_pairs_earlyreduce_3_3
  metahost_pairs_late_contributor
    metahost_pairs_late_contributor_0_0
    metahost_pairs_late_contributor_0_3
    metahost_pairs_late_contributor_3_0
    metahost_pairs_late_contributor_3_3
  metahost_pairs_earlyscan
    metahost_pairs_earlyscan_0_0
    metahost_pairs_earlyscan_0_3
    metahost_pairs_earlyscan_3_0
    metahost_pairs_earlyscan_3_3
  metahost_pairs_latebroadcast
    metahost_pairs_latebroadcast_0_0
    metahost_pairs_latebroadcast_0_3
    metahost_pairs_latebroadcast_3_0
    metahost_pairs_latebroadcast_3_3
  metahost_pairs_wait_nxn
    metahost_pairs_wait_nxn_0_0
    metahost_pairs_wait_nxn_0_3
    metahost_pairs_wait_nxn_3_0
    metahost_pairs_wait_nxn_3_3
  metahost_pairs_late_neighbor
    metahost_pairs_late_neighbor_0_0
    metahost_pairs_late_neighbor_0_3
    metahost_pairs_late_neighbor_3_0
    metahost_pairs_late_neighbor_3_3
  metahost_pairs_rma_comm_late_post
    metahost_pairs_rma_comm_late_post_0_0
    metahost_pairs_rma_comm_late_post_0_3
    metahost_pairs_rma_comm_late_post_3_0
    metahost_pairs_rma_comm_late_post_3_3
  metahost_pairs_rma_comm_lock_competition
    metahost_pairs_rma_comm_lock_competition_0_0
    metahost_pairs_rma_comm_lock_competition_0_3
    metahost_pairs_rma_comm_lock_competition_3_0
    metahost_pairs_rma_comm_lock_competition_3_3
  metahost_pairs_rma_comm_wait_for_progress
    metahost_pairs_rma_comm_wait_for_progress_0_0
    metahost_pairs_rma_comm_wait_for_progress_0_3
    metahost_pairs_rma_comm_wait_for_progress_3_0
    metahost_pairs_rma_comm_wait_for_progress_3_3
)");
}
