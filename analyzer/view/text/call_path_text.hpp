// SPDX-License-Identifier: BSD-3-Clause
// Call paths in the form that people read: "main > exchange > MPI_Waitall".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/model/model.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// Names of the regions of a call path, from the root.
[[nodiscard]] std::vector<std::string> call_path_names(const report::Definitions& definitions,
                                                       std::uint32_t call_path);

// A Problem if the names of all call paths, from the root on, are more than 20 million. The memory
// for them grows with the square of the depth.
[[nodiscard]] Status can_name_all(const report::Definitions& definitions);

// A function name without its arguments and template arguments: "void
// ns::f<int>(std::vector<int>&)" -> "ns::f". Names that are not functions stay as they are.
[[nodiscard]] std::string short_name(const std::string& name);

// Short names of the functions of one table. Functions that differ only in template arguments or
// arguments keep these.
[[nodiscard]] std::vector<std::string> distinct_names(const std::vector<std::string>& names);

// Short names joined by " > ". If they do not fit, parts are dropped from the middle, and the root
// last: "main > ... > exchange > MPI_Waitall", "... > exchange > MPI_Waitall", "... > MPI_Waitall".
// Direct recursion is one part: "main > walk (4x) > MPI_Send".
[[nodiscard]] std::string short_call_path(const std::vector<std::string>& names,
                                          std::size_t columns);

// Short call paths for the rows of one table; columns[i] is the width for paths[i]. No two
// different paths have the same text. If they would, the function nearest to the leaf in which they
// differ is shown, even if it does not fit: "... > solve > ... > MPI_Waitall".
[[nodiscard]] std::vector<std::string> short_call_paths(
    const std::vector<std::vector<std::string>>& paths, const std::vector<std::size_t>& columns);

}  // namespace latecomer::view
