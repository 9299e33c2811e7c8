// SPDX-License-Identifier: BSD-3-Clause
// What is looked at before files are handed to the OTF2 library, which trusts some of their
// numbers.
#pragma once

#include <filesystem>

#include "archive/result.hpp"

namespace latecomer::otf2 {

// The anchor file: begins as OTF2 writes it, its chunk sizes are possible, and it is long enough
// for the properties that it announces (OTF2 3.0.2 allocates for them unseen: gigabytes, or with an
// overflow too little).
[[nodiscard]] Status check_anchor(const std::filesystem::path& anchor);

}  // namespace latecomer::otf2
