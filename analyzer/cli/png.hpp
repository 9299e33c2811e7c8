// SPDX-License-Identifier: BSD-3-Clause
// Converts drawings to pixels with rsvg-convert (librsvg).
#pragma once

#include <string>

#include "archive/result.hpp"

namespace latecomer::cli {

// Returns the bytes of a PNG file. A Problem if rsvg-convert is not installed or cannot draw it.
[[nodiscard]] Result<std::string> png_of(const std::string& svg);

}  // namespace latecomer::cli
