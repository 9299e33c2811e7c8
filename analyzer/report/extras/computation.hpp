// SPDX-License-Identifier: BSD-3-Clause
// Where the computing time of a run went, as samples show it.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Key "computation", only if the archive has samples. Times are sums over all locations, in
// seconds. n samples have a relative standard error of 1 / sqrt(n).
struct Computation {
  static constexpr std::size_t kMostRows = 200;
  // Values by location are there for as many rows as have at most so many of them, in each list.
  static constexpr std::size_t kMostValues = 100'000;

  // A function, by name and file.
  struct Function {
    std::string name;
    std::string file;                // empty: unknown
    double self = 0, inclusive = 0;  // in the function itself, and with all that it calls
    std::uint64_t samples = 0, inclusive_samples = 0;
    std::vector<double> locations;  // self by location, in the order of columns; may be empty
  };
  // A line of a function at a call path.
  struct Line {
    std::uint32_t call_path = 0;  // number of the call path in the report
    std::string function, file;   // file of the line; empty: unknown
    std::uint32_t line = 0;       // 0: unknown
    double seconds = 0;
    std::uint64_t samples = 0;
    std::vector<double> locations;  // seconds by location; may be empty
  };

  std::uint64_t samples = 0;            // of computation
  std::uint64_t samples_elsewhere = 0;  // in MPI calls, thread constructs, or with recording off
  std::uint64_t lost = 0;               // for which there was no room
  std::vector<double> periods;          // processor time per sample in seconds, ascending
  double processor_seconds = 0;         // that the samples of computation stand for
  double seconds = 0;                   // computing time
  double unsampled = 0;                 // part of it, where a location had no sample at a call path
  std::vector<Function> functions;      // most time of their own first
  std::vector<Line> lines;              // most time first
  double other_functions = 0, other_lines = 0;  // time of those that are not listed
};

void write(JsonWriter& out, const Computation& computation);
// Nothing if `from` is not an object.
[[nodiscard]] std::optional<Computation> computation_from_json(const nlohmann::json& from);

}  // namespace latecomer::report
