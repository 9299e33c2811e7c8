// SPDX-License-Identifier: BSD-3-Clause
// Finds the report that a user means by a path.
#pragma once

#include <filesystem>

#include "archive/result.hpp"

namespace latecomer::view {

// `path` is a report, or an experiment directory with one, written by Latecomer, Scalasca or
// Score-P (trace.cubex, scout.cubex, profile.cubex).
[[nodiscard]] Result<std::filesystem::path> locate_report(const std::filesystem::path& path);

}  // namespace latecomer::view
