// SPDX-License-Identifier: BSD-3-Clause
// Checks before files are given to the OTF2 library, which trusts some of their numbers.
#pragma once

#include <filesystem>

#include "archive/result.hpp"

namespace latecomer::otf2 {

// Checks the anchor file. It must begin as OTF2 writes it, its chunk sizes must be possible, and it
// must be long enough for the properties that it announces. OTF2 3.0.2 allocates memory for them
// without this check: gigabytes, or too little after an overflow.
[[nodiscard]] Status check_anchor(const std::filesystem::path& anchor);

}  // namespace latecomer::otf2
