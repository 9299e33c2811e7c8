// SPDX-License-Identifier: BSD-3-Clause
// Drift from messages: the middle of the bounds by hand, and wandering clocks compared with the
// truth.
#include "sync/drift.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <random>

using namespace latecomer::sync;

namespace {
const std::vector<Measured> kNever2(2), kNever3(3);
const auto kFive = [](std::uint32_t, std::uint32_t) { return Ticks{5}; };
}  // namespace

TEST_CASE("narrow bounds in both directions decide") {
  // a -> b 15: at most 15 - 5 = 10 ahead; b -> a -5: at least 5 - -5 = 10 ahead.
  const std::vector<ShortestTime> times = {{0, 1, 0, 15}, {1, 0, 0, -5}};
  const auto drift = estimate_drift(times, kNever2, 1, 1000, kFive);
  CHECK(drift[0](500) == 500);
  CHECK(drift[1](500) == 490);
  CHECK(drift[1](0) == -10);
  CHECK(drift[1](5000) == 4990);
}

TEST_CASE("wide bounds let the measured offset stand, or move it just inside") {
  // a -> b 30, b -> a 10: -5 <= x <= 25 contains 0. With b -> a -10: 15 <= x <= 25 does not.
  CHECK(estimate_drift(std::vector<ShortestTime>{{0, 1, 0, 30}, {1, 0, 0, 10}}, kNever2, 1, 1000,
                       kFive)[1](500) == 500);
  CHECK(estimate_drift(std::vector<ShortestTime>{{0, 1, 0, 30}, {1, 0, 0, -10}}, kNever2, 1, 1000,
                       kFive)[1](500) == 485);
}

TEST_CASE("at the outer measurements the measured offset holds") {
  const std::vector<ShortestTime> times = {{0, 1, 0, 15}, {1, 0, 0, -5}};
  const std::vector<Measured> measured = {{0, 1000}, {0, 1000}};
  const auto drift = estimate_drift(times, measured, 1, 1000, kFive);
  CHECK(drift[1](0) == 0);
  CHECK(drift[1](250) == 245);
  CHECK(drift[1](500) == 490);
  CHECK(drift[1](1000) == 1000);
}

TEST_CASE("clocks that only know each other share what is wrong") {
  // 1 is 300 ahead of 2; both know next to nothing about 0: 150 ahead and 150 behind.
  const std::vector<ShortestTime> times = {{2, 1, 0, 305},  {1, 2, 0, -295}, {0, 1, 0, 1005},
                                           {1, 0, 0, 1005}, {0, 2, 0, 1005}, {2, 0, 0, 1005}};
  const auto drift = estimate_drift(times, kNever3, 1, 1000, kFive);
  CHECK(drift[1](500) == 350);
  CHECK(drift[2](500) == 650);
}

