// SPDX-License-Identifier: BSD-3-Clause
// How much memory a machine, or the part of it that a batch system gives, has left.
#pragma once

#include <cstdint>
#include <filesystem>

namespace latecomer::memory {

// Bytes that processes of this node, or of this process's control group, can still take without
// anything being ended for it; page cache counts as free. Without any information: the largest
// number. The directories are for tests.
[[nodiscard]] std::uint64_t available(const std::filesystem::path& proc = "/proc",
                                      const std::filesystem::path& groups = "/sys/fs/cgroup");

}  // namespace latecomer::memory
