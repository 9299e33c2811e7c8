// SPDX-License-Identifier: BSD-3-Clause
// Call paths as people read them: "main > exchange > MPI_Waitall".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/model.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// Names of the regions from the root.
[[nodiscard]] std::vector<std::string> call_path_names(const report::Definitions& definitions,
                                                       std::uint32_t call_path);

// A Problem where naming each call path from the root on takes more than 20 million names: the
// memory for them grows with the square of the depth.
[[nodiscard]] Status can_name_all(const report::Definitions& definitions);

// A function name without its arguments and template arguments:
// "void ns::f<int>(std::vector<int>&)" -> "ns::f". Names that are no functions stay as they are.
[[nodiscard]] std::string short_name(const std::string& name);

// Short names of functions of one table: those that only template arguments or arguments tell apart
// keep them.
[[nodiscard]] std::vector<std::string> distinct_names(const std::vector<std::string>& names);

// Short names joined by " > ". What does not fit goes from the middle, last the root: "main > ... >
// exchange > MPI_Waitall", "... > exchange > MPI_Waitall", "... > MPI_Waitall".
[[nodiscard]] std::string short_call_path(const std::vector<std::string>& names,
                                          std::size_t columns);

// The same for rows of one table, each with its columns. No two paths have the same text: where
// they would, the function nearest to the leaf in which they differ is shown, even if there is no
// room for it: "... > solve > ... > MPI_Waitall".
[[nodiscard]] std::vector<std::string> short_call_paths(
    const std::vector<std::vector<std::string>>& paths, const std::vector<std::size_t>& columns);

}  // namespace latecomer::view
