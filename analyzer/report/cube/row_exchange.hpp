// SPDX-License-Identifier: BSD-3-Clause
// Sends the values of rows, which are distributed over the processes by columns, to the processes
// that write them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/model/model.hpp"

namespace latecomer::report {

// A row of the report that is not zero everywhere.
struct Row {
  std::uint32_t metric = 0, call_path = 0;
};

// All rows in which some process has a value; the same list on every process. They are sorted by
// metric, then in the order of `call_paths`. position[i] is the index of the call path of rows[i]
// in `call_paths`.
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

// Exchanges the values of rows. MT: one thread; all functions are collective.
class RowExchange {
 public:
  // Collective: every process learns which columns the others have.
  RowExchange(const Severities& mine, std::span<const std::uint32_t> my_columns,
              std::size_t all_columns, parallel::Processes& processes);

  // Collective. Process p receives the rows wanted[p]; `wanted` is the same on every process.
  // Returns the own rows: all columns of the first row, then of the second, and so on.
  [[nodiscard]] std::vector<std::int64_t> collect(const RowList& list,
                                                  std::span<const RowRange> wanted);

 private:
  const Severities& mine_;
  std::size_t all_columns_;
  parallel::Processes& processes_;
  std::vector<std::vector<std::uint32_t>> columns_;  // per process
};

}  // namespace latecomer::report
