// SPDX-License-Identifier: BSD-3-Clause
// What this process computes with: cores, and threads that nothing is recorded of.
#pragma once

#include <cstdint>
#include <string>

namespace latecomer::session {

// The machine, and the cores of it that the threads of this process may use: "BOOT-ID 0-3,8".
// Empty: not known.
[[nodiscard]] std::string cores();

// Threads that there are now, ours and those of libraries; at least 1.
[[nodiscard]] std::uint32_t thread_count();

// Whether a library that runs OpenMP is loaded.
[[nodiscard]] bool has_openmp();

}  // namespace latecomer::session
