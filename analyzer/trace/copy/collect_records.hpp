// SPDX-License-Identifier: BSD-3-Clause
// Collects records of a run that did not get to its archive, from several directories.
#pragma once

#include <filesystem>
#include <vector>

#include "analyzer/trace/copy/collect.hpp"

namespace latecomer::trace {

// True if the directory has logs of processes.
[[nodiscard]] bool has_records(const std::filesystem::path& part);

// Copies the records of `parts` to `target`/records.
[[nodiscard]] Result<Collected> collect_records(const std::vector<std::filesystem::path>& parts,
                                                const std::filesystem::path& target);

}  // namespace latecomer::trace
