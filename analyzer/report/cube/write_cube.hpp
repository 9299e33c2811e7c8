// SPDX-License-Identifier: BSD-3-Clause
// Writes a report as a CUBE 4 file, by all processes together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/model/model.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// Collective. `definitions` are the same on every process. `mine` holds the values of `my_columns`
// (locations, ascending); each location is on at most one process. Seconds are stored as DOUBLE,
// counts and bytes as UINT64, exclusive along the call tree. The id of call path i in the file is
// i.
//
// The processes that see the directory of `file` write. Each writes a contiguous share of the rows
// and the pieces between them. The other processes only send their values, and so do processes with
// `may_write` false. Without a common file system there is a directory of that name on each
// machine, and one of them gets the report. The bytes depend neither on the number of processes nor
// on which process has which column.
//
// The file appears under its name when it is complete. On a Problem (the same on all processes)
// nothing is left behind, and an older report stays as it was.
[[nodiscard]] Status write_cube(const Definitions& definitions, const Severities& mine,
                                std::span<const std::uint32_t> my_columns,
                                parallel::Processes& processes, const std::filesystem::path& file,
                                bool may_write = true);

}  // namespace latecomer::report
