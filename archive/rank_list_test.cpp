// SPDX-License-Identifier: BSD-3-Clause
// Short texts of lists of ranks.
#include "archive/rank_list.hpp"

#include <catch2/catch.hpp>

using latecomer::rank_list;

TEST_CASE("ranks are listed in ranges") {
  CHECK(rank_list({3}) == "rank 3");
  CHECK(rank_list({0, 1}) == "ranks 0, 1");
  CHECK(rank_list({0, 1, 2, 5, 7, 8, 9}) == "ranks 0-2, 5, 7-9");
}
