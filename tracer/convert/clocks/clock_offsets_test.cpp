// SPDX-License-Identifier: BSD-3-Clause
// Corrected times are those that OTF2's readers compute.
#include "tracer/convert/clocks/clock_offsets.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::convert;

TEST_CASE("offsets are interpolated between the points and continued beyond them") {
  const ClockOffsets offsets({{0, 10, 0}, {100, 20, 0}, {200, 0, 0}});
  CHECK(offsets.corrected(0) == 10);
  CHECK(offsets.corrected(50) == 65);  // 10 + 50 * 10 / 100
  CHECK(offsets.corrected(100) == 120);
  CHECK(offsets.corrected(150) == 160);    // 20 - 50 * 20 / 100
  CHECK(offsets.corrected(300) == 280);    // -20
  CHECK(offsets.corrected(-100) == -100);  // 0
}

TEST_CASE("a single offset counts everywhere, none changes nothing") {
  const ClockOffsets one({{50, -7, 3}});
  REQUIRE(one.points().size() == 2);
  CHECK(one.points()[1].local > one.points()[0].local);
  CHECK(one.corrected(1'000'000) == 999'993);
  CHECK(ClockOffsets().corrected(5) == 5);
  CHECK(ClockOffsets().points().empty());
  CHECK(ClockOffsets::none(70).points().size() == 2);
  CHECK(ClockOffsets::none(70).corrected(5) == 5);
}

TEST_CASE("offsets that are nonsense do not end the conversion") {
  const ClockOffsets offsets({{0, sync::kLongest, 0}, {1, -sync::kLongest, 0}});
  CHECK(offsets.corrected(1'000'000'000'000) == 1'000'000'000'000);
  CHECK(offsets.corrected(INT64_MAX) == INT64_MAX);
}

TEST_CASE("points are the knots of the function with their errors") {
  sync::Correction correction;
  correction.function = sync::PiecewiseLinear({{-5, 0}, {10, 15}, {20, 24}});
  correction.bounds = {{10, 3}, {20, 4}};
  const ClockOffsets offsets(correction);
  REQUIRE(offsets.points().size() == 2);  // OTF2 has no times below zero
  CHECK(offsets.points()[0].local == 10);
  CHECK(offsets.points()[0].offset == 5);
  CHECK(offsets.points()[0].error == 3);
  CHECK(offsets.points()[1].offset == 4);
  CHECK(offsets.points()[1].error == 4);
}
