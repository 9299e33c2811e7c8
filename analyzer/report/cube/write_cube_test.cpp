// SPDX-License-Identifier: BSD-3-Clause
// The reader returns what the writer wrote. Runs under mpiexec with any number of processes.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/report/cube/write_cube.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/synthetic.hpp"

using namespace latecomer;

namespace {

// Call paths as text: names of regions from the root.
std::vector<std::string> paths(const report::Definitions& d) {
  std::vector<std::string> out;
  for (const auto& call_path : d.call_paths) {
    std::string path = d.regions[call_path.region].name;
    for (auto c = call_path.parent; c != report::kNone; c = d.call_paths[c].parent) {
      path = d.regions[d.call_paths[c].region].name + "/" + path;
    }
    out.push_back(path);
  }
  return out;
}

void check_round_trip(const test::Shape& shape, parallel::Processes& processes) {
  const auto d = test::synthetic_definitions(shape);
  std::vector<std::uint32_t> mine;
  for (std::uint32_t c = 0; c < d.locations.size(); ++c) {
    if (static_cast<int>(c) % processes.size() == processes.rank()) mine.push_back(c);
  }
  test::TemporaryDirectory directory;
  parallel::Bytes name;
  for (const char c : directory.path().string()) name.push_back(static_cast<std::byte>(c));
  processes.broadcast(name, 0);
  const std::filesystem::path file =
      std::filesystem::path(std::string(reinterpret_cast<const char*>(name.data()), name.size())) /
      "r.cubex";
  const auto severities = test::synthetic_severities(d, mine);
  REQUIRE(report::write_cube(d, severities, mine, processes, file));

  auto read = report::Report::open(file);
  REQUIRE(read);
  const auto& r = read->definitions();
  CHECK(r.metrics.size() == d.metrics.size());
  const auto written_paths = paths(d), read_paths = paths(r);
  const std::string root = shape.call_roots > 1 ? "all programs/" : "";
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    CHECK(r.metrics[m].name == d.metrics[m].name);
    CHECK(r.metrics[m].parent == d.metrics[m].parent);
    CHECK(r.metrics[m].unit == d.metrics[m].unit);
    CHECK(r.metrics[m].description == d.metrics[m].description);
    const auto values = read->values(m);
    REQUIRE(values);
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      const auto found = std::find(read_paths.begin(), read_paths.end(), root + written_paths[c]);
      REQUIRE(found != read_paths.end());
      const auto row = (*values)->row(static_cast<std::uint32_t>(found - read_paths.begin()));
      for (std::uint32_t l = 0; l < d.locations.size(); ++l) {
        auto want = static_cast<double>(test::synthetic_value(m, c, l));
        if (d.metrics[m].unit == patterns::Unit::kSeconds) {
          want /= static_cast<double>(d.ticks_per_second);
        }
        const double got = row.empty() ? 0 : row[l];
        if (got != want) FAIL("metric " << m << " call path " << c << " location " << l);
      }
    }
  }
  CHECK(r.regions.size() == d.regions.size() + (shape.call_roots > 1 ? 1 : 0));
  CHECK(r.regions[0].paradigm == d.regions[0].paradigm);
  CHECK(r.regions[0].begin == d.regions[0].begin);
  CHECK(r.regions[0].file == d.regions[0].file);
  CHECK(r.system.size() == d.system.size() + (shape.machines > 1 ? 1 : 0));
  REQUIRE(r.locations.size() == d.locations.size());
  for (std::uint32_t l = 0; l < d.locations.size(); ++l) {
    const auto& wrote = d.processes[d.locations[l].process];
    const auto& got = r.processes[r.locations[l].process];
    CHECK(got.rank == wrote.rank);
    CHECK(got.name == wrote.name);
    CHECK(r.system[got.node].name == d.system[wrote.node].name);
    CHECK(r.locations[l].thread == d.locations[l].thread);
  }
  CHECK(r.document->at("schema_version") == 1);
  processes.barrier();  // the directory is removed
}

}  // namespace

TEST_CASE("plain, several machines, several roots, many rows") {
  parallel::Processes processes(MPI_COMM_WORLD);
  check_round_trip({}, processes);
  check_round_trip({.metrics = 12, .call_paths = 40, .locations = 9}, processes);
  check_round_trip(
      {.metrics = 8, .call_paths = 33, .locations = 13, .machines = 3, .call_roots = 2}, processes);
  check_round_trip({.metrics = 1, .call_paths = 1, .locations = 1}, processes);
}

TEST_CASE("a report in which nothing happened") {
  parallel::Processes processes(MPI_COMM_WORLD);
  auto d = test::synthetic_definitions({});
  d.call_paths.clear();
  const report::Severities none(d.metrics.size(), 0, processes.rank() == 0 ? 6 : 0);
  const std::vector<std::uint32_t> columns = {0, 1, 2, 3, 4, 5};
  test::TemporaryDirectory directory;
  parallel::Bytes name;
  for (const char c : directory.path().string()) name.push_back(static_cast<std::byte>(c));
  processes.broadcast(name, 0);
  const auto file =
      std::string(reinterpret_cast<const char*>(name.data()), name.size()) + "/empty.cubex";
  REQUIRE(report::write_cube(d, none, std::span(columns).first(none.columns()), processes, file));
  auto read = report::Report::open(file);
  REQUIRE(read);
  CHECK(read->definitions().call_paths.size() == 1);
  CHECK(read->definitions().locations.size() == 6);
  processes.barrier();
}
