// SPDX-License-Identifier: BSD-3-Clause
// Compression as zlib does it (RFC 1950).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace latecomer::report {

// inflate_bytes() gives `data` back, and so does any reader of zlib streams.
[[nodiscard]] std::vector<std::byte> deflate_bytes(std::span<const std::byte> data);

}  // namespace latecomer::report
