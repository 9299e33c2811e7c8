// SPDX-License-Identifier: BSD-3-Clause
// Room on the disk after the end of a file that the OTF2 library writes.
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::otf2 {

// Makes sure that the file can grow to this size, which does not change yet. Returns 0 or an errno:
// ENOSPC, EDQUOT, EFBIG, ... A file system that cannot reserve room is asked how much it has.
int reserve(const std::string& path, std::uint64_t bytes);

// Frees what was reserved and not written.
void release(const std::string& path);

}  // namespace latecomer::otf2
