// SPDX-License-Identifier: BSD-3-Clause
// Says which file a cause of waiting was busy with.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "analyzer/report/extras/file_use.hpp"

namespace latecomer::view {

// "it writes out.bin: 131.0 MB in 800.0 ms, fsync 700.0 ms", about all uses of a file. `others` is
// the number of further files that the cause was busy with. Empty without uses.
[[nodiscard]] std::string file_text(std::span<const report::FileUse> uses, std::size_t others);

}  // namespace latecomer::view
