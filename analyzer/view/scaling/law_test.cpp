// SPDX-License-Identifier: BSD-3-Clause
// Known laws are found again, with and without noise; what cannot be fitted is not.
#include "analyzer/view/scaling/law.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <functional>
#include <initializer_list>

using namespace latecomer::view;

namespace {

std::vector<ScalingPoint> points_of(const std::function<double(double)>& law,
                                    std::initializer_list<double> ranks) {
  std::vector<ScalingPoint> points;
  for (const double p : ranks) points.push_back({p, law(p)});
  return points;
}

}  // namespace

TEST_CASE("law: exact points give their law, its factors, and no error") {
  struct Case {
    const char* growth;
    double a, b;
    std::function<double(double)> term;
  };
  for (const auto& one : std::initializer_list<Case>{
           {"constant", 3, 0, [](double) { return 0.0; }},
           {"grows as p", 2, 0.5, [](double p) { return p; }},
           {"falls as 1/p", 0, 8, [](double p) { return 1 / p; }},
           {"falls as 1/p", 1, 8, [](double p) { return 1 / p; }},
           {"grows as log p", 1, 0.25, [](double p) { return std::log2(p); }},
           {"grows as p log p", 1, 0.01, [](double p) { return p * std::log2(p); }},
           {"grows as sqrt(p)", 1, 2, [](double p) { return std::sqrt(p); }},
           {"follows (log p)/p", 1, 4, [](double p) { return std::log2(p) / p; }},
           {"grows as p^2", 0.1, 0.001, [](double p) { return p * p; }}}) {
    INFO(one.growth);
    const auto law = fit_law(
        points_of([&](double p) { return one.a + one.b * one.term(p); }, {2, 4, 8, 16, 32}));
    REQUIRE(law);
    CHECK(law->best.growth() == one.growth);
    CHECK(law->best.a == Approx(one.a).margin(1e-6));
    CHECK(law->best.b == Approx(one.b).margin(1e-9));
    CHECK(law->best.error < 1e-6);
    CHECK(law->best.at(64) == Approx(one.a + one.b * one.term(64)));
  }
}

TEST_CASE("law: with noise the error says how much, and the range has the truth") {
  // 1 + 0.1 p, each value wrong by 2 % up and down in turn.
  auto points = points_of([](double p) { return 1 + 0.1 * p; }, {1, 2, 4, 8, 16, 32});
  double sign = 1;
  for (auto& point : points) point.value *= 1 + (sign = -sign) * 0.02;
  const auto law = fit_law(points);
  REQUIRE(law);
  CHECK(law->best.growth() == "grows as p");
  CHECK(law->best.error > 0.01);
  CHECK(law->best.error < 0.06);
  const auto range = law->range(64);
  CHECK(range.least <= 7.4);
  CHECK(range.most >= 7.4 * 0.98);
  CHECK(range.least <= law->best.at(64));
}

TEST_CASE("law: several runs of a size count, and noise alone is constant") {
  const auto law = fit_law(std::vector<ScalingPoint>{
      {2, 1.01}, {2, 0.99}, {4, 0.99}, {4, 1.02}, {8, 1.01}, {8, 0.98}, {16, 1.0}});
  REQUIRE(law);
  CHECK(law->best.growth() == "constant");
  CHECK(law->best.at(1000) == Approx(1).epsilon(0.02));
}

TEST_CASE("law: times that jump have none") {
  // Each way to leave out a point predicts it wrongly by more than the point itself.
  CHECK_FALSE(fit_law(std::vector<ScalingPoint>{{1, 0.001}, {2, 3}, {3, 0.002}, {4, 5}}));
}

TEST_CASE("law: too few sizes, or values that are no times") {
  CHECK_FALSE(fit_law(std::vector<ScalingPoint>{}));
  CHECK_FALSE(fit_law(std::vector<ScalingPoint>{{2, 1}, {4, 2}}));
  CHECK_FALSE(fit_law(std::vector<ScalingPoint>{{2, 1}, {2, 1}, {4, 2}}));
  CHECK_FALSE(fit_law(std::vector<ScalingPoint>{{2, 1}, {4, 0}, {8, 2}}));
  CHECK_FALSE(fit_law(std::vector<ScalingPoint>{{2, 1}, {4, NAN}, {8, 2}}));
}
