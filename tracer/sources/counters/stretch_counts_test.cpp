// SPDX-License-Identifier: BSD-3-Clause
#include "tracer/sources/counters/stretch_counts.hpp"

#include <catch2/catch.hpp>

using latecomer::counters::StretchCounts;
using Values = StretchCounts::Values;

TEST_CASE("only what was counted in the computation remains") {
  StretchCounts counts;
  counts.computation_goes_on(Values{5, 100});
  CHECK_FALSE(counts.any());
  counts.computation_ends(Values{9, 100});
  counts.computation_goes_on(Values{20, 130});
  counts.computation_ends(Values{26, 131});
  CHECK(counts.any());
  CHECK(counts.take() == Values{4 + 6, 1});
  CHECK_FALSE(counts.any());
  CHECK(counts.take() == Values{});
}

TEST_CASE("a moment that is left out belongs to the next part") {
  StretchCounts counts;
  counts.computation_goes_on(Values{5});
  counts.computation_ends(Values{9});
  counts.computation_ends(Values{26});  // MPI in between was short
  CHECK(counts.take() == Values{21});
}

TEST_CASE("values of a child that shares the memory change nothing") {
  StretchCounts counts;
  counts.computation_goes_on(Values{500, 7});
  counts.computation_ends(Values{3, 7});
  counts.computation_goes_on(Values{4, 0});
  CHECK_FALSE(counts.any());
  counts.computation_ends(Values{510, 7});
  CHECK(counts.take() == Values{10});
}
