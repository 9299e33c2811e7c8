// SPDX-License-Identifier: BSD-3-Clause
// Each host has one way to each other one, and metahosts are joined by one connection.
#include "tracer/watch/gather/tree_plan.hpp"

#include <catch2/catch.hpp>
#include <set>

using namespace latecomer::watch;

namespace {

std::vector<AgentHost> hosts(const std::vector<std::int64_t>& metahosts) {
  std::vector<AgentHost> all;
  for (std::size_t i = 0; i < metahosts.size(); ++i) {
    const auto first = static_cast<Rank>(2 * i);
    all.push_back({"host" + std::to_string(i), metahosts[i], {first, first + 1}});
  }
  return all;
}

}  // namespace

TEST_CASE("hosts of a metahost are below its first one") {
  const TreePlan plan(hosts({1, 1, 1, 2, 2}), 2);
  CHECK(!plan.parent(0));
  CHECK(plan.children(0) == std::vector<std::size_t>{1, 2, 3});
  CHECK(plan.parent(4) == 3);
  CHECK(plan.below(3) == std::vector<std::size_t>{3, 4});
  CHECK(plan.next(4, 1) == 3);
  CHECK(plan.next(0, 4) == 3);
  CHECK(plan.host_of(7) == 3);
  CHECK(!plan.host_of(10));
  CHECK(plan.number_of("host4") == 4);
  CHECK(!plan.number_of("elsewhere"));
}

TEST_CASE("any arity makes a tree with one connection per metahost") {
  const std::vector<std::int64_t> metahosts = {5, 7, 5, 5, 9, 7, 5, 7, 5, 9, 5, 5};
  for (std::size_t arity = 0; arity < 14; ++arity) {
    const TreePlan plan(hosts(metahosts), arity);
    std::set<std::pair<std::int64_t, std::int64_t>> between;
    std::size_t connections = 0;
    for (std::size_t i = 0; i < metahosts.size(); ++i) {
      if (const auto parent = plan.parent(i); parent && metahosts[i] != metahosts[*parent]) {
        ++connections;
        between.insert({metahosts[i], metahosts[*parent]});
      }
      for (std::size_t to = 0; to < metahosts.size(); ++to) {
        std::size_t at = i;
        for (std::size_t steps = 0; at != to; ++steps) {
          REQUIRE(steps < metahosts.size());
          at = plan.next(at, to);
        }
      }
    }
    CHECK(plan.below(TreePlan::kRoot).size() == metahosts.size());
    CHECK(connections == 2);
    CHECK(between.size() == 2);
  }
}
