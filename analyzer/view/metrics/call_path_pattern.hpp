// SPDX-License-Identifier: BSD-3-Clause
// Chooses call paths by the names of their functions: "main", "exchange/MPI_*", "main > exchange".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/model/model.hpp"
#include "archive/result.hpp"

namespace latecomer::view {

// True if `text` matches `pattern`, in which * stands for any characters and ? for one.
[[nodiscard]] bool fits(std::string_view pattern, std::string_view text);

// One flag per call path: true if its last functions match the names of the pattern, one to one.
// Names in the pattern are separated by "/" or " > ". They are compared with a region's name as it
// is stored and as it is shown (C++ functions without arguments).
[[nodiscard]] std::vector<bool> ends_with(const report::Definitions& definitions,
                                          const std::string& pattern);

// Flags of the call paths that ends_with() chooses and of all that these call. If none matches, a
// usage Problem names the nearest function, and some of the run.
[[nodiscard]] Result<std::vector<bool>> at_or_below(const report::Definitions& definitions,
                                                    const std::string& pattern);

}  // namespace latecomer::view
