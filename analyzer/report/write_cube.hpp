// SPDX-License-Identifier: BSD-3-Clause
// Writes a report as a CUBE 4 file, by all processes together.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/model.hpp"
#include "archive/result.hpp"

namespace latecomer::report {

// `definitions` are the same on every process; `mine` holds the values of `my_columns` (locations,
// ascending), each location on at most one process. Seconds are stored as DOUBLE, counts and bytes
// as UINT64, exclusive along the call tree; the id of call path i in the file is i.
//
// The processes that see the directory of `file` write, each a contiguous share of the rows and
// what lies between them; the others only send their values, and so do those with `may_write` false
// (without a common file system there is a directory of that name on each, and one of them gets
// the report). The bytes do not depend on the number of processes, nor on who has which column.
// The file appears under its name when it is complete; on a Problem (the same on all processes)
// nothing is left behind and an older report stays as it was. Collective.
[[nodiscard]] Status write_cube(const Definitions& definitions, const Severities& mine,
                                std::span<const std::uint32_t> my_columns,
                                parallel::Processes& processes, const std::filesystem::path& file,
                                bool may_write = true);

}  // namespace latecomer::report
