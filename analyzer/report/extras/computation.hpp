// SPDX-License-Identifier: BSD-3-Clause
// Where the computing time of a run went, as samples show it, and where causes of waiting computed
// longer than others.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// Parts of a computing time in which the program itself did not run. Seconds.
struct NoComputation {
  double preempted = 0;      // it could run, but had no core
  double blocked = 0;        // asleep, or waiting for a file, lock, socket or child
  double kernel = 0;         // in system calls and page faults
  double off_processor = 0;  // without a core, or in the kernel; which of them is not known

  [[nodiscard]] double all() const { return preempted + blocked + kernel + off_processor; }
};

// Key "computation", only if the archive has samples. Times are sums over all locations, in
// seconds, and so are their standard errors: the samples of a time t with the weights w leave
// t * sqrt(sum of w * w) / (sum of w).
struct Computation {
  static constexpr std::size_t kMostRows = 200;
  // Values by location are there for as many rows as have at most so many of them, in each list.
  static constexpr std::size_t kMostValues = 100'000;

  // A function, by name and file.
  struct Function {
    std::string name;
    std::string file;                       // empty: unknown
    double self = 0, inclusive = 0;         // in the function itself, and with all that it calls
    double error = 0, inclusive_error = 0;  // of these times
    std::uint64_t samples = 0, inclusive_samples = 0;
    std::vector<double> locations;  // self by location, in the order of columns; may be empty
  };
  // A line of a function at a call path.
  struct Line {
    std::uint32_t call_path = 0;  // number of the call path in the report
    std::string function, file;   // file of the line; empty: unknown
    std::uint32_t line = 0;       // 0: unknown
    double seconds = 0;
    double error = 0;  // of these seconds
    std::uint64_t samples = 0;
    std::vector<double> locations;  // seconds by location; may be empty
  };

  std::uint64_t samples = 0;            // of computation
  std::uint64_t samples_elsewhere = 0;  // in MPI calls, thread constructs, or with recording off
  std::uint64_t lost = 0;               // for which there was no room
  std::vector<double> periods;          // processor time per sample in seconds, ascending
  double processor_seconds = 0;         // that the samples of computation stand for
  double seconds = 0;                   // computing time
  NoComputation not_computing;          // part of it
  bool kernel_is_sampled = true;        // functions and lines have their time in the kernel
  double unsampled = 0;             // part of it: call paths without a sample, and no function open
  std::vector<Function> functions;  // most time of their own first
  std::vector<Line> lines;          // most time first
  double other_functions = 0, other_lines = 0;  // time of those that are not listed
};

void write(JsonWriter& out, const Computation& computation);
// Nothing if `from` is not an object.
[[nodiscard]] std::optional<Computation> computation_from_json(const nlohmann::json& from);

// Key "longer_computation", only if the archive has samples or tells what the kernel did. A call
// path that made others wait, on one location. Each delay is that of one stretch, and its lines
// there are compared with those of the one that waited. All seconds are parts of the delay costs: a
// second for which three others waited counts three times.
struct LongerComputation {
  static constexpr std::size_t kMostRows = 32;
  static constexpr std::size_t kMostLines = 8;

  struct Line {
    std::string function, file;  // file of the line
    std::uint32_t line = 0;      // 0: unknown
    double seconds = 0;          // longer than those that waited
    double error = 0;            // standard error of these seconds
    std::uint64_t samples = 0;   // of the location in this line
  };

  // A call in which the location was blocked, from one line.
  struct Blocked {
    std::string function;      // that was called: usleep, recv, ...
    std::string caller, file;  // the function that called it, and the file of the line
    std::uint32_t line = 0;    // 0: unknown
    double seconds = 0;        // longer than those that waited
  };
  static constexpr std::size_t kMostBlocked = 4;

  std::uint32_t call_path = 0;  // that made others wait
  std::uint32_t location = 0;   // column of the report
  double delay_costs = 0;       // seconds that others waited because of it
  NoComputation not_computing;  // parts of the delay costs
  double page_faults = 0;       // more than those that waited, as often as these; negative: fewer
  // Times those of the ones that waited; 0: instructions were not counted.
  double instructions = 0, time_for_each = 0;
  std::uint32_t within = 0;  // the innermost call path in which nearly all of that is
  // Part of the delay costs that is left for computation.
  [[nodiscard]] double computed() const { return delay_costs - not_computing.all(); }
  // True if that is the smaller part, so that lines say little.
  [[nodiscard]] bool is_no_computation() const { return computed() < 0.5 * delay_costs; }
  std::vector<Blocked>
      blocked;              // parts of not_computing.blocked whose place is known, largest first
  std::vector<Line> lines;  // in it, the largest first; longer by twice their error
};

void write(JsonWriter& out, const LongerComputation& one);
[[nodiscard]] std::vector<LongerComputation> longer_computation_from_json(
    const nlohmann::json& json);

}  // namespace latecomer::report
