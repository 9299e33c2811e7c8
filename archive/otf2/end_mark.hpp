// SPDX-License-Identifier: BSD-3-Clause
// Ends of the files of an archive.
#pragma once

#include <filesystem>

namespace latecomer::otf2 {

// True if a file of events or definitions ends with the end mark. A cut file does not, and the
// library does not notice that when it reads definitions.
[[nodiscard]] bool has_end_mark(const std::filesystem::path& file);

}  // namespace latecomer::otf2
