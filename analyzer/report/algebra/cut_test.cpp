// SPDX-License-Identifier: BSD-3-Clause
// Parts of a report, with values that fit on a line.
#include "analyzer/report/algebra/cut.hpp"

#include <catch2/catch.hpp>

#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::report;
using test::rows_of;
using test::small_report;
using test::written;
using Rows = std::map<std::string, std::vector<double>>;

TEST_CASE("a part of a report") {
  const test::TemporaryDirectory directory;
  auto report = written(small_report(), directory.path() / "a.cubex");
  const auto rows = [&](const Cut& parts, const std::string& metric) {
    auto made = cut(report, parts);
    REQUIRE(made);
    auto result = written(*made, directory.path() / "cut.cubex");
    const auto m = result.find(metric);
    if (m == kNone) return Rows{{"none", {}}};
    const auto values = result.values(m);
    REQUIRE(values);
    return rows_of(result.definitions(), **values);
  };
  // The tree is main(a, b(a), a). Cuts: b as root; without b, whose values main gets; without both
  // a of main.
  CHECK(rows({{false, false, true}, {}, {}}, "time") == Rows{{"b/a", {5, 6}}});
  CHECK(rows({{}, {false, false, true}, {}}, "time") ==
        Rows{{"main", {6, 8}}, {"main/a", {3, 4}}, {"main/a'", {7, 8}}});
  CHECK(rows({{}, {false, true, false, false, true}, {}}, "time") ==
        Rows{{"main", {11, 14}}, {"main/b/a", {5, 6}}});
  CHECK(rows({{}, {}, {false, true}}, "mpi") == Rows{{"main/b/a", {1, 1}}});
  CHECK(rows({{}, {}, {false, true}}, "visits") == Rows{{"none", {}}});
  CHECK(rows({{}, {}, {false, true}}, "time").size() == 4);  // time contains mpi
  const auto nothing = cut(report, {{}, {true}, {}});
  REQUIRE_FALSE(nothing);
  CHECK(nothing.problem().what.find("nothing is left") != std::string::npos);
}
