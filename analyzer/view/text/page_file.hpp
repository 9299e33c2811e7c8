// SPDX-License-Identifier: BSD-3-Clause
// Maintains the page that lies in an experiment beside its report.
#pragma once

#include <filesystem>

namespace latecomer::view {

// Adds a row for the page to the list of files in the experiment's MANIFEST.md, unless it has one.
// Does nothing if there is no such list.
void list_page(const std::filesystem::path& experiment);

// Removes the page of a report that no longer exists, and its row. Returns true if there was one.
bool remove_page(const std::filesystem::path& experiment);

}  // namespace latecomer::view
