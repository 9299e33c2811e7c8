// SPDX-License-Identifier: BSD-3-Clause
// Grid versions of metrics: names, texts, and the call times that count.
#include "patterns/derived/grid.hpp"

#include <catch2/catch.hpp>

#include "patterns/metrics.hpp"

using namespace latecomer::patterns;

namespace {
const Metahost kTwo[] = {{0, "Jena"}, {1, "Bonn"}};
}

TEST_CASE("names of grid metrics are made from the base metric and metahost ids") {
  CHECK(grid_name("mpi") == "grid");
  CHECK(grid_name("mpi_latesender") == "grid_latesender");
  CHECK(grid_name("mpi_wait_nxn") == "grid_wait_nxn");
  CHECK(pairs_name("mpi_barrier_wait") == "metahost_pairs_barrier_wait");
  CHECK(pair_name("mpi_latesender", 0, 1) == "metahost_pairs_latesender_0_1");
}

TEST_CASE("pairs are shown as who waits for whom") {
  const MetricTree tree(computed_metrics(kTwo));
  const auto& pair = tree[tree.id("metahost_pairs_latesender_0_1")];
  CHECK(pair.display == "Jena <- Bonn");
  CHECK(pair.description ==
        "Time processes of metahost Jena waited for processes of Bonn in Grid Late Sender.");
}

TEST_CASE("time of a call that crosses metahosts counts for the mirror of its class") {
  const MetricTree tree(computed_metrics(kTwo));
  const auto grid = [&](const char* base) {
    const auto id = grid_of(tree, tree.id(base));
    return id == MetricTree::kNone ? std::string() : tree[id].name;
  };
  CHECK(grid("mpi_point2point") == "grid_point2point");
  CHECK(grid("mpi_collective") == "grid_collective");
  CHECK(grid("mpi_sync_collective") == "grid_sync_collective");
  CHECK(grid("mpi_latesender") == "grid_latesender");
  CHECK(grid("mpi") == "grid");
  CHECK(grid("mpi_rma_communication") == "grid_rma_communication");
  // The nearest ancestor with a mirror counts if the metric has none.
  CHECK(grid("mpi_mgmt_comm") == "grid_management");
  CHECK(grid("mpi_io_individual") == "grid");
  // These metrics are not of MPI.
  CHECK(grid("comp").empty());
  CHECK(grid("execution").empty());
  CHECK(grid("time").empty());
  CHECK(grid("visits").empty());
}

TEST_CASE("a tree without grid has no mirrors") {
  const MetricTree tree(computed_metrics({}));
  CHECK(grid_of(tree, tree.id("mpi_point2point")) == MetricTree::kNone);
  CHECK(grid_of(tree, MetricTree::kNone) == MetricTree::kNone);
}

TEST_CASE("only chosen wait states and their ancestors are mirrored") {
  const auto base = computed_metrics({});
  const std::string chosen[] = {"mpi_latesender"};
  std::vector<std::string> names;
  for (const auto& m : grid_metrics(base, chosen)) names.push_back(m.name);
  CHECK(names == std::vector<std::string>{"grid", "grid_communication", "grid_point2point",
                                          "grid_latesender"});
}
