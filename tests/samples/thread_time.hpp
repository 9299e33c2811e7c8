// SPDX-License-Identifier: BSD-3-Clause
// Clocks for tests of samples, and a function to find in them.
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

// Computes for so much processor time of this thread.
[[gnu::noinline]] inline void compute(std::uint64_t time) {
  const std::uint64_t end = nanoseconds(CLOCK_THREAD_CPUTIME_ID) + time;
  while (nanoseconds(CLOCK_THREAD_CPUTIME_ID) < end) {
    for (int i = 0; i < 20'000; ++i) asm volatile("" ::"r"(i));
  }
}

}  // namespace latecomer::test
