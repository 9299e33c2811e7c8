// SPDX-License-Identifier: BSD-3-Clause
// The way back along the waits of runs of a few seconds.
#include "analyzer/causes/critical_path_walk.hpp"

#include <catch2/catch.hpp>
#include <vector>

using namespace latecomer;
using namespace latecomer::causes;

namespace {

// A wait of a call of a location that an event of another location's call ended.
GraphWait graph_wait(Ticks event, std::uint32_t location, std::uint32_t call,
                     std::uint32_t cause_location, std::uint32_t cause_call) {
  GraphWait made;
  made.event = made.leave = event;
  made.location = location;
  made.call = call;
  made.cause_location = cause_location;
  made.cause_call = cause_call;
  return made;
}

bool same(const std::vector<PathPart>& path, const std::vector<PathPart>& expected) {
  if (path.size() != expected.size()) return false;
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto &a = path[i], &b = expected[i];
    if (a.location != b.location || a.from != b.from || a.to != b.to) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("critical path: it goes on at the location that ended the wait") {
  // Rank 0 works until 6 and sends. Rank 1 waits from 2 to 6 and works until 8.
  CriticalPath walk({1, 2, 8}, 0);
  walk.visit(graph_wait(6, 1, 1, 0, 1));
  CHECK(same(walk.take(), {{1, 6, 8}, {0, 0, 6}}));
}

TEST_CASE("critical path: waits of other locations, and those after its end, do not count") {
  CriticalPath walk({1, 2, 8}, 0);
  walk.visit(graph_wait(7, 1, 2, 0, 1));  // the call that the path ends before
  walk.visit(graph_wait(6, 3, 1, 0, 1));  // another location
  auto hidden = graph_wait(5, 1, 1, 0, 1);
  hidden.path = false;
  walk.visit(hidden);
  CHECK(same(walk.take(), {{1, 0, 8}}));
}

TEST_CASE("critical path: several waits that end at one moment are followed at once") {
  // Rank 0 makes rank 1 wait until 6, and so does rank 1 rank 2. Rank 1 has no part of the path.
  CriticalPath walk({2, 2, 8}, 0);
  walk.visit(graph_wait(6, 1, 1, 0, 3));
  walk.visit(graph_wait(6, 2, 1, 1, 2));
  CHECK(same(walk.take(), {{2, 6, 8}, {0, 0, 6}}));
}

TEST_CASE("critical path: a wait that was seen late takes its turn when its event is reached") {
  // Rank 1 tests until 9 for a message that was sent at 3. Rank 2's wait, which ended at 2, comes
  // after it in the walk.
  CriticalPath walk({1, 5, 10}, 1);
  auto late = graph_wait(3, 1, 4, 0, 1);
  late.leave = 9;
  late.seen_late = true;
  walk.visit(late);
  walk.visit(graph_wait(2, 2, 1, 0, 1));
  CHECK(same(walk.take(), {{1, 3, 10}, {0, 1, 3}}));
}

TEST_CASE("critical path: without an end there is none") {
  CriticalPath walk({}, 0);
  walk.visit(graph_wait(6, 1, 1, 0, 1));
  CHECK(walk.take().empty());
}
