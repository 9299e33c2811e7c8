// SPDX-License-Identifier: BSD-3-Clause
// Conditions as they are typed.
#include "analyzer/view/check/condition.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::view;

namespace {

Condition parsed(const std::string& text) {
  const auto result = parse_condition(text, "--fail");
  if (!result) FAIL(result.problem().text());
  return *result;
}

}  // namespace

TEST_CASE("conditions are names, comparisons, bounds and units") {
  const auto change = parsed(" mpi_latesender > +5% ");
  CHECK(change.metric == "mpi_latesender");
  CHECK(change.above);
  CHECK(change.change);
  CHECK(change.percent);
  CHECK(change.bound == 5);
  const auto budget = parsed("Late Sender<500ms");
  CHECK(budget.metric == "Late Sender");
  CHECK_FALSE(budget.above);
  CHECK_FALSE(budget.change);
  CHECK(budget.bound == Approx(0.5));
  CHECK(budget.unit == "sec");
  CHECK(parsed("x>-.5").bound == -0.5);
  CHECK(parsed("x<3MB").bound == 3e6);
  CHECK(parsed("x>1e3").unit.empty());
  for (const char* wrong : {"", "x", ">5", "x>", "x>+", "x>%", "x>five", "x>--5", "x>+-5", "x>nan",
                            "x>5parsec", "x>5%%", "x>inf"}) {
    const auto refused = parse_condition(wrong, "--fail");
    INFO(wrong);
    REQUIRE_FALSE(refused);
    CHECK(refused.problem().status == Exit::kUsage);
  }
}
