// SPDX-License-Identifier: BSD-3-Clause
// Uses of a report file that may hold anything.
#pragma once

#include <filesystem>
#include <vector>

#include "tests/fuzz/directory.hpp"

namespace latecomer::fuzz {

// Opens the file, and makes all views and combinations that do not need a second file.
void use_report(const std::filesystem::path& file);

// The members of intact reports.
[[nodiscard]] std::vector<Files> report_members();

// Writes a tar file of these members.
void write_report(const std::filesystem::path& file, const Files& members);

}  // namespace latecomer::fuzz
