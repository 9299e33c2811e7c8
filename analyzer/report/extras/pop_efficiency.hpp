// SPDX-License-Identifier: BSD-3-Clause
// The efficiencies of the POP project, as a report states them.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Key "efficiency". analyzer/attribution/efficiency.hpp has the formulas. Ratios are nothing (null)
// if there is nothing to divide by. Times are in seconds.
struct Efficiency {
  struct Ratios {
    std::optional<double> parallel, load_balance, communication;
  };
  // Values that need the run time on an ideal network.
  struct Ideal {
    std::optional<double> run_time, serialization, transfer;
  };
  // Of runs with several threads in a process: the product of both `parallel` is that of the run.
  struct Threads {
    std::optional<double> parallel, load_balance, synchronization;
  };
  struct Hybrid {
    Ratios processes;
    Threads threads;
  };
  // Time outside MPI: the mean of all threads, and the thread with the largest.
  struct Useful {
    double mean = 0, largest = 0;
    std::uint32_t rank = 0, thread = 0;
  };
  struct Phase {
    std::optional<std::string> name;  // of the function
    std::uint32_t call_path = 0;      // id
    Ratios ratios;
    std::optional<double> run_time;  // longest time of a location
    std::optional<Ideal> ideal;
  };
  struct Metahost {
    std::string name;
    Ratios ratios;
  };

  Ratios ratios;
  double run_time = 0;           // without what MPI itself needed to start and to end
  Ideal ideal;                   // nothing if a rank has no MPI_Init
  std::optional<Hybrid> hybrid;  // nothing: each process has one thread
  Useful useful;
  std::int64_t contradictions = 0;  // needs of the ideal run that were ignored; 0: no key
  std::vector<Phase> phases;
  std::vector<Metahost> metahosts;  // empty if there is only one
};

void write(JsonWriter& out, const Efficiency& efficiency);
// Reads the ratios and the phases, which views show; nothing if `json` is not an object.
[[nodiscard]] std::optional<Efficiency> efficiency_from_json(const nlohmann::json& json);

}  // namespace latecomer::report
