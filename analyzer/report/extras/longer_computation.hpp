// SPDX-License-Identifier: BSD-3-Clause
// In which lines those that made others wait computed longer than the others.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Key "longer_computation", only if the archive has samples. A call path that made others wait, on
// one location. The times of its lines there are compared with their mean on all other locations
// that compute at this call path.
struct LongerComputation {
  static constexpr std::size_t kMostRows = 32;
  static constexpr std::size_t kMostLines = 8;

  struct Line {
    std::string function, file;  // file of the line
    std::uint32_t line = 0;      // 0: unknown
    double seconds = 0;          // longer than the others
    double error = 0;            // standard error of these seconds
    std::uint64_t samples = 0;   // of the location in this line
  };

  std::uint32_t call_path = 0;  // that made others wait
  std::uint32_t location = 0;   // column of the report
  double delay_costs = 0;       // seconds that others waited because of it
  double seconds = 0;           // it computed longer there than the others, all lines together
  std::uint32_t within = 0;     // the innermost call path in which nearly all of that is
  std::vector<Line> lines;      // in it, the largest first; only those that are no chance
};

void write(JsonWriter& out, const LongerComputation& one);
[[nodiscard]] std::vector<LongerComputation> longer_computation_from_json(
    const nlohmann::json& json);

}  // namespace latecomer::report
