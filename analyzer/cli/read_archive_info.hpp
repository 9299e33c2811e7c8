// SPDX-License-Identifier: BSD-3-Clause
// What an archive contains, read from its definitions.
#pragma once

#include <filesystem>

#include "analyzer/view/archive_info.hpp"
#include "archive/result.hpp"

namespace latecomer::cli {

// `path` is an experiment directory or an anchor file. Events are not read.
[[nodiscard]] Result<view::ArchiveInfo> read_archive_info(const std::filesystem::path& path);

}  // namespace latecomer::cli
