// SPDX-License-Identifier: BSD-3-Clause
// The page that lies in an experiment beside its report.
#pragma once

#include <filesystem>

namespace latecomer::view {

// The list of files in MANIFEST.md of the directory gets a row for the page, if it has none yet.
// Where there is no such list, nothing happens.
void list_page(const std::filesystem::path& experiment);

// Removes the page of a report that is no more, and its row. Returns whether there was one.
bool remove_page(const std::filesystem::path& experiment);

}  // namespace latecomer::view
