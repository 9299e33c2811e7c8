// SPDX-License-Identifier: BSD-3-Clause
// Writes a synthetic report on any number of processes, for writer_test.py.
//   write_report REPORT [key=value]...
// Keys: metrics, call_paths, locations, machines, call_roots, odd_names (see Shape);
//   spread=block|cyclic|last   which process has which location
//   blind=R                    process R is given a path whose directory does not exist
//   limit=BYTES                process `limited` (default 0) may write files of that size only
//   expected=FILE              values as JSON, in the form of report_to_json.py
#include <mpi.h>
#include <sys/resource.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "analyzer/report/cube/write_cube.hpp"
#include "tests/report/synthetic.hpp"

namespace {

using namespace latecomer;

using Arguments = std::map<std::string, std::string>;

std::uint32_t number(const Arguments& arguments, const char* key, std::uint32_t otherwise) {
  const auto found = arguments.find(key);
  return found == arguments.end() ? otherwise
                                  : static_cast<std::uint32_t>(std::stoul(found->second));
}

std::vector<std::uint32_t> own_columns(std::uint32_t locations, const std::string& spread, int rank,
                                       int size) {
  std::vector<std::uint32_t> mine;
  for (std::uint32_t c = 0; c < locations; ++c) {
    const auto parts = static_cast<std::uint32_t>(size);
    const auto owner = spread == "cyclic" ? c % parts
                       : spread == "last" ? parts - 1
                                          : c * parts / locations;
    if (owner == static_cast<std::uint32_t>(rank)) mine.push_back(c);
  }
  return mine;
}

nlohmann::json expected_values(const report::Definitions& d) {
  const auto path_of = [&](std::uint32_t call_path) {
    std::string path;
    for (auto c = call_path; c != report::kNone; c = d.call_paths[c].parent) {
      const auto& name = d.regions[d.call_paths[c].region].name;
      path = path.empty() ? name : name + "/" + path;
    }
    return path;
  };
  nlohmann::json metrics = nlohmann::json::object();
  for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
    for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
      nlohmann::json row;
      bool any = false;
      for (std::uint32_t l = 0; l < d.locations.size(); ++l) {
        const auto value = test::synthetic_value(m, c, l);
        any = any || value != 0;
        if (m % 3 == 0) {
          row.push_back(static_cast<double>(value) / static_cast<double>(d.ticks_per_second));
        } else {
          row.push_back(value);
        }
      }
      if (any) metrics[d.metrics[m].name][path_of(c)] = row;
    }
  }
  return metrics;
}

int run(int argc, char** argv) {
  Arguments arguments;
  for (int i = 2; i < argc; ++i) {
    const std::string text = argv[i];
    const auto equals = text.find('=');
    if (equals == std::string::npos) return 2;
    arguments[text.substr(0, equals)] = text.substr(equals + 1);
  }
  if (argc < 2) return 2;
  parallel::Processes processes(MPI_COMM_WORLD);
  test::Shape shape;
  shape.metrics = number(arguments, "metrics", shape.metrics);
  shape.call_paths = number(arguments, "call_paths", shape.call_paths);
  shape.locations = number(arguments, "locations", shape.locations);
  shape.machines = number(arguments, "machines", shape.machines);
  shape.call_roots = number(arguments, "call_roots", shape.call_roots);
  shape.odd_names = number(arguments, "odd_names", 0) != 0;
  const auto definitions = test::synthetic_definitions(shape);
  const auto columns =
      own_columns(shape.locations, arguments["spread"], processes.rank(), processes.size());
  const auto severities = test::synthetic_severities(definitions, columns);

  const auto me = static_cast<std::uint32_t>(processes.rank());
  std::filesystem::path file = argv[1];
  if (number(arguments, "blind", 0xffffffff) == me) file = "/nowhere" / file.filename();
  if (arguments.count("limit") != 0 && number(arguments, "limited", 0) == me) {
    std::signal(SIGXFSZ, SIG_IGN);
    const rlimit limit = {number(arguments, "limit", 0), number(arguments, "limit", 0)};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  processes.barrier();
  const auto start = std::chrono::steady_clock::now();
  const Status status = report::write_cube(definitions, severities, columns, processes, file);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  // Every process must have the same result.
  const auto failures = processes.sum(status.ok() ? 0 : 1);
  if (failures != 0 && failures != processes.size()) return 9;
  if (processes.rank() != 0) return status.ok() ? 0 : 3;
  if (!status) {
    std::fputs(status.problem().text().c_str(), stderr);
    return 3;
  }
  std::printf("%.3f s\n", seconds.count());
  if (arguments.count("expected") != 0) {
    std::ofstream(arguments["expected"])
        << expected_values(definitions)
               .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const int status = run(argc, argv);
  MPI_Finalize();
  return status;
}
