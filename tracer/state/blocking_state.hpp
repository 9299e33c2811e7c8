// SPDX-License-Identifier: BSD-3-Clause
// State of tracer/sources/blocking: functions in which threads may be blocked.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

namespace latecomer::blocking {

struct BlockingState {
  std::array<std::atomic<void*>, 64> next{};  // functions of the C library (next_functions.hpp)
  std::array<std::atomic<std::uint32_t>, 96> regions{};  // by function; 0: not defined yet
};

}  // namespace latecomer::blocking
