// SPDX-License-Identifier: BSD-3-Clause
// Debug information in a file of its own that a program names (.gnu_debuglink).
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::user {

// Opens the file `link` that the program or library `file` names: beside it, in .debug there, or in
// the system's folder for debug files. Its checksum must be `checksum` (CRC-32 of the whole file),
// or it belongs to another version. A descriptor and its path, or -1.
[[nodiscard]] int open_debug_link(const std::string& file, const std::string& link,
                                  std::uint32_t checksum, std::string& path);

}  // namespace latecomer::user
