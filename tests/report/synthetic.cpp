// SPDX-License-Identifier: BSD-3-Clause
// Synthetic reports whose values are computed by a formula.
#include "tests/report/synthetic.hpp"

#include <nlohmann/json.hpp>

namespace latecomer::test {

report::Definitions synthetic_definitions(const Shape& shape) {
  report::Definitions d;
  const auto name = [](const char* what, std::uint32_t i) { return what + std::to_string(i); };
  for (std::uint32_t m = 0; m < shape.metrics; ++m) {
    patterns::Metric metric;
    metric.name = name("metric_", m);
    metric.display = name("Metric ", m);
    // Metrics 0, 4, 8, ... are roots; the others are below the one before them or below the root.
    if (m % 4 != 0) metric.parent = name("metric_", m % 4 == 3 ? m - 3 : m - 1);
    metric.unit = static_cast<patterns::Unit>(m % 3);
    metric.description = "made up, a < b & c";
    d.metrics.push_back(metric);
  }
  const std::uint32_t regions = shape.call_paths / 2 + 1;
  for (std::uint32_t r = 0; r < regions; ++r) {
    const bool mpi = r % 3 == 2;
    d.regions.push_back({name(mpi ? "MPI_Call" : "function", r), name("_Z", r),
                         mpi ? "MPI" : "app.c", mpi ? "mpi" : "compiler", "function",
                         mpi ? -1 : 10 * r + 1, mpi ? -1 : 10 * r + 9});
  }
  if (shape.odd_names) {
    d.regions[0].name = "operator<< <int, \"a\">(std::vector<int>&, 'c') & more";
    d.regions[0].file = "/a b/\xc3\xa4.c";
    d.regions.back().name = "latin1 \xe4, control \x01, cut \xe2\x82";
  }
  for (std::uint32_t c = 0; c < shape.call_paths; ++c) {
    // Positions form a binary tree: 0(1(3,4),2(5,6)): parents first, not depth first.
    const std::uint32_t parent = c < shape.call_roots ? report::kNone : (c - shape.call_roots) / 2;
    d.call_paths.push_back({parent, c % regions});
  }
  for (std::uint32_t m = 0; m < shape.machines; ++m) {
    const auto machine = static_cast<std::uint32_t>(d.system.size());
    d.system.push_back({name("machine ", m), "machine", report::kNone});
    d.system.push_back({name("node a", m), "node", machine});
    d.system.push_back({name("node b", m), "node", machine});
  }
  for (std::uint32_t rank = 0; d.locations.size() < shape.locations; ++rank) {
    const auto nodes = 2 * shape.machines;
    const std::uint32_t node = rank % nodes;
    d.processes.push_back({name("MPI Rank ", rank), rank, node / 2 * 3 + 1 + node % 2});
    d.locations.push_back({"Master thread", 0, rank});
    if (rank % 2 == 1 && d.locations.size() < shape.locations) {
      d.locations.push_back({"Thread 1", 1, rank});
    }
  }
  d.ticks_per_second = 3;  // most values have no exact binary fraction
  d.document = std::make_shared<const nlohmann::json>(
      nlohmann::json{{"schema_version", 1}, {"text", "cut \xe2\x82"}});
  return d;
}

std::int64_t synthetic_value(std::uint32_t metric, std::uint32_t call_path,
                             std::uint32_t location) {
  if (metric % 7 == 5 || (metric + call_path) % 3 == 1 || location % 5 == 3) return 0;
  std::uint64_t x = (std::uint64_t{metric} << 40) ^ (std::uint64_t{call_path} << 20) ^ location;
  x = (x + 1) * 0x9e3779b97f4a7c15;
  return static_cast<std::int64_t>(x >> 24);  // below 2^40
}

report::Severities synthetic_severities(const report::Definitions& definitions,
                                        const std::vector<std::uint32_t>& columns) {
  report::Severities severities(definitions.metrics.size(), definitions.call_paths.size(),
                                columns.size());
  for (std::uint32_t m = 0; m < definitions.metrics.size(); ++m) {
    for (std::uint32_t c = 0; c < definitions.call_paths.size(); ++c) {
      for (std::size_t i = 0; i < columns.size(); ++i) {
        severities.add(m, c, i, synthetic_value(m, c, columns[i]));
      }
    }
  }
  return severities;
}

}  // namespace latecomer::test
