// SPDX-License-Identifier: BSD-3-Clause
// Drawings as pixels, made by rsvg-convert (librsvg).
#pragma once

#include <string>

#include "archive/result.hpp"

namespace latecomer::cli {

// The bytes of a PNG file. A problem where rsvg-convert is not installed or cannot draw it.
[[nodiscard]] Result<std::string> png_of(const std::string& svg);

}  // namespace latecomer::cli
