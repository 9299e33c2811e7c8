// SPDX-License-Identifier: BSD-3-Clause
// Derived metrics: the language, the three kinds, aggregation, and what is wrong with formulas.
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <fstream>
#include <map>
#include <random>

#include "analyzer/report/algebra/cut.hpp"
#include "analyzer/report/algebra/write_combined.hpp"
#include "analyzer/report/read_cube.hpp"
#include "tests/report/formula_report.hpp"

using namespace latecomer;
using namespace latecomer::test;
using report::Report;
using report::formula::PlaceKind;

namespace {

Report open_with(const std::string& derived) {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  write_formula_report(file, derived);
  auto report = Report::open(file);
  if (!report) FAIL(report.problem().text());
  return std::move(*report);
}

// What a POSTDERIVED metric has for the whole report.
double whole(const std::string& formula) {
  auto report = open_with(derived_xml(2, "x", "POSTDERIVED", formula));
  const double value = report.total(2);
  INFO(formula);
  CHECK(report.formula_problem(2).empty());
  if (!report.formula_problem(2).empty()) UNSCOPED_INFO(report.formula_problem(2));
  return value;
}

std::string problem(const std::string& formula, const std::string& type = "POSTDERIVED") {
  auto report = open_with(derived_xml(2, "x", type, formula));
  const auto values = report.values(2);
  REQUIRE(values);
  for (std::uint32_t c = 0; c < 7; ++c) CHECK((*values)->row(c).empty());
  return report.formula_problem(2);
}

// Call path A..G -> values at both ranks, of a metric that adds up.
std::map<std::string, std::vector<double>> cells(Report& report, std::uint32_t metric) {
  std::map<std::string, std::vector<double>> out;
  const auto& d = report.definitions();
  const auto values = report.values(metric);
  REQUIRE(values);
  INFO(report.formula_problem(metric));
  CHECK(report.formula_problem(metric).empty());
  CHECK(report.adds_up(metric));
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto row = (*values)->row(c);
    if (!row.empty()) out[d.regions[d.call_paths[c].region].name] = {row.begin(), row.end()};
  }
  return out;
}

std::map<std::string, std::vector<double>> cells(const std::string& type,
                                                 const std::string& formula,
                                                 const std::string& more = "") {
  auto report = open_with(derived_xml(2, "x", type, formula, more));
  return cells(report, 2);
}

using Cells = std::map<std::string, std::vector<double>>;
const Cells kMpi = {{"E", {9, 10}}, {"G", {13, 14}}};
const Cells kTime = {{"A", {1, 2}},  {"B", {3, 4}},   {"D", {5, 6}},  {"F", {7, 8}},
                     {"E", {9, 10}}, {"C", {11, 12}}, {"G", {13, 14}}};
// Documents list A B D F E C G.
constexpr std::uint32_t kA = 0, kB = 1, kD = 2, kE = 4, kG = 6;

bool mentions(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) UNSCOPED_INFO(text);
  return found;
}

}  // namespace

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
  // No value here says nothing against values there.
  CHECK(report.formula_problem(2).empty());
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
  // Minima: of A's own 1 and 2, and what is below.
  const auto minimum =
      derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                  fold_xml("plus", "min(arg2, arg1)") + fold_xml("aggr", "min(arg1, arg2)"));
  auto report = open_with(minimum);
  CHECK(report.total(2) == 1);
  auto all = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(all.at(2, kD, true) == std::vector<double>{5});
  // A product over ranks, sums along the call tree: D has 12 and 14 with F.
  report = open_with(derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                                 fold_xml("aggr", "arg1 * arg2")));
  auto products = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(products.at(2, kD, true) == std::vector<double>{168});
  CHECK(products.at(2, kD, false) == std::vector<double>{30});
  // A formula that looks at other metrics as well: 5 + 6 + 0 x 11.
  report = open_with(derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                                 fold_xml("aggr", "arg1 + arg2 + 0 * metric::time(e)")));
  auto sums = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(sums.at(2, kD, false) == std::vector<double>{11});
  // Sums of squares along the call tree: 5 + 7^2 = 54, 6 + 8^2 = 70.
  report = open_with(derived_xml(2, "x", "PREDERIVED_EXCLUSIVE", "metric::time(e)",
                                 fold_xml("plus", "arg1 + arg2 ^ 2")));
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(ranks.at(2, kD, true) == std::vector<double>{54, 70});
  // With another formula for minus, that is used to find what a call path has by itself.
  report = open_with(derived_xml(2, "x", "PREDERIVED_INCLUSIVE", "metric::time(i)",
                                 fold_xml("minus", "arg1 - 2 * arg2")));
  auto own = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(own.at(2, kD, false) == std::vector<double>{12 - 2 * 7, 14 - 2 * 8});
  CHECK(own.at(2, kD, true) == std::vector<double>{12, 14});
}

