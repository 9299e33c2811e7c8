// SPDX-License-Identifier: BSD-3-Clause
// The language of formulas: operators, functions, variables, tables of definitions.
#include <catch2/catch.hpp>
#include <cmath>

#include "tests/report/formula_values.hpp"

using namespace latecomer;
using namespace latecomer::test;
using report::formula::PlaceKind;

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
  // The values are 9 and 10: only the second is larger than 9.5.
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
  // One formula sets the variable, the other reads it; a local one of the same name hides it.
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
