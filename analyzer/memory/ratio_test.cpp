// SPDX-License-Identifier: BSD-3-Clause
// Shares are rounded to the nearest integer, halves away from zero.
#include "analyzer/memory/ratio.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::memory;

TEST_CASE("ratios are rounded once") {
  CHECK(rounded_division(4, 3) == 1);
  CHECK(rounded_division(5, 2) == 3);
  CHECK(rounded_division(-5, 2) == -3);
  CHECK(rounded_division(-4, 3) == -1);
  CHECK(rounded_ratio(7, 3, 2) == 11);  // 10.5
  CHECK(rounded_ratio(-7, 3, 2) == -11);
}

TEST_CASE("products beyond 64 bits do not overflow") {
  // The second one fits, but not with the half that is added to round it.
  CHECK(rounded_ratio(INT64_MAX, 1000, 1000) == INT64_MAX);
  CHECK(rounded_ratio(INT64_MAX, 1, 4) == INT64_MAX / 4 + 1);
  CHECK(rounded_ratio(INT64_MIN + 1, 6, 12) == INT64_MIN / 2);
}
