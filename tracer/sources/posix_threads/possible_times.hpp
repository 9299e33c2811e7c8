// SPDX-License-Identifier: BSD-3-Clause
// Checks the time until which a call waits. The C library refuses an impossible one before it looks
// at what the call is about. So such calls go there at once.
#pragma once

#include <time.h>

namespace latecomer::posix {

inline bool is_possible(const timespec* until) {
  constexpr long kSecond = 1'000'000'000;
  return until->tv_nsec >= 0 && until->tv_nsec < kSecond;
}
inline bool is_possible(clockid_t clock, const timespec* until) {
  return (clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC) && is_possible(until);
}

}  // namespace latecomer::posix
