// SPDX-License-Identifier: BSD-3-Clause
// Call paths as people read them: "main > exchange > MPI_Waitall".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/report/model.hpp"

namespace latecomer::view {

// Names of the regions from the root.
[[nodiscard]] std::vector<std::string> call_path_names(const report::Definitions& definitions,
                                                       std::uint32_t call_path);

// A function name without its arguments and template arguments:
// "void ns::f<int>(std::vector<int>&)" -> "ns::f". Names that are no functions stay as they are.
[[nodiscard]] std::string short_name(const std::string& name);

// Short names joined by " > ". What does not fit goes from the middle, last the root: "main > ... >
// exchange > MPI_Waitall", "... > exchange > MPI_Waitall", "... > MPI_Waitall".
[[nodiscard]] std::string short_call_path(const std::vector<std::string>& names,
                                          std::size_t columns);

}  // namespace latecomer::view
