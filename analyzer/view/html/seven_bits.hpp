// SPDX-License-Identifier: BSD-3-Clause
// Encodes bytes as text in a page. The text is one seventh longer than the bytes; base64 is one
// third longer.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace latecomer::view {

// Each seven bits, highest first and padded with zeros at the end, become one ASCII character. Some
// characters are not allowed in a page or would end its element: NUL, LF, CR, ", &, <, >. Such a
// character is combined with the next seven bits into U+0100 + 128 x its index in this list + next
// bits. This takes two bytes in UTF-8. At the end, where there are no next bits, it becomes U+0500
// + index. analyzer/view/html/page/unpack.js decodes the text.
[[nodiscard]] std::string seven_bits(std::span<const std::byte> bytes);

}  // namespace latecomer::view
