// SPDX-License-Identifier: BSD-3-Clause
// A report in memory, independent of any file format: definitions and severities.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "patterns/metric/metric.hpp"

namespace latecomer::report {

// The index that stands for "none" in all definitions.
inline constexpr std::uint32_t kNone = 0xffffffff;

// A function, MPI call or other region of the program.
struct Region {
  std::string name, mangled, file, paradigm, role;  // paradigm and role in CUBE's words
  std::int64_t begin = -1, end = -1;                // source lines; -1: unknown
};

// Call paths are listed parents first; siblings are in document order.
struct CallPath {
  std::uint32_t parent = kNone;  // index of the parent call path; kNone for a root
  std::uint32_t region = 0;
};

// A node of the system tree, such as a metahost (class "machine") or a node.
struct SystemNode {
  std::string name, class_name;  // machine, node, ...
  std::uint32_t parent = kNone;  // parents first
};

struct Process {
  std::string name;
  std::uint32_t rank = 0;
  std::uint32_t node = 0;  // index of its SystemNode
};

// Locations are ordered by process, then thread; the index is the column of every value row.
struct Location {
  std::string name;
  std::uint32_t thread = 0;
  std::uint32_t process = 0;
};

struct Extras;

// The part of a report that is the same on every analysis process.
struct Definitions {
  std::vector<patterns::Metric> metrics;  // parents first, document order
  std::vector<Region> regions;
  std::vector<CallPath> call_paths;
  std::vector<SystemNode> system;
  std::vector<Process> processes;
  std::vector<Location> locations;
  std::uint64_t ticks_per_second = 1'000'000'000;
  // The member latecomer.json; none: the report has no such member.
  std::shared_ptr<const Extras> extras;            // in reports that are made
  std::shared_ptr<const nlohmann::json> document;  // in reports that are read, and parts of them
};

// Severities of the locations that one analysis process hosts: metric x call path x own column.
// Values are ticks (Unit::kSeconds), counts or bytes; exclusive along the call tree, inclusive of
// the metric's children. Rows exist only where something was added, because most metrics have none.
class Severities {
 public:
  Severities(std::size_t metrics, std::size_t call_paths, std::size_t columns)
      : columns_(columns), call_paths_(call_paths), numbers_(metrics) {}

  // Adds a value; `column` is the index among the own columns.
  void add(std::uint32_t metric, std::uint32_t call_path, std::size_t column, std::int64_t value) {
    if (value == 0) return;
    auto& numbers = numbers_[metric];
    if (numbers.empty()) numbers.resize(call_paths_, kNone);
    auto& number = numbers[call_path];
    if (number == kNone) {
      number = static_cast<std::uint32_t>(rows_.size());
      rows_.emplace_back(columns_);
    }
    rows_[number][column] += value;
  }
  // Values of the own columns; empty if nothing was added.
  [[nodiscard]] std::span<const std::int64_t> row(std::uint32_t metric,
                                                  std::uint32_t call_path) const {
    const auto& numbers = numbers_[metric];
    if (numbers.empty() || numbers[call_path] == kNone) return {};
    return rows_[numbers[call_path]];
  }
  // True if a metric has a value anywhere in the own columns.
  [[nodiscard]] bool used(std::uint32_t metric) const { return !numbers_[metric].empty(); }
  // Keeps the marked metrics in their order; removes the others from the numbering.
  void keep(const std::vector<bool>& marked) {
    std::size_t kept = 0;
    for (std::size_t metric = 0; metric < marked.size(); ++metric) {
      if (!marked[metric]) continue;
      if (kept != metric) numbers_[kept] = std::move(numbers_[metric]);
      ++kept;
    }
    numbers_.resize(kept);
  }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t call_paths() const { return call_paths_; }

 private:
  std::size_t columns_, call_paths_;
  // Number of a row, or kNone, by metric and call path. Empty for metrics without values.
  std::vector<std::vector<std::uint32_t>> numbers_;
  std::vector<std::vector<std::int64_t>> rows_;
};

}  // namespace latecomer::report
