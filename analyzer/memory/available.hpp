// SPDX-License-Identifier: BSD-3-Clause
// The memory that is left on a machine, or in the part of it that a batch system assigned.
#pragma once

#include <cstdint>
#include <filesystem>

namespace latecomer::memory {

// Bytes that processes of this node, or of this process's control group, can still use before the
// kernel kills one. Page cache counts as free. Without any information: the largest number. The
// parameters are for tests.
[[nodiscard]] std::uint64_t available(const std::filesystem::path& proc = "/proc",
                                      const std::filesystem::path& groups = "/sys/fs/cgroup");

}  // namespace latecomer::memory
