// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer diff --html`: the difference of two reports as one file for the browser.
#pragma once

#include <filesystem>
#include <string>

#include "analyzer/report/algebra/combine.hpp"
#include "analyzer/view/difference/changes.hpp"

namespace latecomer::view {

// Returns the page of `difference` (B minus A), which begins with `changes`. A page is made from a
// file, so the report exists beside `output` for a moment.
[[nodiscard]] Result<std::string> comparison_page(const report::Combined& difference,
                                                  const Changes& changes,
                                                  const std::filesystem::path& output);

}  // namespace latecomer::view
