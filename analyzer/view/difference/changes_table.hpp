// SPDX-License-Identifier: BSD-3-Clause
// Prints the changes between two reports for a terminal, or as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/view/difference/changes.hpp"
#include "analyzer/view/text/colours.hpp"

namespace latecomer::view {

// Text with the `top` largest changes.
[[nodiscard]] std::string changes_text(const Changes& changes, std::size_t top,
                                       const Colours& colours);
// JSON with all changes.
[[nodiscard]] nlohmann::ordered_json changes_json(const Changes& changes);

// "+12.5 %"; "new" if there was nothing, "gone" if nothing is left.
[[nodiscard]] std::string relative(double before, double after);

}  // namespace latecomer::view
