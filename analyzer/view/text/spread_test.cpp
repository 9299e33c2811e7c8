// SPDX-License-Identifier: BSD-3-Clause
// Texts on how waiting is spread if no rank has a large share.
#include "analyzer/view/text/spread.hpp"

#include <algorithm>
#include <catch2/catch.hpp>

using latecomer::view::RankPlaces;
using latecomer::view::RankShare;

namespace {

// Node i has the ranks 10 i to 10 i + 9; the first half of the nodes is in juelich.
RankPlaces places(std::uint32_t ranks, bool metahosts = false) {
  RankPlaces found;
  for (std::uint32_t r = 0; r < ranks; ++r) {
    found.add(r, "n" + std::to_string(r / 10), !metahosts || r < ranks / 2 ? "juelich" : "bonn");
  }
  return found;
}

// Shares of all ranks; `seconds` gives the time of a rank.
template <typename F>
std::vector<RankShare> shares(std::uint32_t ranks, F&& seconds) {
  std::vector<RankShare> found;
  for (std::uint32_t r = 0; r < ranks; ++r) found.push_back({r, static_cast<double>(seconds(r))});
  std::ranges::stable_sort(found, std::ranges::greater(), &RankShare::seconds);
  return found;
}

}  // namespace

TEST_CASE("spread: evenly over all ranks, or over some") {
  CHECK(places(65536).spread(shares(65536, [](auto) { return 1; })) == "evenly over 65,536 ranks");
  CHECK(places(1000).spread(shares(900, [](auto r) { return 1 + 0.001 * r; })) ==
        "evenly over 900 ranks");
}

TEST_CASE("spread: half of it on a few") {
  // 100 ranks spread over all nodes have 5 s, 900 others 1 s: 500 of 1,400 s. Half, 700 s, takes
  // all of the 100 and 200 of the others.
  CHECK(places(1000).spread(shares(1000, [](auto r) { return r % 10 == 0 ? 5 : 1; })) ==
        "half of it on 300 of 1,000 ranks");
}

TEST_CASE("spread: nodes with more than twice their part") {
  // Three of 100 nodes have 80, 60 and 50 s, the others 10 s: 190 of 1,160 s.
  const auto seconds = [](std::uint32_t r) {
    return r / 10 == 17 ? 8 : r / 10 == 3 ? 6 : r / 10 == 99 ? 5 : 1;
  };
  CHECK(places(1000).spread(shares(1000, seconds)) == "nodes n17 7%, n3 5%, n99 4%");
  // 50 ranks on one node have 9 s each, 450 of 1,400 s.
  RankPlaces fat;
  for (std::uint32_t r = 0; r < 1000; ++r)
    fat.add(r, r < 50 ? "fat" : std::to_string(r), "juelich");
  CHECK(fat.spread(shares(1000, [](auto r) { return r < 50 ? 9 : 1; })) == "node fat 32%");
}

TEST_CASE("spread: metahosts with more than their part") {
  CHECK(places(1000, true).spread(shares(1000, [](auto r) { return r < 500 ? 9 : 1; })) ==
        "juelich 90%");
  CHECK(places(1000, true).spread(shares(1000, [](auto) { return 1; })) ==
        "evenly over 1,000 ranks");
}

TEST_CASE("spread: nothing where ranks say more, or nothing is known") {
  CHECK(places(100).spread(shares(100, [](auto) { return 1; })).empty());
  CHECK(places(1000).spread(shares(1000, [](auto r) { return r == 7 ? 20 : 1; })).empty());
  CHECK(places(1000).spread({}).empty());
  CHECK(places(1000).spread(shares(1000, [](auto r) { return r == 7 ? -1 : 1; })).empty());
  CHECK(places(1000).spread(shares(1000, [](auto) { return 0; })).empty());
}
