// SPDX-License-Identifier: BSD-3-Clause
// Names, texts and units of metrics, and the search for them.
#include <algorithm>
#include <catch2/catch.hpp>
#include <set>

#include "tests/patterns/outline.hpp"

using namespace latecomer::patterns;

TEST_CASE("names, texts and units of every metric") {
  std::set<std::string> seen;
  const auto all = computed_metrics(kThree, {.files = true});
  const MetricTree tree(all);
  for (MetricId id = 0; id < tree.size(); ++id) {
    const auto& m = tree[id];
    INFO(m.name);
    CHECK(seen.insert(m.name).second);
    CHECK(std::ranges::all_of(m.name, [](unsigned char c) { return std::isalnum(c) || c == '_'; }));
    CHECK_FALSE(m.display.empty());
    // The tool tip has one sentence.
    CHECK(m.description.ends_with('.'));
    CHECK(m.description.find(". ") == std::string::npos);
    CHECK(m.description.find('\n') == std::string::npos);
    CHECK(m.explanation.size() > m.description.size() / 2);
    CHECK(m.explanation.ends_with(".\n"));
    if (m.parent.empty()) continue;
    REQUIRE(tree.parent(id) != MetricTree::kNone);
    CHECK(tree.parent(id) < id);
    CHECK(tree[tree.parent(id)].unit == m.unit);
  }
}

TEST_CASE("every wait state says what causes it and what to try") {
  const MetricTree tree(computed_metrics({}, {.files = true}));
  CHECK(wait_state_names() == std::vector<std::string>{"mpi_finalize_wait",
                                                       "mpi_barrier_wait",
                                                       "mpi_mgmt_file_wait",
                                                       "mpi_latesender",
                                                       "mpi_latereceiver",
                                                       "mpi_earlyreduce",
                                                       "mpi_late_contributor",
                                                       "mpi_earlyscan",
                                                       "mpi_latebroadcast",
                                                       "mpi_wait_nxn",
                                                       "mpi_late_neighbor",
                                                       "mpi_rma_wait_at_create",
                                                       "mpi_rma_wait_at_free",
                                                       "mpi_rma_sync_late_post",
                                                       "mpi_rma_early_wait",
                                                       "mpi_rma_wait_at_fence",
                                                       "mpi_rma_sync_lock_competition",
                                                       "mpi_rma_sync_wait_for_progress",
                                                       "mpi_rma_comm_late_post",
                                                       "mpi_rma_comm_lock_competition",
                                                       "mpi_rma_comm_wait_for_progress",
                                                       "mpi_io_collective_wait"});
  for (const auto& name : wait_state_names()) {
    INFO(name);
    const auto& text = tree[tree.id(name)].explanation;
    CHECK(text.find("Typical causes:") != std::string::npos);
    CHECK(text.find("What to try:") != std::string::npos);
  }
}

TEST_CASE("texts are found for metrics of any trace") {
  CHECK(find_metric("mpi_latesender")->display == "Late Sender");
  CHECK(find_metric("grid_latesender")->display == "Grid Late Sender");
  CHECK(find_metric("metahost_pairs")->display == "Waiting metahost <- causing metahost");
  CHECK(find_metric("metahost_pairs_latesender_4_12")->display == "4 <- 12");
  CHECK(find_metric("metahost_pairs_wait_nxn_5_5")->display == "5 <- 5");
}

TEST_CASE("there is no text for what is not a metric") {
  for (const char* name : {"", "mpi_latesende", "mpi_latereceive", "metahost_pairs_latesender_4",
                           "metahost_pairs_nothing_0_1", "metahost_pairs_latesender_1_",
                           "metahost_pairs_latesender_1_99999999999999999999", "_0_1", "0"}) {
    INFO(name);
    CHECK_FALSE(find_metric(name).has_value());
  }
}
