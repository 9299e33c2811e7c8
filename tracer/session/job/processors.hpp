// SPDX-License-Identifier: BSD-3-Clause
// Cores of this process, and its threads, including those that are not recorded.
#pragma once

#include <sched.h>

#include <cstdint>
#include <string>

namespace latecomer::session {

// The machine, and the cores that the threads of this process may use: "BOOT-ID 0-3,8". Empty:
// unknown.
[[nodiscard]] std::string cores();

// The cores in a set: "0-3,8"; empty: none.
[[nodiscard]] std::string cores_in(const cpu_set_t& set);

// Number of threads that exist now, including those of libraries; at least 1.
[[nodiscard]] std::uint32_t thread_count();

}  // namespace latecomer::session
