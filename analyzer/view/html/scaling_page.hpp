// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer scaling --html`: runs of different sizes as one file for the browser.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/view/scaling/scaling.hpp"

namespace latecomer::view {

// The data of the page. `scaling` is the output of `latecomer scaling --json`, with the `most` call
// paths that lose most. `left_out` counts others that lose, and their loss. `short_names` has the
// short names of functions that have one.
[[nodiscard]] nlohmann::ordered_json scaling_data(const Scaling& scaling, std::size_t most = 1000);

// Returns the whole page, which needs no other file and no network.
[[nodiscard]] std::string scaling_page(const Scaling& scaling);

}  // namespace latecomer::view
