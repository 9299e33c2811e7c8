// SPDX-License-Identifier: BSD-3-Clause
// Chooses call paths by names: "main", "exchange/MPI_*", "main > exchange".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/model.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// Whether `text` is what `pattern` says, with * for any characters and ? for one.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view text);

// One flag per call path: its last functions, as many as the pattern has names, fit. Names in the
// pattern are separated by "/" or " > "; they fit a region's name as stored or as it is shown
// (C++ functions without arguments).
[[nodiscard]] std::vector<bool> ends_with(const report::Definitions& definitions,
                                          const std::string& pattern);

// The same, and everything that is called by them. Nothing fits: a usage Problem that names the
// nearest function.
// `option` is for messages.
[[nodiscard]] Result<std::vector<bool>> at_or_below(const report::Definitions& definitions,
                                                    const std::string& pattern,
                                                    const std::string& option = "--callpath");

}  // namespace latecomer::view
