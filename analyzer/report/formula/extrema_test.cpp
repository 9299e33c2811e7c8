// SPDX-License-Identifier: BSD-3-Clause
// Minima and maxima that a report stores as such, and metrics that cannot be summed in reports made
// of others.
#include <catch2/catch.hpp>
#include <cmath>
#include <ctime>
#include <fstream>

#include "analyzer/report/algebra/cut.hpp"
#include "analyzer/report/algebra/write_combined.hpp"
#include "analyzer/report/cube/read_cube.hpp"
#include "tests/report/formula_report.hpp"

using namespace latecomer;
using namespace latecomer::test;
using report::kNone;
using report::Report;
using report::formula::Aggregate;
using report::formula::PlaceKind;

namespace {

class Files {
 public:
  Report write(const char* name, const std::string& metrics,
               const std::vector<double>& mpi = {4.5, 5, 6.5, 7},
               const std::vector<Member>& more = {}) const {
    write_formula_report(directory_.path() / name, metrics, mpi, more);
    return open(name);
  }
  [[nodiscard]] Report with_extrema(const char* name, const std::string& metrics = "") const {
    return write(name, extrema_xml(2) + metrics, {4.5, 5, 6.5, 7}, extrema_data(2));
  }
  [[nodiscard]] Report write(const report::Combined& combined) const {
    {
      std::ofstream out(directory_.path() / "made", std::ios::binary);
      REQUIRE(report::write_combined(combined, out));
    }
    return open("made");
  }

 private:
  [[nodiscard]] Report open(const char* name) const {
    auto report = Report::open(directory_.path() / name);
    if (!report) FAIL(report.problem().text());
    return std::move(*report);
  }
  TemporaryDirectory directory_;
};

// Text of the values; "-" is no value.
std::string shown(const std::vector<double>& values) {
  std::string text;
  for (const double value : values) {
    text += (text.empty() ? "" : " ") + (std::isnan(value) ? "-" : report::formula::text_of(value));
  }
  return text;
}

std::uint32_t named(const Report& report, const std::string& name) {
  const auto& d = report.definitions();
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    if (d.regions[d.call_paths[c].region].name == name) return c;
  }
  FAIL("no call path " + name);
  return kNone;
}

// Text of the values at both ranks.
std::string at(Report& report, const std::string& metric, const std::string& call_path,
               bool inclusive) {
  auto ranks = report.aggregate({0, 1}, 2, PlaceKind::kProcess);
  return shown(ranks.at(report.find(metric), named(report, call_path), inclusive));
}

std::string notes(const report::Combined& combined) {
  std::string text;
  for (const auto& note : combined.notes) text += note + "\n";
  return text;
}

report::Combined made(report::Operation operation, std::vector<Report*> reports) {
  const auto matching = report::match(reports, operation == report::Operation::kMerge
                                                   ? report::Common::kCallPaths
                                                   : report::Common::kMetricsAndCallPaths);
  REQUIRE(matching);
  auto combined = report::combine(operation, *matching, reports);
  REQUIRE(combined);
  return std::move(*combined);
}

}  // namespace

TEST_CASE("maxima and minima of a report are put together as such") {
  auto report = Files().with_extrema("r");
  CHECK_FALSE(report.adds_up(2));
  CHECK_FALSE(report.adds_up(3));
  CHECK(report.total(2) == -1);  // A at rank 0
  CHECK(report.total(3) == 0);   // F at rank 0
  CHECK(at(report, "worst", "A", true) == "-1 -2");
  CHECK(at(report, "worst", "B", true) == "-7 -9");
  CHECK(at(report, "worst", "B", false) == "- -");
  CHECK(at(report, "worst", "D", false) == "-7 -");
  CHECK(at(report, "worst", "F", true) == "- -9");
  CHECK(at(report, "worst", "C", true) == "- -");
  CHECK(at(report, "best", "A", true) == "0 6");
  CHECK(at(report, "best", "B", false) == "3 -");
  CHECK(at(report, "best", "D", true) == "0 6");
  auto all = report.aggregate({0, 0}, 1, PlaceKind::kNode);
  CHECK(shown(all.at(2, named(report, "B"), true)) == "-7");  // of -7 and -9
  CHECK(shown(all.at(3, named(report, "D"), false)) == "2");  // of 2 and 6
  CHECK(shown(all.at(3, named(report, "E"), true)) == "-");
  // One aggregate of D and C together; one group has no locations.
  const std::vector<std::uint32_t> some = {named(report, "D"), named(report, "C")};
  auto second = report.aggregate({kNone, 0}, 2, PlaceKind::kNode);
  CHECK(shown(second.over(3, some)) == "6 -");
  CHECK(shown(all.over(2, some, false)) == "-7");
  // The values are empty, so that they are never summed by mistake.
  const auto values = report.values(2);
  REQUIRE(values);
  for (std::uint32_t c = 0; c < 7; ++c) CHECK((*values)->row(c).empty());
}

TEST_CASE("formulas of maxima") {
  auto report = Files().with_extrema(
      "r", derived_xml(4, "half", "POSTDERIVED", "metric::worst() / 2") +
               derived_xml(5, "cells", "PREDERIVED_EXCLUSIVE", "2 * metric::best()"));
  CHECK_FALSE(report.adds_up(4));
  CHECK(report.total(4) == -0.5);
  CHECK(at(report, "half", "B", true) == "-3.5 -4.5");
  CHECK(at(report, "half", "C", true) == "- -");
  // 2 x (3 + 2 + 0) and 2 x 6: evaluated in each cell, then summed; missing values count nothing.
  CHECK(report.adds_up(5));
  CHECK(at(report, "cells", "A", true) == "10 12");
}

