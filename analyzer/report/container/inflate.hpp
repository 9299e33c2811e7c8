// SPDX-License-Identifier: BSD-3-Clause
// Decompression of zlib and gzip data of bounded size.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace latecomer::report {

// Returns the decompressed bytes; nothing if `data` is damaged, truncated, or would grow beyond
// `limit`.
[[nodiscard]] std::optional<std::vector<std::byte>> inflate_bytes(std::span<const std::byte> data,
                                                                  std::size_t limit);

}  // namespace latecomer::report
