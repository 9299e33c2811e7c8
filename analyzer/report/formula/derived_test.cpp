// SPDX-License-Identifier: BSD-3-Clause
// Derived metrics: the three kinds, aggregation, formulas that use others, and reports made of
// others.
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>

#include "analyzer/report/algebra/cut.hpp"
#include "analyzer/report/algebra/write_combined.hpp"
#include "tests/report/formula_values.hpp"

using namespace latecomer;
using namespace latecomer::test;
using report::Report;
using report::formula::PlaceKind;

TEST_CASE("a percentage is evaluated after summing up") {
  auto report =
      open_with(derived_xml(2, "x", "POSTDERIVED", "100 * metric::mpi() / metric::time()"));
  CHECK_FALSE(report.adds_up(2));
  CHECK(report.total(2) == Approx(100 * 23.0 / 105));
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  const std::vector<std::uint32_t> root = {kA}, both = {kE, kG};
  CHECK(ranks.over(2, root) == std::vector<double>{100 * 11.0 / 49, 100 * 12.0 / 56});
  CHECK(ranks.over(2, both) == std::vector<double>{50, 50});
  CHECK(ranks.at(2, kB, true) == std::vector<double>{100 * 4.5 / 24, 100 * 5.0 / 28});
  CHECK(ranks.at(2, kE, false) == std::vector<double>{50, 50});
  CHECK(ranks.at(2, kD, false) == std::vector<double>{0, 0});
  auto all = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(all.at(2, kB, true).front() == Approx(100 * 9.5 / 52));
  // Locations may be in no group; a group may have no location: 0 / 0 is no value.
  auto second = report.aggregate({report::kNone, 0}, 2, PlaceKind::kNode);
  CHECK(second.over(2, root)[0] == Approx(100 * 12.0 / 56));
  CHECK(std::isnan(second.over(2, root)[1]));
  // Missing values of one group do not affect the others.
  CHECK(report.why_no_values(2).empty());
  const auto values = report.values(2);
  REQUIRE(values);
  CHECK((*values)->row(kE).empty());
}

TEST_CASE("MPI time only") {
  const std::string formula =
      "{ ${a} = 0; if (${cube::region::paradigm}[${calculation::region::id}] eq \"mpi\") "
      "{ ${a} = metric::time(e); }; return ${a}; }";
  CHECK(cells("PREDERIVED_EXCLUSIVE", formula) == kMpi);
}

TEST_CASE("a mask that is set up at the begin") {
  const std::string init =
      "{ global(m); ${i} = 0; while (${i} < ${cube::#callpaths}) { ${m}[${i}] = 0; "
      "${r} = ${cube::callpath::calleeid}[${i}]; "
      "if (${cube::region::role}[${r}] eq \"point2point\") { ${m}[${i}] = 1; }; "
      "${i} = ${i} + 1; }; return 0; }";
  const std::string formula = "${m}[${calculation::callpath::id}] * metric::time(e)";
  CHECK(cells("PREDERIVED_EXCLUSIVE", formula, init_xml(init)) == Cells{{"G", {13, 14}}});
}

TEST_CASE("the maximum over threads") {
  auto report = open_with(
      derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                  fold_xml("plus", "max(arg1,arg2)") + fold_xml("aggr", "max(arg1,arg2)")));
  CHECK_FALSE(report.adds_up(2));
  CHECK(report.total(2) == 14);
  auto all = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(all.at(2, kB, true) == std::vector<double>{10});
  CHECK(all.at(2, kD, false) == std::vector<double>{6});
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(ranks.at(2, kA, true) == std::vector<double>{13, 14});
  const std::vector<std::uint32_t> both = {kB, kE};
  CHECK(ranks.over(2, both) == std::vector<double>{9, 10});
}

