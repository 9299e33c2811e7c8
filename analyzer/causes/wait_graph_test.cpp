// SPDX-License-Identifier: BSD-3-Clause
// Waits of several analysis processes are followed in one order, as far as it is certain.
#include "analyzer/causes/wait_graph.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::causes;

TEST_CASE("wait graph: a part that will deliver more is waited for") {
  // Rank 1 waits 6 s until 10 for rank 0, which waited 4 s of that until 5. Each rank is in a part
  // of its own. The path goes from the end of rank 1 to rank 0 at 10.
  GraphWait later, earlier;
  later.event = later.leave = 10;
  later.location = 1;
  later.call = 8;
  later.wait = later.sum = 6;
  later.last = 1;
  earlier.event = earlier.leave = 5;
  earlier.wait = 4;
  earlier.path = false;
  GraphTask task;
  task.locations = 2;
  task.end = {1, 9, 12};
  WaitGraph graph(2, task);
  graph.add(0, memory::Vector<GraphWait>(1, later), false);
  graph.follow();
  CHECK(graph.followed(0) == 0);
  CHECK_FALSE(graph.done());
  graph.add(1, memory::Vector<GraphWait>(1, earlier), false);
  graph.follow();
  CHECK(graph.followed(0) == 1);
  CHECK(graph.followed(1) == 1);
  CHECK(graph.done());
  CHECK(graph.take(0).carried.empty());
  const auto chains = graph.take(1);
  REQUIRE(chains.carried.size() == 1);
  CHECK(chains.carried[0].wait == 0);  // its number in the part
  CHECK(chains.carried[0].cost == 4);
  const auto path = graph.path();
  REQUIRE(path.size() == 2);
  CHECK(path[0].location == 1);
  CHECK(path[0].from == 10);
  CHECK(path[0].to == 12);
  CHECK(path[1].location == 0);
  CHECK(path[1].from == 0);
  CHECK(path[1].to == 10);
}

TEST_CASE("wait graph: a part without waits ends when it has nothing more") {
  WaitGraph graph(1, {});
  CHECK_FALSE(graph.done());
  graph.add(0, {}, false);
  CHECK(graph.done());
  CHECK(graph.path().empty());
}
