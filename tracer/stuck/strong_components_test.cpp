// SPDX-License-Identifier: BSD-3-Clause
// Circles of ranks that wait for each other.
#include "tracer/stuck/strong_components.hpp"

#include <catch2/catch.hpp>

using latecomer::stuck::strong_components;
using Ranks = std::vector<std::uint32_t>;

TEST_CASE("a chain has no circle") {
  // 0 -> 1 -> 2
  CHECK(strong_components({{1}, {2}, {}}, {true, true, true}) == std::vector<Ranks>{{2}, {1}, {0}});
}

TEST_CASE("ranks of one circle are one component") {
  // 0 -> 1 -> 2 -> 0, 3 -> 0, 2 -> 4 (not included)
  CHECK(strong_components({{1}, {2}, {0, 4}, {0}, {2}}, {true, true, true, true, false}) ==
        std::vector<Ranks>{{0, 1, 2}, {3}});
}

TEST_CASE("circles that share a rank are one component") {
  // 0 -> 1 -> 0, 1 -> 2 -> 1
  CHECK(strong_components({{1}, {0, 2}, {1}}, {true, true, true}) == std::vector<Ranks>{{0, 1, 2}});
}

TEST_CASE("nodes that are not there are ignored") {
  CHECK(strong_components({{7, 0}}, {true}) == std::vector<Ranks>{{0}});
  CHECK(strong_components({}, {}).empty());
}
