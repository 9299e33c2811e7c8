// SPDX-License-Identifier: BSD-3-Clause
// `latecomer diff --html`: the difference of two reports as one file for the browser.
#pragma once

#include <filesystem>
#include <string>

#include "analyzer/report/algebra/combine.hpp"
#include "analyzer/view/changes.hpp"

namespace latecomer::view {

// The page of `difference` (B less A), beginning with `changes`. The report is written beside
// `output` for a moment, since a page is made of a file.
[[nodiscard]] Result<std::string> comparison_page(const report::Combined& difference,
                                                  const Changes& changes,
                                                  const std::filesystem::path& output);

}  // namespace latecomer::view
