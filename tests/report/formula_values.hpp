// SPDX-License-Identifier: BSD-3-Clause
// Values of formulas in the report of formula_report.hpp.
#pragma once

#include <catch2/catch.hpp>
#include <map>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "tests/report/formula_report.hpp"

namespace latecomer::test {

inline report::Report open_with(const std::string& derived) {
  TemporaryDirectory directory;
  const auto file = directory.path() / "r.cubex";
  write_formula_report(file, derived);
  auto report = report::Report::open(file);
  if (!report) FAIL(report.problem().text());
  return std::move(*report);
}

// Value of a POSTDERIVED metric for the whole report.
inline double whole(const std::string& formula) {
  auto report = open_with(derived_xml(2, "x", "POSTDERIVED", formula));
  const double value = report.total(2);
  INFO(formula);
  CHECK(report.why_no_values(2).empty());
  if (!report.why_no_values(2).empty()) UNSCOPED_INFO(report.why_no_values(2));
  return value;
}

inline std::string problem(const std::string& formula, const std::string& type = "POSTDERIVED") {
  auto report = open_with(derived_xml(2, "x", type, formula));
  const auto values = report.values(2);
  REQUIRE(values);
  for (std::uint32_t c = 0; c < 7; ++c) CHECK((*values)->row(c).empty());
  return report.why_no_values(2);
}

// Call path A..G -> values at both ranks, for a metric that adds up.
inline std::map<std::string, std::vector<double>> cells(report::Report& report,
                                                        std::uint32_t metric) {
  std::map<std::string, std::vector<double>> out;
  const auto& d = report.definitions();
  const auto values = report.values(metric);
  REQUIRE(values);
  INFO(report.why_no_values(metric));
  CHECK(report.why_no_values(metric).empty());
  CHECK(report.adds_up(metric));
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto row = (*values)->row(c);
    if (!row.empty()) out[d.regions[d.call_paths[c].region].name] = {row.begin(), row.end()};
  }
  return out;
}

inline std::map<std::string, std::vector<double>> cells(const std::string& type,
                                                        const std::string& formula,
                                                        const std::string& more = "") {
  auto report = open_with(derived_xml(2, "x", type, formula, more));
  return cells(report, 2);
}

using Cells = std::map<std::string, std::vector<double>>;
inline const Cells kMpi = {{"E", {9, 10}}, {"G", {13, 14}}};
inline const Cells kTime = {{"A", {1, 2}},  {"B", {3, 4}},   {"D", {5, 6}},  {"F", {7, 8}},
                            {"E", {9, 10}}, {"C", {11, 12}}, {"G", {13, 14}}};
// Positions in document order, which is A B D F E C G.
inline constexpr std::uint32_t kA = 0, kB = 1, kD = 2, kE = 4, kG = 6;

inline bool mentions(const std::string& text, const std::string& part) {
  const bool found = text.find(part) != std::string::npos;
  if (!found) UNSCOPED_INFO(text);
  return found;
}

}  // namespace latecomer::test
