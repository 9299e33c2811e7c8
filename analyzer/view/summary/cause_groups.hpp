// SPDX-License-Identifier: BSD-3-Clause
// Puts call paths together that are one cause of waiting for a reader.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analyzer/report/cube/read_cube.hpp"
#include "analyzer/report/extras/computation.hpp"
#include "analyzer/report/model/model.hpp"

namespace latecomer::view {

// A function that calls itself is one call path per depth in a report. Here all depths are one
// group: repetitions of up to 8 functions in a row count once.
//
//   main > walk > MPI_Send, main > walk > walk > MPI_Send      main > walk > MPI_Send
//   main > a > b > c, main > a > b > a > b > c                 main > a > b > c
//
// Calls on files under one caller are a group, too. If these are several functions, the group has
// the name of the caller:
//
//   main > save > write, main > save > fsync                   main > save
class CauseGroups {
 public:
  explicit CauseGroups(const report::Definitions& definitions);

  // Number of the group of a call path. Groups are numbered in the order of the report.
  [[nodiscard]] std::uint32_t of(std::uint32_t call_path) const { return groups_[call_path]; }
  // Names of what these call paths of one group have in common, from the root; of a single one: its
  // own names.
  [[nodiscard]] std::vector<std::string> names(std::span<const std::uint32_t> call_paths) const;

 private:
  // Stands for all functions on files.
  static constexpr std::uint32_t kFiles = report::kNone;
  // A call path without repetitions.
  struct Node {
    std::uint32_t parent = report::kNone, region = kFiles;
  };
  [[nodiscard]] std::uint32_t repeated(std::uint32_t parent, std::uint32_t region) const;

  const report::Definitions& definitions_;
  std::vector<Node> nodes_;            // parents first
  std::vector<std::uint32_t> groups_;  // node of each call path
};

// True for functions on files outside MPI.
[[nodiscard]] bool is_file_call(const report::Region& region);

// What one location did longer than others in the call paths of a group, added up. Indices are
// those of the report's definitions.
struct LongerInGroup {
  report::LongerComputation longer;
  std::uint32_t group = 0;
  std::uint32_t call_path = 0, within = 0;  // with the largest delay costs
};

// The largest delay costs come first. Rows that do not fit the report are left out.
[[nodiscard]] std::vector<LongerInGroup> longer_in_groups(const report::Report& report,
                                                          const CauseGroups& groups);

}  // namespace latecomer::view
