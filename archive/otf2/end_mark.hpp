// SPDX-License-Identifier: BSD-3-Clause
// How the files of an archive end.
#pragma once

#include <filesystem>

namespace latecomer::otf2 {

// Whether a file of events or definitions ends with the end mark: a cut one does not, and the
// library does not notice when it reads definitions.
[[nodiscard]] bool has_end_mark(const std::filesystem::path& file);

}  // namespace latecomer::otf2
