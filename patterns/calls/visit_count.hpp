// SPDX-License-Identifier: BSD-3-Clause
// Maps calls that are operations to the metric that counts them, in addition to `visits`.
#pragma once

#include <string_view>

namespace latecomer::patterns {

// Unique name of the metric that counts the visits of a region; empty if there is none.
// `time_class` is that of the region (time_class.hpp). Reads and writes of files count where they
// begin (not at MPI_File_read_all_end). Synchronizations of windows count, too.
[[nodiscard]] std::string_view visit_count(std::string_view region, std::string_view time_class);

}  // namespace latecomer::patterns
