// SPDX-License-Identifier: BSD-3-Clause
// Corrected times are those that OTF2's readers compute.
#include "tracer/convert/clock_offsets.hpp"

#include <catch2/catch.hpp>

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
  CHECK(ClockOffsets({}).corrected(5) == 5);
}

TEST_CASE("offsets whose times do not increase are left out") {
  const ClockOffsets offsets({{10, 1, 0}, {10, 2, 0}, {5, 3, 0}, {20, 2, 0}});
  REQUIRE(offsets.points().size() == 2);
  CHECK(offsets.points()[1].local == 20);
}