TEST_CASE("maxima in parts and unions of reports") {
  const Files files;
  auto report = files.with_extrema("r");
  report::Cut below;
  below.roots.assign(7, false);
  below.roots[named(report, "B")] = true;
  auto part = report::cut(report, below);
  REQUIRE(part);
  CHECK(notes(*part).empty());
  auto b = files.write(*part);
  CHECK(b.stored(b.find("worst")).dtype == "MAXDOUBLE");
  CHECK(b.total(b.find("worst")) == -7);
  CHECK(at(b, "best", "F", false) == "0 -");  // zero is a value
  CHECK(at(b, "best", "B", true) == "0 6");
  CHECK(at(b, "worst", "E", false) == "- -");
  // F is left out and D gets its values: the larger of -7 and none, of none and -9.
  report::Cut without;
  without.pruned.assign(7, false);
  without.pruned[named(report, "F")] = true;
  part = report::cut(report, without);
  REQUIRE(part);
  auto d = files.write(*part);
  CHECK(at(d, "worst", "D", false) == "-7 -9");
  CHECK(at(d, "best", "D", false) == "0 6");
  // A union takes the values of the first report that has the metric; a mean has none.
  auto plain = files.write("plain", "");
  auto both = made(report::Operation::kMerge, {&plain, &report});
  CHECK(notes(both).empty());
  auto merged = files.write(both);
  CHECK(at(merged, "worst", "A", true) == "-1 -2");
  CHECK(at(merged, "best", "B", false) == "3 -");
  const auto mean = made(report::Operation::kMean, {&report, &report});
  CHECK(notes(mean) == "metrics worst, best cannot be summed up (ratios and the like); left out\n");
  CHECK(files.write(mean).find("worst") == kNone);
}

TEST_CASE("one column for all ranks has the largest of them") {
  const Files files;
  auto report = files.with_extrema("r");
  auto matching = report::match(std::vector<Report*>{&report});
  REQUIRE(matching);
  auto collapsed = *matching;
  collapsed.collapsed = true;
  collapsed.definitions.system = {{"all nodes", "machine", kNone}};
  collapsed.definitions.processes = {{"all ranks", 0, 0}};
  collapsed.definitions.locations = {{"all threads", 0, 0}};
  collapsed.inputs[0].columns = {0, 0};
  const std::vector<Report*> one = {&report};
  auto combined = report::combine(report::Operation::kMerge, collapsed, one);
  REQUIRE(combined);
  auto sums = files.write(*combined);
  auto all = sums.aggregate({0}, 1, PlaceKind::kNode);
  const auto d = named(sums, "D");
  CHECK(shown(all.at(sums.find("worst"), d, false)) == "-7");
  CHECK(shown(all.at(sums.find("best"), d, false)) == "2");
  CHECK(shown(all.at(sums.find("time"), d, false)) == "11");  // 5 + 6
}

TEST_CASE("notes say of each metric what became of it") {
  const Files files;
  const std::string ratio = "metric::mpi() / metric::time()";
  auto good = files.write("good", derived_xml(2, "x", "POSTDERIVED", ratio) +
                                      derived_xml(3, "y", "POSTDERIVED", ratio) +
                                      derived_xml(4, "z", "PREDERIVED_EXCLUSIVE", "metric::mpi()"));
  // In this report x is a sum, and y and z are wrong.
  auto other = files.write("other", derived_xml(2, "x", "POSTDERIVED", "metric::mpi() * 2") +
                                        derived_xml(3, "y", "POSTDERIVED", "metric::no_such()") +
                                        derived_xml(4, "z", "POSTDERIVED", "metric::mpi() +"));
  // A mean would count the missing metrics of the other report as zero.
  const auto mean = made(report::Operation::kMean, {&good, &other});
  CHECK(notes(mean) ==
        "metrics y, z cannot be evaluated; left out\n"
        "metric x cannot be summed up (a ratio or the like); left out\n");
  auto m = files.write(mean);
  for (const char* name : {"x", "y", "z"}) CHECK(m.find(name) == kNone);
  // A union takes all metrics that can be evaluated. The formulas of y differ.
  const auto merged = made(report::Operation::kMerge, {&good, &other});
  CHECK(notes(merged) == "metric y cannot be evaluated; left out\n");
  auto u = files.write(merged);
  CHECK(u.total(u.find("z")) == 23);
  CHECK(u.total(u.find("x")) == 46);
  // Equal ratios are kept, and there is no note about them.
  auto again = files.write("again", derived_xml(2, "y", "POSTDERIVED", ratio));
  const auto kept = made(report::Operation::kMean, {&again, &again});
  CHECK(notes(kept).empty());
  auto k = files.write(kept);
  CHECK(k.total(k.find("y")) == Approx(23.0 / 105));
}

TEST_CASE("many formulas of each other are kept in little time") {
  // Each formula uses the next one: in reverse order none can be kept before all others are
  // checked.
  constexpr int kMany = 200;
  std::string metrics;
  for (int i = 0; i < kMany; ++i) {
    const auto next =
        i + 1 < kMany ? "metric::m" + std::to_string(i + 1) + "()" : std::string("metric::mpi()");
    metrics += derived_xml(i + 2, "m" + std::to_string(i), "POSTDERIVED", next + " / 1 + 1 - 1",
                           init_xml("{ global(g" + std::to_string(i) + "); return 0; }"));
  }
  const Files files;
  auto report = files.write("r", metrics);
  CHECK_FALSE(report.adds_up(2));
  const auto begin = std::clock();
  const auto mean = made(report::Operation::kMean, {&report, &report});
  CHECK((std::clock() - begin) / CLOCKS_PER_SEC < 20);  // less than one without sanitizers
  CHECK(notes(mean).empty());
  auto result = files.write(mean);
  CHECK(result.total(result.find("m0")) == 23);
}
