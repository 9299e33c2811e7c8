// SPDX-License-Identifier: BSD-3-Clause
// Clock of the records: the time stamp counter if it can be trusted, otherwise clock_gettime.
#pragma once

#include <time.h>

#include <cstdint>
#include <string_view>

#include "tracer/record/definition_lines.hpp"
#include "tracer/state/process.hpp"

namespace latecomer::session {

enum class Timer : std::uint8_t { kTsc, kMonotonic, kRealtime };

inline Ticks clock_nanoseconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<Ticks>(t.tv_sec) * 1'000'000'000 + static_cast<Ticks>(t.tv_nsec);
}

// The current time in ticks. The branch always goes the same way. The header of the counter's
// intrinsic takes as long to compile as the rest of this one, so the intrinsic's own builtin is
// used.
inline Ticks now() {
#if defined(__x86_64__)
  if (process().timer.is_tsc) [[likely]]
    return __builtin_ia32_rdtsc();
#endif
  return clock_nanoseconds(process().timer.clock);
}

// The current moment on all clocks.
[[nodiscard]] Moment read_moment();
[[nodiscard]] Ticks ticks_of(const Moment& moment);  // of the timer in use

// True if the counter runs at a constant rate in all sleep states and the kernel has not found it
// unsynchronized between sockets. In that case the kernel takes another clock source than by
// default.
[[nodiscard]] bool counter_is_reliable();

// The timer that LATECOMER_TIMER names. Without it: realtime if the metahost has a global clock,
// since counters and monotonic clocks begin at the boot of each node; otherwise the counter if it
// is reliable; otherwise monotonic.
[[nodiscard]] Timer default_timer();
void use_timer(Timer timer);
[[nodiscard]] Timer timer_in_use();
[[nodiscard]] const char* name(Timer timer);

// Function from ticks to nanoseconds, from a moment long ago (library start) and now. It waits
// until they are 20 ms apart: two readings with an uncertainty of 50 ns then give 5 ppm.
[[nodiscard]] record::ClockDefinition calibrate(const Moment& start);

}  // namespace latecomer::session
