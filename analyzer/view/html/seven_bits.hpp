// SPDX-License-Identifier: BSD-3-Clause
// Bytes as text in a page: a seventh more than the bytes, where base64 is a third more.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace latecomer::view {

// Seven bits after the other, highest first and zeros at the end, are a character of ASCII each.
// Those that a page may not have, or that would end its element, (NUL, LF, CR, ", &, <, >) take the
// next seven bits with them: U+0100 + 128 x index in this list + next bits, two bytes in UTF-8; at
// the end, where there are no more bits, U+0500 + index. analyzer/view/html/page/unpack.js reads
// it.
[[nodiscard]] std::string seven_bits(std::span<const std::byte> bytes);

}  // namespace latecomer::view
