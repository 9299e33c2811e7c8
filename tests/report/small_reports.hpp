// SPDX-License-Identifier: BSD-3-Clause
// Reports of a few values, written as files: input for the algebra.
#pragma once

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "analyzer/report/algebra/write_combined.hpp"

namespace latecomer::test {

struct SmallMetric {
  std::string name, parent, unit;
};

// Each call path has its parent (an index; kNone for a root) and its region.
struct SmallReport {
  std::vector<SmallMetric> metrics;
  std::vector<std::pair<std::uint32_t, std::string>> call_paths;
  std::uint32_t ranks = 2;
  // metric, call path (index) -> value per rank
  std::map<std::pair<std::string, std::uint32_t>, std::vector<double>> values;
};

inline report::Combined combined(const SmallReport& small) {
  report::Combined out;
  auto& d = out.definitions;
  for (const auto& metric : small.metrics) {
    const bool seconds = metric.unit == "sec";
    d.metrics.push_back({metric.name, metric.name, metric.parent,
                         seconds ? patterns::Unit::kSeconds : patterns::Unit::kOccurrences});
    out.units.push_back(metric.unit);
  }
  for (const auto& [parent, region] : small.call_paths) {
    std::uint32_t r = 0;
    while (r < d.regions.size() && d.regions[r].name != region) ++r;
    if (r == d.regions.size()) d.regions.push_back({region, "", "", "", ""});
    d.call_paths.push_back({parent, r});
  }
  d.system = {{"machine", "machine", report::kNone}};
  for (std::uint32_t rank = 0; rank < small.ranks; ++rank) {
    d.processes.push_back({"rank " + std::to_string(rank), rank, 0});
    d.locations.push_back({"thread", 0, rank});
  }
  for (const auto& metric : small.metrics) {
    report::MetricValues values(d.call_paths.size(), d.locations.size());
    for (const auto& [key, row] : small.values) {
      if (key.first != metric.name) continue;
      const auto to = values.make_row(key.second);
      std::copy(row.begin(), row.end(), to.begin());
    }
    out.values.push_back(std::move(values));
  }
  return out;
}

inline report::Report written(const report::Combined& report, const std::filesystem::path& file) {
  {
    std::ofstream out(file, std::ios::binary);
    REQUIRE(report::write_combined(report, out));
  }
  auto opened = report::Report::open(file);
  if (!opened) FAIL(opened.problem().text());
  return std::move(*opened);
}

inline report::Report written(const SmallReport& small, const std::filesystem::path& file) {
  return written(combined(small), file);
}

// "main/a/b" -> values per column, without rows of zeros.
inline std::map<std::string, std::vector<double>> rows_of(const report::Definitions& d,
                                                          const report::MetricValues& values) {
  std::map<std::string, std::vector<double>> rows;
  for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
    const auto row = values.row(c);
    if (std::all_of(row.begin(), row.end(), [](double v) { return v == 0; })) continue;
    std::string name;
    for (auto at = c; at != report::kNone; at = d.call_paths[at].parent) {
      name = d.regions[d.call_paths[at].region].name + (name.empty() ? "" : "/" + name);
    }
    while (rows.count(name) != 0) name += "'";
    rows[name] = {row.begin(), row.end()};
  }
  return rows;
}

// The call tree is main(a, b(a), a); the metrics are time with part mpi, and visits.
inline SmallReport small_report() {
  return {{{"time", "", "sec"}, {"mpi", "time", "sec"}, {"visits", "", "occ"}},
          {{report::kNone, "main"}, {0, "a"}, {0, "b"}, {2, "a"}, {0, "a"}},
          2,
          {{{"time", 0}, {1, 2}},
           {{"time", 1}, {3, 4}},
           {{"time", 3}, {5, 6}},
           {{"time", 4}, {7, 8}},
           {{"mpi", 3}, {1, 1}},
           {{"visits", 0}, {1, 1}}}};
}

}  // namespace latecomer::test