TEST_CASE("formulas in place of sums") {
  // Minima of A's own 1 and 2, and of the values below it.
  const auto minimum =
      derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                  fold_xml("plus", "min(arg2, arg1)") + fold_xml("aggr", "min(arg1, arg2)"));
  auto report = open_with(minimum);
  CHECK(report.total(2) == 1);
  auto all = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(all.at(2, kD, true) == std::vector<double>{5});
  // Products over ranks, sums along the call tree: D has 12 and 14 including F.
  report = open_with(derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                                 fold_xml("aggr", "arg1 * arg2")));
  auto products = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(products.at(2, kD, true) == std::vector<double>{168});
  CHECK(products.at(2, kD, false) == std::vector<double>{30});
  // A formula that uses another metric as well: 5 + 6 + 0 x 11.
  report = open_with(derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                                 fold_xml("aggr", "arg1 + arg2 + 0 * metric::time(e)")));
  auto sums = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(sums.at(2, kD, false) == std::vector<double>{11});
  // Sums of squares along the call tree: 5 + 7^2 = 54, 6 + 8^2 = 70.
  report = open_with(derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                                 fold_xml("plus", "arg1 + arg2 ^ 2")));
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(ranks.at(2, kD, true) == std::vector<double>{54, 70});
  // Another formula for minus gives the exclusive value of a call path.
  report = open_with(derived_xml(2, "x", "PREDERIVED_INCLUSIVE", "metric::time(i)",
                                 fold_xml("minus", "arg1 - 2 * arg2")));
  auto own = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(own.at(2, kD, false) == std::vector<double>{12 - 2 * 7, 14 - 2 * 8});
  CHECK(own.at(2, kD, true) == std::vector<double>{12, 14});
}

TEST_CASE("what is evaluated at each call path is summed up") {
  // Exclusive: the square of each exclusive value. Inclusive: the square of the sums, less that of
  // callees.
  CHECK(cells("PREDERIVED_EXCLUSIVE", "metric::mpi() ^ 2") ==
        Cells{{"E", {20.25, 25}}, {"G", {42.25, 49}}});
  CHECK(cells("PREDERIVED_INCLUSIVE", "metric::mpi() ^ 2") ==
        Cells{{"A", {121 - 20.25 - 42.25, 144 - 25 - 49}},
              {"B", {0, 0}},
              {"E", {20.25, 25}},
              {"C", {0, 0}},
              {"G", {42.25, 49}}});
  CHECK(cells("PREDERIVED_EXCLUSIVE", "metric::time(*)") == kTime);
  CHECK(cells("PREDERIVED_INCLUSIVE", "metric::time(*, i)") == kTime);
  // The formula uses the inclusive value; leaves have the same value.
  CHECK(cells("PREDERIVED_EXCLUSIVE", "metric::mpi(i)") ==
        Cells{{"A", {11, 12}}, {"B", {4.5, 5}}, {"E", {4.5, 5}}, {"C", {6.5, 7}}, {"G", {6.5, 7}}});
  // 0 / 0 counts as nothing.
  CHECK(cells("PREDERIVED_EXCLUSIVE", "metric::mpi() / metric::mpi()") ==
        Cells{{"E", {1, 1}}, {"G", {1, 1}}});
}

TEST_CASE("sums of metrics that are evaluated afterwards are ordinary values") {
  for (const char* formula :
       {"metric::time() - metric::mpi() + metric::mpi(*)", "{ return metric::time(); }",
        "2 * metric::time() / 4 + (metric::context::time() * 0.5)", "-(-metric::time())",
        "metric::time() - 0"}) {
    INFO(formula);
    CHECK(cells("POSTDERIVED", formula) == kTime);
    CHECK(cells("DERIVED", formula) == kTime);
  }
  for (const char* formula :
       {"metric::time(i)", "metric::time() + 1", "metric::time() * metric::time()",
        "1 / metric::time()", "max(metric::time(), metric::mpi())", "metric::fixed::time()"}) {
    CHECK_FALSE(open_with(derived_xml(2, "x", "POSTDERIVED", formula)).adds_up(2));
  }
  // A sum of metrics that do not add up.
  auto report = open_with(derived_xml(2, "ratio", "POSTDERIVED", "metric::mpi() / metric::time()") +
                          derived_xml(3, "x", "POSTDERIVED", "metric::ratio() - metric::ratio()"));
  CHECK_FALSE(report.adds_up(3));
  CHECK(report.total(3) == 0);
}

TEST_CASE("formulas of formulas, in any order") {
  auto report = open_with(derived_xml(2, "a", "PREDERIVED_EXCLUSIVE", "2 * metric::b()") +
                          derived_xml(3, "b", "PREDERIVED_EXCLUSIVE", "metric::c() + metric::c()") +
                          derived_xml(4, "c", "POSTDERIVED", "metric::mpi() / 4") +
                          derived_xml(5, "d", "POSTDERIVED", "metric::a() / metric::time(i)"));
  const Cells half = {{"E", {4.5, 5}}, {"G", {6.5, 7}}};
  CHECK(cells(report, 2) == half);
  CHECK(report.total(5) == Approx(23.0 / 105));
}

