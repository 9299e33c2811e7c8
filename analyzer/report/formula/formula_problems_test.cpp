// SPDX-License-Identifier: BSD-3-Clause
// Formulas that are wrong, fail at some call paths, use themselves, or do not end.
#include <catch2/catch.hpp>
#include <cmath>
#include <random>

#include "tests/report/formula_values.hpp"

using namespace latecomer;
using namespace latecomer::test;
using report::formula::PlaceKind;

TEST_CASE("what is wrong with a formula is said, and where") {
  CHECK(mentions(problem("metric::time() +"), "a value is expected (formula, at its end)"));
  CHECK(mentions(problem("1 + metric::tine()"),
                 "the report has no metric tine (formula, at character 13: '1 + metric::tine()"));
  CHECK(mentions(problem("foo(1)"), "'foo' is no function (formula, at character 1: 'foo(1)')"));
  CHECK(mentions(problem("(1"), "')' is expected"));
  CHECK(mentions(problem("max(1)"), "',' is expected"));
  CHECK(mentions(problem("1 2"), "should end here"));
  CHECK(mentions(problem("\"a"), "quote"));
  CHECK(mentions(problem("\"a\" =~ /(/"), "regular expression is not understood"));
  CHECK(mentions(problem("\"a\" =~ /a"), "ends the pattern"));
  CHECK(mentions(problem("{ ${a} = 1; }"), "'return' is expected"));
  CHECK(mentions(problem("{ return 1; ${a} = 1; }"), "'}' is expected"));
  CHECK(mentions(problem("{ if (1) { return 2; }; return 1; }"), "end of a block only"));
  CHECK(mentions(problem("{ ${a} = 1 return 2; }"), "';' is expected"));
  CHECK(mentions(problem("metric::time(x)"), "i, e or * is expected"));
  CHECK(mentions(problem("${a"), "'}' is missing"));
  CHECK(mentions(problem("${}"), "a name is expected"));
  CHECK(mentions(problem("${cube::no::such}"), "the variable cube::no::such is not known"));
  CHECK(mentions(problem(""), "it has no formula"));
  CHECK(mentions(problem("metric::x()"), "its formula uses itself (x > x)"));
  CHECK(mentions(problem("arg1 + 1"), "in aggregation formulas only"));
  CHECK(mentions(problem("metric::call::time(77, i)"), "no call path 77"));
  CHECK(mentions(problem("metric::call::time(3, i, 9, i)"), "no location 9"));
  CHECK(mentions(problem("{ ${a}[-1] = 1; return 0; }"), "the index -1 of a is out of range"));
  CHECK(mentions(problem("{ ${a}[1e300] = 1; return 0; }"), "out of range"));
  CHECK(mentions(problem("{ ${cube::#regions} = 1; return 0; }"), "cannot be set"));
  for (const char* type : {"POSTDERIVED", "PREDERIVED_EXCLUSIVE", "PREDERIVED_INCLUSIVE"}) {
    CHECK(mentions(problem("{ while (1) { ${a} = 1; }; return 0; }", type), "too many steps"));
  }
  CHECK(mentions(problem(std::string(5000, '(') + "1"), "too deep"));
  // A pattern counts with its states: 25 patterns of 9,000 states exceed the limit of a formula.
  std::string patterns = "{ ";
  for (int i = 0; i < 25; ++i) patterns += "${a} = 0 =~ /a{1000}{9}/; ";
  CHECK(mentions(problem(patterns + "return 0; }"), "too long"));
  CHECK(mentions(problem(std::string(5000, '-') + "1" + std::string(5000, '^')), "expected"));
}

TEST_CASE("a formula that fails somewhere has values elsewhere") {
  // The formula fails at D, which has the id 6.
  auto report = open_with(derived_xml(2, "x", "POSTDERIVED",
                                      "{ ${a} = 0; if (${calculation::callpath::id} == 6) "
                                      "{ ${a} = metric::call::time(77, i); }; "
                                      "return ${a} + metric::mpi() / metric::time(); }") +
                          derived_xml(3, "twice", "POSTDERIVED", "2 * metric::x()"));
  CHECK(report.why_no_values(2).empty());
  CHECK(report.why_no_values(3).empty());
  CHECK(report.formula_gap(2).empty());
  CHECK(report.total(2) == Approx(23.0 / 105));
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  for (const double value : ranks.at(3, kD, true)) CHECK(std::isnan(value));
  for (const double value : ranks.at(2, kD, false)) CHECK(std::isnan(value));
  CHECK(ranks.at(2, kE, true) == std::vector<double>{0.5, 0.5});
  CHECK(ranks.at(3, kE, true) == std::vector<double>{1, 1});
  CHECK(report.why_no_values(2).empty());
  CHECK(report.why_no_values(3).empty());
  CHECK(mentions(report.formula_gap(2),
                 "metric x has no value in some places, the first of them at A > B > D: there is "
                 "no call path 77 (formula, at character"));
  CHECK(mentions(report.formula_gap(3), "the first of them at A > B > D: metric x has no value"));
  // An endless formula has no values from there on.
  report = open_with(derived_xml(2, "x", "POSTDERIVED",
                                 "{ ${n} = 0; while (${calculation::callpath::id} == 6) "
                                 "{ ${n} = ${n} + 1; }; return ${n} + metric::mpi(e); }"));
  CHECK(report.why_no_values(2).empty());
  auto endless = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(endless.at(2, kE, true) == std::vector<double>{4.5, 5});
  for (const double value : endless.at(2, kD, true)) CHECK(std::isnan(value));
  for (const double value : endless.at(2, kE, true)) CHECK(std::isnan(value));
  CHECK(mentions(report.why_no_values(2), "too many steps"));
  CHECK(mentions(report.formula_gap(2), "the first of them at A > B > D: it takes too many steps"));
}

