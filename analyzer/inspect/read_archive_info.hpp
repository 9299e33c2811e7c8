// SPDX-License-Identifier: BSD-3-Clause
// Reads the content of an archive from its definitions.
#pragma once

#include <filesystem>

#include "analyzer/view/archive/archive_info.hpp"
#include "archive/result.hpp"

namespace latecomer::cli {

// `path` is an experiment directory or an anchor file. Events are read only to count them in files
// that are incomplete.
[[nodiscard]] Result<view::ArchiveInfo> read_archive_info(const std::filesystem::path& path);

}  // namespace latecomer::cli
