// SPDX-License-Identifier: BSD-3-Clause
// Implements `latecomer show`: the summary of a report as text or JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analyzer/view/summary/summary.hpp"

namespace latecomer::view {

// The summary in at most 20 lines (26 if the run was sampled) of at most 100 columns, except that
// file names and notes may be longer. The text ends with the path of the report and the command to
// type next.
[[nodiscard]] std::string show_text(const Summary& summary);

// The summary of a difference of two reports, for which most sentences about a run are not true.
[[nodiscard]] std::string difference_text(const Summary& summary);

// The command that explains what the summary shows first.
[[nodiscard]] std::string next_command(const Summary& summary);

// The complete summary; nothing is shortened.
[[nodiscard]] nlohmann::ordered_json show_json(const Summary& summary);

}  // namespace latecomer::view
