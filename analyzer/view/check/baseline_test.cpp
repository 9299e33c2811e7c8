// SPDX-License-Identifier: BSD-3-Clause
// Baselines: how much runs differ by chance, and their file.
#include "analyzer/view/check/baseline.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "tests/view/run_with.hpp"

using namespace latecomer;
using namespace latecomer::view;
using test::baseline;
using test::run_with;

TEST_CASE("quantiles of Student's t") {
  CHECK(student_999(1) == Approx(318.309));
  CHECK(student_999(10) == Approx(4.144));
  CHECK(student_999(40) == Approx(3.307).epsilon(0.002));
  CHECK(student_999(100) == Approx(3.174).epsilon(0.002));
  CHECK(student_999(1000000) == Approx(3.0902).epsilon(0.001));
}

TEST_CASE("mean, deviation and noise of runs") {
  // 1, 2, 3, 4, 5: mean 3, deviation sqrt(10/4); noise of one more run: * sqrt(1 + 1/5) * t(4)
  const auto base = baseline({1, 2, 3, 4, 5});
  const auto& late = base.metrics.at("mpi_latesender");
  CHECK(late.mean == Approx(3));
  CHECK(late.deviation == Approx(std::sqrt(2.5)));
  CHECK(late.minimum == 1);
  CHECK(late.maximum == 5);
  CHECK(base.noise("mpi_latesender") == Approx(7.173 * std::sqrt(2.5) * std::sqrt(1.2)));
  CHECK(base.noise("time") == 0);
  CHECK(baseline({7}).noise("mpi_latesender") == 0);
  const auto json = to_json(base);
  CHECK(is_baseline(json));
  const auto again = baseline_from_json(json, "b.json");
  REQUIRE(again);
  CHECK(to_json(*again) == json);
  auto damaged = json;
  damaged["metrics"]["time"].erase("mean");
  CHECK_FALSE(baseline_from_json(damaged, "b.json"));
  damaged = json;
  damaged["schema_version"] = 99;
  CHECK_FALSE(baseline_from_json(damaged, "b.json"));
}