TEST_CASE("what is evaluated at each call path is summed up") {
  // Exclusive: the square of each value of its own. Inclusive: of the sums, less that of callees.
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
  // The other value: that of leaves is the same.
  CHECK(cells("PREDERIVED_EXCLUSIVE", "metric::mpi(i)") ==
        Cells{{"A", {11, 12}}, {"B", {4.5, 5}}, {"E", {4.5, 5}}, {"C", {6.5, 7}}, {"G", {6.5, 7}}});
  // 0 / 0 counts nothing.
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
  // A sum of what does not add up.
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

TEST_CASE("arithmetic") {
  CHECK(whole("1 + 2 * 3 - 4 / 2") == 5);
  CHECK(whole("123.4 + 234 -( 23)^2") == Approx(123.4 + 234 - 529));
  CHECK(whole("2 ^ 3 ^ 2") == 512);
  CHECK(whole("-2 ^ 2") == -4);
  CHECK(whole("2 ^ -1") == 0.5);
  CHECK(whole("7 - 3 - 2") == 2);
  CHECK(whole("8 / 4 / 2") == 1);
  CHECK(whole("|3 - 5| + 1e-3 + .5") == Approx(2.501));
  CHECK(whole("+4 - -3") == 7);
  CHECK(std::isnan(whole("1 / 0")));
}

TEST_CASE("comparison and logic") {
  CHECK(whole("1 == 1") == 1);
  CHECK(whole("1 != 1") == 0);
  CHECK(whole("1 < 2") == 1);
  CHECK(whole("2 <= 2") == 1);
  CHECK(whole("1 > 2") == 0);
  CHECK(whole("2 >= 3") == 0);
  CHECK(whole("1 and 0") == 0);
  CHECK(whole("1 and 2") == 1);
  CHECK(whole("0 or 3") == 1);
  CHECK(whole("0 or 0") == 0);
  CHECK(whole("1 xor 1") == 0);
  CHECK(whole("1 xor 0") == 1);
  CHECK(whole("not 1") == 0);
  CHECK(whole("not not 5") == 1);
  CHECK(whole("not 0 and 1 < 2 or 0") == 1);
  CHECK(whole("1 + 1 == 2 and 3 > 2") == 1);
}

TEST_CASE("texts") {
  CHECK(whole("\"mpi\" eq \"mpi\"") == 1);
  CHECK(whole("\"mpi\" eq \"MPI\"") == 0);
  CHECK(whole("\"mpi\" seq \"MPI\"") == 1);
  CHECK(whole("\"mpi\" seq \"MPIX\"") == 0);
  CHECK(whole("\"MPI_Send\" =~ /^MPI_/") == 1);
  CHECK(whole("\"PMPI_Send\" =~ /^MPI_/") == 0);
  CHECK(whole("\"a/b\" =~ /a\\/b$/") == 1);
  CHECK(whole("lowercase(\"MPI\") eq \"mpi\"") == 1);
  CHECK(whole("uppercase(\"mpi\") eq 'MPI'") == 1);
  CHECK(whole("\"12.5 sec\" + 1") == 13.5);  // as a number
  CHECK(whole("12.5 eq \"12.5\"") == 1);     // as a text
  CHECK(whole("\"many\" + 1") == 1);
  CHECK(whole("env(\"HOME\") eq \"\"") == 1);
}

TEST_CASE("functions") {
  const std::map<std::string, double> expected = {
      {"abs(-2)", 2},
      {"sqrt(9)", 3},
      {"exp(1)", std::exp(1.0)},
      {"log(exp(2))", 2},
      {"ln(exp(2))", 2},
      {"sin(1)", std::sin(1.0)},
      {"cos(1)", std::cos(1.0)},
      {"tan(1)", std::tan(1.0)},
      {"cot(1)", 1 / std::tan(1.0)},
      {"asin(0.5)", std::asin(0.5)},
      {"acos(0.5)", std::acos(0.5)},
      {"atan(2)", std::atan(2.0)},
      {"acot(2)", std::atan(0.5)},
      {"floor(-1.5)", -2},
      {"ceil(1.2)", 2},
      {"sgn(-7) + sgn(0) + 10 * sgn(3)", 9},
      {"pos(-1) + pos(2)", 2},
      {"neg(-1) + neg(2)", -1},
      {"max(1, 2) * 10 + min(1, 2)", 21},
      {"sin ({ return 1; })", std::sin(1.0)},
  };
  for (const auto& [formula, value] : expected) CHECK(whole(formula) == Approx(value));
  const double random = whole("random(5)");
  CHECK(random >= 0);
  CHECK(random < 5);
  CHECK(whole("random(5)") == random);  // the same report has the same values
  CHECK(whole("{ ${a} = random(); ${b} = random(); return ${a} != ${b}; }") == 1);
}

TEST_CASE("blocks, variables, conditions, loops") {
  CHECK(whole("{ return 24; }") == 24);
  CHECK(whole("{ return 24 }") == 24);
  CHECK(whole("{ ${a} = 123; return ${a}; }") == 123);
  CHECK(whole("{ ${x} = 1; ${x}[3] = 2; return ${x} * 100 + ${x}[3] * 10 + sizeof(x); }") == 124);
  CHECK(whole("{ ${x}[1] = \"t\"; ${y} = ${x}[1]; return ${y} eq \"t\"; }") == 1);
  CHECK(whole("{ ${x} = 1; return 10 * defined(x) + defined(y) + sizeof(y); }") == 10);
  CHECK(whole("{ ${x} = 5; ${x} = \"7\"; ${x} = ${x} + 1; return ${x}; }") == 8);
  CHECK(
      whole(
          "{ ${i}=0; ${s}=0; while (${i}<123) { ${s}=${s}+${i}; ${i}=${i}+1; }; return ${s}; }") ==
      7503);
  const auto choice = [](const std::string& value) {
    return whole("{ ${a} = " + value +
                 "; if (${a} == 1) { ${b} = 10; } elseif (${a} == 2) { ${b} = 20; } "
                 "elseif (${a} == 3) { ${b} = 30; } else { ${b} = 40; }; return ${b}; }");
  };
  CHECK(choice("1") == 10);
  CHECK(choice("2") == 20);
  CHECK(choice("3") == 30);
  CHECK(choice("4") == 40);
  CHECK(whole("{ if (0) { ${b} = 1; } return ${b}; }") == 0);
  CHECK(whole("{ ${a} = 2; ${b} = { ${c} = ${a} * 2; return ${c}; }; return ${b}; }") == 4);
}

TEST_CASE("ways that differ from rank to rank") {
  // 9 and 10: only the second is larger than 9.5.
  const std::string formula =
      "{ ${a} = 0; if (metric::time() > 9.5 and metric::mpi() > 0) { ${a} = metric::time(); } "
      "elseif (metric::time() == 13) { ${a} = 1; }; return ${a}; }";
  CHECK(cells("PREDERIVED_EXCLUSIVE", formula) == Cells{{"E", {0, 10}}, {"G", {13, 14}}});
  const std::string table =
      "{ ${t}[0] = 5; ${t}[1] = 6; return ${t}[${calculation::sysres::id}] * (metric::mpi() > 0); "
      "}";
  CHECK(cells("PREDERIVED_EXCLUSIVE", table) == Cells{{"E", {5, 6}}, {"G", {5, 6}}});
  const std::string loop =
      "{ ${n} = 0; while (${n} < metric::mpi()) { ${n} = ${n} + 1; }; return ${n}; }";
  CHECK(cells("PREDERIVED_EXCLUSIVE", loop) == Cells{{"E", {5, 5}}, {"G", {7, 7}}});
}

TEST_CASE("where a formula is evaluated") {
  const auto one = [](const std::string& formula) {
    return cells("PREDERIVED_EXCLUSIVE", formula);
  };
  const auto ids = one("${calculation::callpath::id}");
  CHECK(ids.at("B") == std::vector<double>{3, 3});
  CHECK(ids.at("F") == std::vector<double>{1, 1});
  CHECK(ids.count("A") == 0);
  CHECK(one("${calculation::region::id}").at("G") == std::vector<double>{6, 6});
  CHECK(one("${calculation::metric::id}").at("G") == std::vector<double>{2, 2});
  CHECK(one("${calculation::sysres::id}").at("A") == std::vector<double>{0, 1});
  CHECK(one("${calculation::sysres::kind}").at("A") == std::vector<double>{7, 7});
  CHECK(one("${calculation::callpath::state}").at("A") == std::vector<double>{1, 1});
  CHECK(cells("PREDERIVED_INCLUSIVE", "${calculation::callpath::state}").empty());
  CHECK(one("${calculation::region::name} eq \"\"").size() == 7);  // empty since version 1.1
  auto report = open_with(derived_xml(2, "x", "POSTDERIVED", "${calculation::sysres::kind}"));
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(ranks.at(2, kA, true) == std::vector<double>{6, 6});
}

TEST_CASE("other values than those of the same place") {
  CHECK(whole("metric::fixed::time()") == 105);
  CHECK(whole("metric::call::time(3, i)") == 52);
  CHECK(whole("metric::call::time(3, e)") == 7);
  CHECK(whole("metric::call::time(3, i, 1, e)") == 28);
  CHECK(whole("metric::time(e)") == 3);
  CHECK(whole("metric::time(i, i)") == 105);
  CHECK(cells("PREDERIVED_EXCLUSIVE", "metric::mpi() * metric::fixed::mpi()") ==
        Cells{{"E", {103.5, 115}}, {"G", {149.5, 161}}});
}

TEST_CASE("tables of definitions") {
  const auto in_table = [](const std::string& table, int id) {
    return "${cube::" + table + "}[" + std::to_string(id) + "]";
  };
  const std::vector<std::pair<std::string, std::string>> texts = {
      {in_table("region::name", 4), "E"},
      {in_table("region::mangled::name", 4), "E"},
      {in_table("region::paradigm", 4), "mpi"},
      {in_table("region::role", 6), "point2point"},
      {in_table("region::mod", 0), "a.c"},
      {in_table("region::description", 0), ""},
      {in_table("region::url", 0), ""},
      {in_table("region::name", 99), ""},
      {in_table("callpath::mod", 3), ""},
      {in_table("location::name", 1), "Master thread"},
      {in_table("location::type", 1), "thread"},
      {in_table("locationgroup::name", 1), "MPI Rank 1"},
      {in_table("locationgroup::type", 1), "process"},
      {in_table("stn::name", 1), "n"},
      {in_table("stn::class", 0), "machine"},
      {in_table("stn::description", 0), ""}};
  for (const auto& [variable, text] : texts) {
    INFO(variable);
    CHECK(whole(variable + " eq \"" + text + "\"") == 1);
  }
  const std::vector<std::pair<std::string, double>> numbers = {
      {in_table("region::begin::line", 0), 1},
      {in_table("region::end::line", 0), 2},
      {in_table("callpath::calleeid", 3), 1},
      {in_table("callpath::parent::id", 6), 3},
      {in_table("callpath::parent::id", 0), -1},
      {in_table("callpath::line", 3), -1},
      {in_table("callpath::#children", 3), 2},
      {in_table("location::rank", 1), 0},
      {in_table("location::void", 1), 0},
      {in_table("locationgroup::rank", 1), 1},
      {in_table("locationgroup::void", 1), 0},
      {"${cube::#metrics}", 3},
      {"${cube::#regions}", 7},
      {"${cube::#callpaths}", 7},
      {"${cube::#locations}", 2},
      {"${cube::#locationgroups}", 2},
      {"${cube::#stns}", 2},
      {"sizeof(cube::region::name)", 7}};
  for (const auto& [variable, number] : numbers) {
    INFO(variable);
    CHECK(whole(variable) == number);
  }
}

TEST_CASE("global and local variables") {
  // One formula sets, the other sees; a local one of the same name hides it.
  auto report =
      open_with(derived_xml(2, "a", "POSTDERIVED", "${g}[1]",
                            init_xml("{ global(g); ${g}[1] = 7; return 0; }")) +
                derived_xml(3, "b", "POSTDERIVED", "${g}[1] * 2") +
                derived_xml(4, "c", "POSTDERIVED", "{ local(g); return ${g}[1]; }") +
                derived_xml(5, "d", "POSTDERIVED", "${h}", init_xml("{ ${h} = 3; return 0; }")));
  CHECK(report.total(2) == 7);
  CHECK(report.total(3) == 14);
  CHECK(report.total(4) == 0);
  CHECK(report.total(5) == 0);
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
  // A pattern counts with its states: 25 of 9,000 are more than a formula may have.
  std::string patterns = "{ ";
  for (int i = 0; i < 25; ++i) patterns += "${a} = 0 =~ /a{1000}{9}/; ";
  CHECK(mentions(problem(patterns + "return 0; }"), "too long"));
  CHECK(mentions(problem(std::string(5000, '-') + "1" + std::string(5000, '^')), "expected"));
}

TEST_CASE("a formula that fails somewhere has values elsewhere") {
  // Fails at D, which has the id 6.
  auto report = open_with(derived_xml(2, "x", "POSTDERIVED",
                                      "{ ${a} = 0; if (${calculation::callpath::id} == 6) "
                                      "{ ${a} = metric::call::time(77, i); }; "
                                      "return ${a} + metric::mpi() / metric::time(); }") +
                          derived_xml(3, "twice", "POSTDERIVED", "2 * metric::x()"));
  CHECK(report.formula_problem(2).empty());
  CHECK(report.formula_problem(3).empty());
  CHECK(report.formula_gap(2).empty());
  CHECK(report.total(2) == Approx(23.0 / 105));
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  for (const double value : ranks.at(3, kD, true)) CHECK(std::isnan(value));
  for (const double value : ranks.at(2, kD, false)) CHECK(std::isnan(value));
  CHECK(ranks.at(2, kE, true) == std::vector<double>{0.5, 0.5});
  CHECK(ranks.at(3, kE, true) == std::vector<double>{1, 1});
  CHECK(report.formula_problem(2).empty());
  CHECK(report.formula_problem(3).empty());
  CHECK(mentions(report.formula_gap(2),
                 "metric x has no value in some places, the first of them at A > B > D: there is "
                 "no call path 77 (formula, at character"));
  CHECK(mentions(report.formula_gap(3), "the first of them at A > B > D: metric x has no value"));
  // One without end has no values from there on.
  report = open_with(derived_xml(2, "x", "POSTDERIVED",
                                 "{ ${n} = 0; while (${calculation::callpath::id} == 6) "
                                 "{ ${n} = ${n} + 1; }; return ${n} + metric::mpi(e); }"));
  CHECK(report.formula_problem(2).empty());
  auto endless = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  CHECK(endless.at(2, kE, true) == std::vector<double>{4.5, 5});
  for (const double value : endless.at(2, kD, true)) CHECK(std::isnan(value));
  for (const double value : endless.at(2, kE, true)) CHECK(std::isnan(value));
  CHECK(mentions(report.formula_problem(2), "too many steps"));
  CHECK(mentions(report.formula_gap(2), "the first of them at A > B > D: it takes too many steps"));
}

TEST_CASE("a formula that looks at another place from everywhere") {
  auto report =
      open_with(derived_xml(2, "x", "POSTDERIVED",
                            "{ ${a} = 0; if (${calculation::callpath::id} == 6) "
                            "{ ${a} = metric::call::time(77, i); }; return ${a}; }") +
                derived_xml(3, "at_d", "POSTDERIVED", "metric::call::x(6, i) + metric::mpi()"));
  // It fails there, so there are no values at all.
  CHECK(mentions(report.formula_problem(3), "metric x has no value there"));
  CHECK(std::isnan(report.total(3)));
}

TEST_CASE("formulas in a circle, and what uses them") {
  auto report = open_with(derived_xml(2, "a", "POSTDERIVED", "metric::b() + 1") +
                          derived_xml(3, "b", "PREDERIVED_EXCLUSIVE", "metric::c()") +
                          derived_xml(4, "c", "POSTDERIVED", "metric::fixed::a()") +
                          derived_xml(5, "d", "POSTDERIVED", "metric::c() * 2") +
                          derived_xml(6, "e", "POSTDERIVED", "metric::mpi() * 2"));
  for (std::uint32_t m = 2; m < 5; ++m)
    CHECK(mentions(report.formula_problem(m), "uses itself (a > b > c > a)"));
  CHECK(mentions(report.formula_problem(5), "metric c, which its formula uses, has no values"));
  CHECK(report.formula_problem(6).empty());
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
  auto report = chain(60);  // 2^60 if each were evaluated for itself
  CHECK(report.total(2) == 23);
  auto deep = chain(2000);
  CHECK(mentions(deep.formula_problem(2), "values"));
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
  for (std::uint32_t m = 2; m < 302; ++m) CHECK_FALSE(report.formula_problem(m).empty());
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 60);  // some seconds with sanitizers
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
  // Below B there is 9.5 of 52; by_id speaks of call paths that have other ids then.
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
  // Without time there is no ratio of it.
  report::Cut few;
  few.metrics = {false, true, true, true, false, false};
  const auto little = report::cut(*a, few);
  REQUIRE(little);
  auto e = written(*little);
  CHECK(e.find("mpi") != report::kNone);
  CHECK(e.find("ratio") == report::kNone);
  // Means of equal reports are the same; of formulas that differ there is none.
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
  // b's is a sum, an ordinary metric then.
  const auto diff = report::combine(report::Operation::kDiff, *matching, different);
  REQUIRE(diff);
  CHECK(written(*diff).find("longest") == report::kNone);
  REQUIRE_FALSE(diff->notes.empty());
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
