// SPDX-License-Identifier: BSD-3-Clause
// Room on the disk behind the end of a file that somebody else writes.
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::otf2 {

// Makes sure that the file can grow to so many bytes; its size stays. Returns 0 or an errno:
// ENOSPC, EDQUOT, EFBIG, ... Where the file system cannot reserve it is asked whether it has room.
int reserve(const std::string& path, std::uint64_t bytes);

// Gives back what was reserved and not written.
void release(const std::string& path);

}  // namespace latecomer::otf2