TEST_CASE("a formula that looks at another place from everywhere") {
  auto report =
      open_with(derived_xml(2, "x", "POSTDERIVED",
                            "{ ${a} = 0; if (${calculation::callpath::id} == 6) "
                            "{ ${a} = metric::call::time(77, i); }; return ${a}; }") +
                derived_xml(3, "at_d", "POSTDERIVED", "metric::call::x(6, i) + metric::mpi()"));
  // The formula fails at that place, so there are no values at all.
  CHECK(mentions(report.why_no_values(3), "metric x has no value there"));
  CHECK(std::isnan(report.total(3)));
}

TEST_CASE("formulas in a circle, and what uses them") {
  auto report = open_with(derived_xml(2, "a", "POSTDERIVED", "metric::b() + 1") +
                          derived_xml(3, "b", "PREDERIVED_EXCLUSIVE", "metric::c()") +
                          derived_xml(4, "c", "POSTDERIVED", "metric::fixed::a()") +
                          derived_xml(5, "d", "POSTDERIVED", "metric::c() * 2") +
                          derived_xml(6, "e", "POSTDERIVED", "metric::mpi() * 2"));
  for (std::uint32_t m = 2; m < 5; ++m)
    CHECK(mentions(report.why_no_values(m), "uses itself (a > b > c > a)"));
  CHECK(mentions(report.why_no_values(5), "metric c, which its formula uses, has no values"));
  CHECK(report.why_no_values(6).empty());
  CHECK(report.total(6) == 46);
}

TEST_CASE("chains of formulas") {
  const auto chain = [](int length) {
    std::string metrics;
    for (int i = 0; i < length; ++i) {
      const auto next =
          i + 1 < length ? "metric::m" + std::to_string(i + 1) + "()" : "metric::mpi()";
      metrics += derived_xml(i + 2, "m" + std::to_string(i), "POSTDERIVED",
                             "max(" + next + "," + next + ")");
    }
    return open_with(metrics);
  };
  auto report = chain(60);  // 2^60 steps if each were evaluated separately
  CHECK(report.total(2) == 23);
  auto deep = chain(2000);
  CHECK(mentions(deep.why_no_values(2), "values"));
  CHECK(deep.total(2001) == 23);
}

TEST_CASE("formulas without end do not take long, however many") {
  std::string metrics;
  for (int i = 0; i < 300; ++i) {
    metrics += derived_xml(
        i + 2, "m" + std::to_string(i), i % 2 == 0 ? "POSTDERIVED" : "PREDERIVED_EXCLUSIVE",
        i % 3 == 0
            ? "{ ${i} = 0; while (1) { ${a}[${i}] = \"text\"; ${i} = ${i} + 1; }; return 1; }"
            : "{ while (\"aaaaaaaaaaaaaaaaaaaaaaaa\" =~ /(a*)*(a*)*b/ == 0) { ${a} = 1; }; return "
              "1; }",
        i % 5 == 0 ? init_xml("{ while (1) { ${a} = 1; }; return 0; }") : "");
  }
  const auto begin = std::clock();
  auto report = open_with(metrics);
  for (std::uint32_t m = 2; m < 302; ++m) CHECK_FALSE(report.why_no_values(m).empty());
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 60);  // some seconds with sanitizers
}

TEST_CASE("changed formulas do not crash the reader") {
  const std::vector<std::string> formulas = {
      "100 * metric::mpi() / metric::time(i)",
      "{ ${a} = 0; if (${cube::region::paradigm}[${calculation::region::id}] eq \"mpi\") "
      "{ ${a}[2] = metric::time(e); } else { ${b} = |${a}|; }; return ${a}[2]; }",
      "{ global(m); ${i} = 0; while (${i} < ${cube::#callpaths}) { ${m}[${i}] = \"a\" =~ "
      "/[a-z]+(b|c)?/; "
      "${i} = ${i} + 1; }; return max(sin(${m}[1]), -2 ^ metric::call::time(3, i, 1, e)); }"};
  const std::string letters = "(){}[]|$;,.+-*/^=<>!\"ei0129 am:#~&";
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    auto formula = formulas[random() % formulas.size()];
    for (auto changes = random() % 4 + 1; changes > 0; --changes) {
      const auto at = random() % formula.size();
      switch (random() % 3) {
        case 0:
          formula[at] = letters[random() % letters.size()];
          break;
        case 1:
          formula.erase(at, random() % 5 + 1);
          break;
        default:
          formula.insert(at, formula.substr(random() % formula.size(), random() % 12));
      }
      if (formula.empty()) formula = "1";
    }
    INFO(formula);
    auto report = open_with(
        derived_xml(2, "x", round % 2 == 0 ? "PREDERIVED_EXCLUSIVE" : "POSTDERIVED", formula,
                    round % 4 == 0 ? init_xml(formula) : "") +
        derived_xml(3, "y", "PREDERIVED_INCLUSIVE", "metric::x()", fold_xml("plus", formula)));
    for (const std::uint32_t m : {2U, 3U}) {
      const auto values = report.values(m);
      REQUIRE(values);
      for (std::uint32_t c = 0; c < 7; ++c) {
        for (const double value : (*values)->row(c)) CHECK(std::isfinite(value));
      }
      const double total = report.total(m);
      CHECK((std::isnan(total) || std::isfinite(total)));
    }
  }
}
