// SPDX-License-Identifier: BSD-3-Clause
// Functions between clocks: values, inverse, and composition compared with both functions applied
// in turn.
#include "sync/piecewise_linear.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>

using namespace latecomer::sync;
using Knot = PiecewiseLinear::Knot;

namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

// Knots within 5000 s, some of them within milliseconds; rates are off by up to `spread` ppm.
PiecewiseLinear random_function(std::mt19937_64& random, int spread) {
  const auto below = [&](std::int64_t n) {
    return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(n));
  };
  const auto knots = below(6);
  std::vector<Knot> all;
  Nanoseconds at = 1000 * kSecond + below(1000 * kSecond);
  Nanoseconds value = at + below(2'000'000 * kSecond);
  for (std::int64_t i = 0; i < knots; ++i) {
    all.push_back({at, value});
    const Nanoseconds step =
        below(2) == 0 ? 1'000'000 + below(9'000'000) : below(1000 * kSecond) + 1;
    at += step;
    value += step + step / 1'000'000 * (below(2 * spread + 1) - spread) + 1;
  }
  return PiecewiseLinear(all);
}

}  // namespace

TEST_CASE("values lie on the lines between knots and beyond them") {
  const PiecewiseLinear f({{0, 10}, {100, 120}, {200, 200}});
  CHECK(f(0) == 10);
  CHECK(f(50) == 65);  // 10 + 50 * 110 / 100
  CHECK(f(100) == 120);
  CHECK(f(150) == 160);  // 120 + 50 * 80 / 100
  CHECK(f(300) == 280);
  CHECK(f(-10) == -1);
}

TEST_CASE("values are rounded to the nearest integer on both sides of zero") {
  const PiecewiseLinear f({{0, 0}, {4, 2}});
  CHECK(f(1) == 1);   // 0.5
  CHECK(f(-1) == 0);  // -0.5
  CHECK(f(3) == 2);   // 1.5
  CHECK(f(-3) == -1);
  const PiecewiseLinear g({{0, 0}, {10, 1}});
  CHECK(g(-4) == 0);
  CHECK(g(-6) == -1);
}

TEST_CASE("one knot shifts, none changes nothing") {
  CHECK(PiecewiseLinear({{100, 70}})(1'000'000) == 999'970);
  CHECK(PiecewiseLinear()(42) == 42);
}

TEST_CASE("knots that would bend time backwards are left out") {
  const PiecewiseLinear f({{30, 25}, {10, 10}, {10, 11}, {20, 9}, {20, 20}});
  CHECK(f.knots() == std::vector<Knot>{{10, 10}, {20, 20}, {30, 25}});
}

TEST_CASE("composition bends where either function bends") {
  // inner: +5, after 50 one tick in 10 slower     outer: +7, after 155 one in 10 faster
  const PiecewiseLinear inner({{0, 5}, {50, 55}, {1050, 955}});
  const PiecewiseLinear outer({{0, 7}, {155, 162}, {1155, 1262}});
  const PiecewiseLinear both = compose(outer, inner);
  REQUIRE(both.knots().size() == 4);
  CHECK(both.knots()[1] == Knot{50, 62});
  CHECK(both.knots()[2] == Knot{161, 162});  // inner(161) = 55 + 99.9
  for (Nanoseconds t = 0; t < 3000; ++t) CHECK(std::abs(both(t) - outer(inner(t))) <= 1);
}

TEST_CASE("composition of functions without bends has none, and is long") {
  const PiecewiseLinear inner({{5000, 5100}, {6000, 6100}});
  const PiecewiseLinear both = compose(PiecewiseLinear({{9, 10}}), inner);
  REQUIRE(both.knots().size() == 2);
  CHECK(both.knots()[0] == Knot{-91, 10});  // where inner reaches 9
  CHECK(both.knots()[1].at - both.knots()[0].at == kOuterPiece);
  CHECK(compose(inner, PiecewiseLinear()).knots() == inner.knots());
  CHECK(compose(PiecewiseLinear(), inner).knots() == inner.knots());
}

TEST_CASE("property: composition and inverse of random functions") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 1000; ++round) {
    const PiecewiseLinear inner = random_function(random, 300);
    const PiecewiseLinear outer = random_function(random, 300);
    const PiecewiseLinear both = compose(outer, inner);
    const PiecewiseLinear back = both.inverse();
    Nanoseconds before = INT64_MIN;
    for (int i = 0; i < 50; ++i) {
      const Nanoseconds t = 100 * kSecond * i + static_cast<Nanoseconds>(random() % 1000);
      // Rounding of the outer knots counts once per kOuterPiece beyond them.
      Nanoseconds beyond = 0;
      if (both.knots().size() > 1) {
        beyond = std::max({t - both.knots().back().at, both.knots().front().at - t, beyond});
      }
      CHECK(std::abs(both(t) - outer(inner(t))) <= 2 + 2 * (beyond / kOuterPiece));
      CHECK(std::abs(back(both(t)) - t) <= 1);
      CHECK(both(t) > before);
      before = both(t);
    }
  }
}

TEST_CASE("a walk has the same values, whatever the order of times") {
  std::mt19937_64 random(7);
  const auto same = [&](const PiecewiseLinear& f, const std::vector<Nanoseconds>& times) {
    Walk walk(f);
    for (const Nanoseconds t : times) {
      if (walk(t) != f(t)) {
        INFO("t " << t);
        CHECK(walk(t) == f(t));
        return;
      }
    }
  };
  std::vector<PiecewiseLinear> functions = {
      {},
      PiecewiseLinear({{100, 70}}),
      PiecewiseLinear({{0, 0}, {1, 1000}}),
      PiecewiseLinear({{0, 0}, {1000, 1}}),
      PiecewiseLinear({{-kLongest, -kLongest + 9}, {kLongest - 1, kLongest}}),
      PiecewiseLinear({{0, kLongest - 10}, {5, kLongest - 2}, {50, kLongest}})};
  for (int i = 0; i < 300; ++i) functions.push_back(random_function(random, 1 + i * i));
  for (const auto& f : functions) {
    std::vector<Nanoseconds> times = {INT64_MIN,     -kLongest, kLongest, INT64_MIN / 2,
                                      INT64_MAX / 2, 0,         -1,       1};
    for (const auto& k : f.knots()) {
      for (Nanoseconds d = -3; d <= 3; ++d) times.push_back(k.at + d);
    }
    for (int i = 0; i < 500; ++i) {
      times.push_back(static_cast<Nanoseconds>(random() % (4'000 * kSecond)) - 100 * kSecond);
      times.push_back(static_cast<Nanoseconds>(random() >> (random() % 64)) / 2);
      times.push_back(-times.back());
    }
    same(f, times);
    std::ranges::sort(times);
    same(f, times);
  }
}
