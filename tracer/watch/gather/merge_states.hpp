// SPDX-License-Identifier: BSD-3-Clause
// The state of a run from those of its parts.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace latecomer::watch {

// Adds up JSON objects that json_of() made of reports, each for the ranks of some hosts. The result
// is again a part, and does not depend on the order of the parts, or on which were added up first:
// sums are integers, and lists are sorted. A rank is in one part only.
[[nodiscard]] nlohmann::ordered_json merge_states(
    const std::vector<const nlohmann::ordered_json*>& parts);

// Makes the state of the run of a part that has all hosts. `missing`: ranks of which there is no
// part, or no more, with the reason.
void complete_state(nlohmann::ordered_json& state,
                    const std::vector<std::pair<std::uint32_t, std::string>>& missing);

}  // namespace latecomer::watch
