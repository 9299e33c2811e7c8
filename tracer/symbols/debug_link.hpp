// SPDX-License-Identifier: BSD-3-Clause
// Debug information in a separate file that a program names (.gnu_debuglink).
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::user {

// Opens the file `link` that the program or library `file` names: in the same folder, in .debug
// there, or in the system's folder for debug files. A file with another checksum (CRC-32 of the
// whole file) belongs to another version. Returns a descriptor and sets its path, or returns -1.
[[nodiscard]] int open_debug_link(const std::string& file, const std::string& link,
                                  std::uint32_t checksum, std::string& path);

}  // namespace latecomer::user
