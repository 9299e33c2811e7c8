// SPDX-License-Identifier: BSD-3-Clause
// Brings the values of rows, which are spread over processes by columns, to those who write them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/model.hpp"

namespace latecomer::report {

// A row of the report that is not zero everywhere.
struct Row {
  std::uint32_t metric = 0, call_path = 0;
};

// All rows on which some process has a value, the same on every process: by metric, then in the
// order of `call_paths`. `position` (same length) tells where in `call_paths` each row stands.
struct RowList {
  std::vector<Row> rows;
  std::vector<std::uint32_t> position;
};

// Collective.
[[nodiscard]] RowList list_rows(const Severities& mine, std::size_t metrics,
                                std::span<const std::uint32_t> call_paths,
                                parallel::Processes& processes);

// Rows [begin, end) of a RowList.
struct RowRange {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] std::size_t size() const { return end - begin; }
};

class RowExchange {
 public:
  // Collective: every process learns which columns the others have.
  RowExchange(const Severities& mine, std::span<const std::uint32_t> my_columns,
              std::size_t all_columns, parallel::Processes& processes);

  // Process p gets the rows wanted[p] (the same list on every process). Returns the own ones: all
  // columns of the first row, of the second, ... Collective.
  [[nodiscard]] std::vector<std::int64_t> collect(const RowList& list,
                                                  std::span<const RowRange> wanted);

 private:
  const Severities& mine_;
  std::size_t all_columns_;
  parallel::Processes& processes_;
  std::vector<std::vector<std::uint32_t>> columns_;  // per process
};

}  // namespace latecomer::report
