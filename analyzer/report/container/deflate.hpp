// SPDX-License-Identifier: BSD-3-Clause
// Compression in the zlib format (RFC 1950).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace latecomer::report {

// Compresses `data`. inflate_bytes() and any other reader of zlib streams can restore it.
[[nodiscard]] std::vector<std::byte> deflate_bytes(std::span<const std::byte> data);

}  // namespace latecomer::report
