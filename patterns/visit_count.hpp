// SPDX-License-Identifier: BSD-3-Clause
// Calls that are operations: which metric counts the visits of a region, besides `visits`.
#pragma once

#include <string_view>

namespace latecomer::patterns {

// Unique name of the metric, empty if there is none. `time_class` is that of the region
// (time_class.hpp). Reads and writes of files count where they begin (not at
// MPI_File_read_all_end), and synchronizations of windows.
[[nodiscard]] std::string_view visit_count(std::string_view region, std::string_view time_class);

}  // namespace latecomer::patterns
