// SPDX-License-Identifier: BSD-3-Clause
// The table of options of latecomer-analyzer.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/cli/command.hpp"

namespace latecomer::cli {

[[nodiscard]] const std::vector<Option>& analyzer_options();

}  // namespace latecomer::cli
