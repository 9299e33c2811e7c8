// SPDX-License-Identifier: BSD-3-Clause
// What the product makes of a report file that may hold anything.
#pragma once

#include <filesystem>
#include <vector>

#include "tests/fuzz/directory.hpp"

namespace latecomer::fuzz {

// Opens it, and makes all views and combinations that have no need of a second file.
void use_report(const std::filesystem::path& file);

// Good reports, as their members.
[[nodiscard]] std::vector<Files> report_members();

// A tar file of these members.
void write_report(const std::filesystem::path& file, const Files& members);

}  // namespace latecomer::fuzz
