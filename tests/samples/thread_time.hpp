// SPDX-License-Identifier: BSD-3-Clause
// Clocks for tests of samples.
#pragma once

#include <time.h>

#include <cstdint>

namespace latecomer::test {

inline constexpr std::uint64_t kMillisecond = 1'000'000;  // in nanoseconds

inline std::uint64_t nanoseconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(t.tv_nsec);
}

}  // namespace latecomer::test