TEST_CASE("a formula switches metrics off") {
  auto report = open_with(
      derived_xml(2, "a", "PREDERIVED_EXCLUSIVE", "metric::time()",
                  derived_xml(3, "b", "PREDERIVED_EXCLUSIVE", "metric::time()")) +
      derived_xml(
          4, "c", "PREDERIVED_EXCLUSIVE", "metric::time()",
          init_xml("{ if (1) { cube::metric::set::a(\"value\", \"VOID\"); }; return 0; }")));
  CHECK_FALSE(report.stored(0).hidden);
  CHECK(report.stored(2).hidden);
  CHECK(report.stored(3).hidden);
  CHECK_FALSE(report.stored(4).hidden);
}

TEST_CASE("formulas in reports made of others") {
  TemporaryDirectory directory;
  const auto path = [&](const char* name) { return directory.path() / name; };
  const auto ratio = derived_xml(2, "ratio", "POSTDERIVED", "metric::mpi() / metric::time()");
  const auto more =
      derived_xml(3, "longest", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                  fold_xml("plus", "max(arg1,arg2)") + fold_xml("aggr", "max(arg1,arg2)")) +
      derived_xml(4, "by_id", "POSTDERIVED", "metric::call::time(3, i) / 2") +
      derived_xml(5, "twice", "PREDERIVED_EXCLUSIVE", "2 * metric::mpi()");
  write_formula_report(path("a"), ratio + more);
  write_formula_report(path("b"), derived_xml(2, "ratio", "POSTDERIVED", "metric::mpi() * 2 ^ 2"));
  auto a = Report::open(path("a")), b = Report::open(path("b"));
  REQUIRE(a);
  REQUIRE(b);
  const auto written = [&](const report::Combined& combined) {
    {
      std::ofstream out(path("c"), std::ios::binary);
      REQUIRE(report::write_combined(combined, out));
    }
    auto opened = Report::open(path("c"));
    if (!opened) FAIL(opened.problem().text());
    return std::move(*opened);
  };
  // The values below B are 9.5 of 52; by_id names call paths that then have other ids.
  report::Cut below;
  below.roots.assign(7, false);
  below.roots[kB] = true;
  const auto part = report::cut(*a, below);
  REQUIRE(part);
  REQUIRE(part->notes.size() == 1);
  CHECK(mentions(part->notes[0], "metric by_id cannot be summed up"));
  auto c = written(*part);
  CHECK(c.total(c.find("ratio")) == Approx(9.5 / 52));
  CHECK(c.total(c.find("longest")) == 10);
  CHECK(c.total(c.find("twice")) == 19);
  CHECK(c.stored(c.find("twice")).kind == report::StoredMetric::Kind::kExclusive);
  CHECK(c.find("by_id") == report::kNone);
  // The ratio needs time.
  report::Cut few;
  few.metrics = {false, true, true, true, false, false};
  const auto little = report::cut(*a, few);
  REQUIRE(little);
  auto e = written(*little);
  CHECK(e.find("mpi") != report::kNone);
  CHECK(e.find("ratio") == report::kNone);
  // Means of equal reports are equal; formulas that differ have no mean.
  const std::vector<Report*> same = {&*a, &*a}, different = {&*a, &*b};
  auto matching = report::match(same);
  REQUIRE(matching);
  const auto mean = report::combine(report::Operation::kMean, *matching, same);
  REQUIRE(mean);
  auto f = written(*mean);
  CHECK(f.total(f.find("ratio")) == Approx(23.0 / 105));
  matching = report::match(different);
  REQUIRE(matching);
  const auto other = report::combine(report::Operation::kMean, *matching, different);
  REQUIRE(other);
  CHECK(written(*other).find("longest") != report::kNone);
  // The metric of b is a sum, and therefore an ordinary metric.
  const auto diff = report::combine(report::Operation::kDiff, *matching, different);
  REQUIRE(diff);
  CHECK(written(*diff).find("longest") == report::kNone);
  REQUIRE_FALSE(diff->notes.empty());
}
