// SPDX-License-Identifier: BSD-3-Clause
// Changes between two reports for a terminal, or as JSON.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/view/changes.hpp"
#include "analyzer/view/colours.hpp"

namespace latecomer::view {

// The `top` largest changes.
[[nodiscard]] std::string changes_text(const Changes& changes, std::size_t top,
                                       const Colours& colours);
// All of them.
[[nodiscard]] nlohmann::ordered_json changes_json(const Changes& changes);

// "+12.5 %", "new" where there was nothing, "gone" where nothing is left.
[[nodiscard]] std::string relative(double before, double after);

}  // namespace latecomer::view
