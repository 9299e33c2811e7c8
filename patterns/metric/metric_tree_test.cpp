// SPDX-License-Identifier: BSD-3-Clause
// The tree: look-up, ancestors, document order.
#include <catch2/catch.hpp>

#include "patterns/metric/metric.hpp"

using namespace latecomer::patterns;

namespace {

Metric metric(const char* name, const char* parent) { return {.name = name, .parent = parent}; }

std::vector<std::string> names(const std::vector<Metric>& metrics) {
  std::vector<std::string> out;
  for (const auto& m : metrics) out.push_back(m.name);
  return out;
}

}  // namespace

TEST_CASE("metrics are found by name, parents by id") {
  const MetricTree tree({metric("a", ""), metric("b", "a"), metric("c", "b"), metric("d", "")});
  CHECK(tree.size() == 4);
  CHECK(tree.id("c") == 2);
  CHECK(tree.id("x") == MetricTree::kNone);
  CHECK(tree.id("") == MetricTree::kNone);
  CHECK(tree.parent(2) == 1);
  CHECK(tree.parent(0) == MetricTree::kNone);
  CHECK(tree[3].name == "d");
  CHECK(tree.path(2) == std::vector<MetricId>{2, 1, 0});
  CHECK(tree.path(3) == std::vector<MetricId>{3});
  CHECK(tree.path(MetricTree::kNone).empty());
}

TEST_CASE("a parent that is not there makes a root, a repeated name means the first") {
  const MetricTree tree({metric("a", "gone"), metric("b", ""), metric("b", "a")});
  CHECK(tree.parent(0) == MetricTree::kNone);
  CHECK(tree.id("b") == 1);
}

TEST_CASE("document order: depth first, siblings as given") {
  const auto sorted =
      depth_first({metric("time", ""), metric("execution", "time"), metric("overhead", "time"),
                   metric("visits", ""), metric("comp", "execution"), metric("mpi", "execution")});
  CHECK(names(sorted) ==
        std::vector<std::string>{"time", "execution", "comp", "mpi", "overhead", "visits"});
}

TEST_CASE("document order leaves out what hangs on nothing") {
  CHECK(names(depth_first({metric("b", "a"), metric("c", "")})) == std::vector<std::string>{"c"});
  CHECK(depth_first({}).empty());
}
