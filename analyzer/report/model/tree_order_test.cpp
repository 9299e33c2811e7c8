// SPDX-License-Identifier: BSD-3-Clause
// Orders of the nodes of trees that fit on a line.
#include "analyzer/report/model/tree_order.hpp"

#include <catch2/catch.hpp>

#include "analyzer/report/model/model.hpp"

using namespace latecomer;
using namespace latecomer::report;
using Nodes = std::vector<std::uint32_t>;

TEST_CASE("deep and wide order of A(B(D(F),E),C(G))") {
  //                    A      B  C  D  E  F  G
  const Nodes parents = {kNone, 0, 0, 1, 1, 3, 2};
  const TreeOrder tree(parents);
  CHECK(tree.deep() == Nodes{0, 1, 3, 5, 4, 2, 6});
  CHECK(tree.wide() == Nodes{0, 1, 2, 3, 4, 5, 6});
}

TEST_CASE("wide order is not breadth first: A(B(D(F)),C(E))") {
  const Nodes parents = {kNone, 0, 0, 1, 2, 3};  // A B C D E F
  const TreeOrder tree(parents);
  CHECK(tree.wide() == Nodes{0, 1, 2, 3, 5, 4});
}

TEST_CASE("orders of several roots, of nothing, of nodes before their parents") {
  CHECK(TreeOrder(Nodes{kNone, kNone, 0, 1}).deep() == Nodes{0, 2, 1, 3});
  CHECK(TreeOrder(Nodes{kNone, kNone, 0, 1}).wide() == Nodes{0, 2, 1, 3});
  CHECK(TreeOrder(Nodes{}).deep().empty());
  CHECK(TreeOrder(Nodes{1, kNone}).deep() == Nodes{1, 0});
}