TEST_CASE("property: never farther from the truth than what was measured") {
  // Messages take at least 5, so every bound contains the truth; the width of the bounds is random.
  for (unsigned seed = 0; seed < 300; ++seed) {
    std::mt19937 random(seed);
    const std::uint32_t clocks = 2 + random() % 12;
    std::vector<Ticks> ahead(clocks);
    for (std::uint32_t c = 1; c < clocks; ++c)
      ahead[c] = static_cast<Ticks>(random() % 2001) - 1000;
    std::vector<ShortestTime> times;
    for (std::uint32_t a = 0; a < clocks; ++a) {
      for (std::uint32_t b = 0; b < clocks; ++b) {
        if (a == b || (a != 0 && b != 0 && random() % 3 == 0)) continue;
        const auto waited = static_cast<Ticks>(random() % (random() % 2 == 0 ? 20 : 3000));
        times.push_back({a, b, 0, 5 + ahead[b] - ahead[a] + waited});
      }
    }
    const auto drift = estimate_drift(times, std::vector<Measured>(clocks), 1, 10'000, kFive);
    const auto found = [&](std::uint32_t c) { return 5000 - drift[c](5000); };
    double before = 0, after = 0;
    for (std::uint32_t c = 1; c < clocks; ++c) {
      before += std::pow(static_cast<double>(ahead[c]), 2);
      after += std::pow(static_cast<double>(found(c) - ahead[c]), 2);
    }
    INFO("seed " << seed);
    CHECK(std::sqrt(after) <= std::sqrt(before) + clocks);  // rounding
    for (const auto& s : times)
      CHECK(found(s.to) - found(s.from) <= s.time - 5 + 10);  // it ends near the bounds
  }
}

TEST_CASE("linear between the middles of windows") {
  // Clock 1 is ahead by 0 at 500 and by 20 at 1500: by 10 at 1000.
  const std::vector<ShortestTime> times = {
      {0, 1, 0, 5}, {1, 0, 0, 5}, {0, 1, 1, 25}, {1, 0, 1, -15}};
  const auto drift = estimate_drift(times, kNever2, 2, 1000, kFive);
  CHECK(drift[1](1000) == 990);
}

TEST_CASE("traffic in one direction only, or none, says nothing") {
  const std::vector<ShortestTime> times = {{0, 1, 0, 30}, {1, 2, 0, 8}, {2, 1, 0, 8}};
  const auto drift = estimate_drift(times, kNever3, 1, 1000, kFive);
  CHECK(drift[1](500) == 500);
  CHECK(drift[2](500) == 500);  // clocks 1 and 2 know each other, but not clock 0
}

TEST_CASE("bounds go along chains") {
  // 1 is 7 ahead of 0, 2 is 3 behind 1, so 4 ahead; 0 and 2 alone would allow -395 to 595.
  const std::vector<ShortestTime> times = {{0, 1, 0, 12}, {1, 0, 0, -2},  {1, 2, 0, 2},
                                           {2, 1, 0, 8},  {0, 2, 0, 600}, {2, 0, 0, 400}};
  const auto drift = estimate_drift(times, kNever3, 1, 1000, kFive);
  CHECK(drift[1](500) == 493);
  CHECK(drift[2](500) == 496);
}

TEST_CASE("bounds that contradict each other end somewhere") {
  // Each clock is 1 ahead of the next one around the circle 0 -> 1 -> 2 -> 0.
  const std::vector<ShortestTime> times = {{0, 1, 0, 4}, {1, 0, 0, 6}, {1, 2, 0, 4},
                                           {2, 1, 0, 6}, {2, 0, 0, 4}, {0, 2, 0, 6}};
  const auto drift = estimate_drift(times, kNever3, 1, 1000, kFive);
  CHECK(std::abs(drift[1](500) - 500) <= 2);
  CHECK(std::abs(drift[2](500) - 500) <= 2);
}

TEST_CASE("a clock that wanders is followed to a part of the latency") {
  // Clock 1 is 300 * sin(2 pi t / 1e6) ahead; messages take 20 + (0..30) in either direction.
  std::mt19937 random(1);
  constexpr Ticks kWidth = 10'000;
  std::vector<ShortestTime> times;
  const auto ahead = [](double t) { return 300 * std::sin(2 * M_PI * t / 1e6); };
  for (std::uint32_t w = 0; w < 100; ++w) {
    ShortestTime there{0, 1, w, INT64_MAX}, back{1, 0, w, INT64_MAX};
    for (int i = 0; i < 50; ++i) {
      const auto sent = static_cast<double>(kWidth * w + random() % kWidth);
      const auto flight = static_cast<double>(20 + random() % 30);
      there.time = std::min<Ticks>(there.time, std::llround(flight + ahead(sent + flight)));
      back.time = std::min<Ticks>(back.time, std::llround(flight - ahead(sent)));
    }
    times.push_back(there);
    times.push_back(back);
  }
  const auto drift = estimate_drift(times, kNever2, 100, kWidth,
                                    [](std::uint32_t, std::uint32_t) { return Ticks{20}; });
  for (Ticks t = 5000; t < 995'000; t += 1000) {
    // Uncorrected time t shows truth t - ahead.
    const double truth = static_cast<double>(t) - ahead(static_cast<double>(t));
    CHECK(std::abs(static_cast<double>(drift[1](t)) - truth) < 12);
  }
}
