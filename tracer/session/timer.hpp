// SPDX-License-Identifier: BSD-3-Clause
// The clock of the records: the time stamp counter where it can be trusted, else clock_gettime.
#pragma once

#include <time.h>

#include <cstdint>
#include <string_view>

#include "tracer/record/definitions.hpp"
#include "tracer/record/writer.hpp"

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace latecomer::session {

using record::Ticks;

enum class Timer : std::uint8_t { kTsc, kMonotonic, kRealtime };

namespace detail {
// Set once, before the first record. Ticks of the two clocks are nanoseconds.
extern bool timer_is_tsc;
extern clockid_t timer_clock;
}  // namespace detail

inline Ticks clock_nanoseconds(clockid_t clock) {
  timespec t;
  clock_gettime(clock, &t);
  return static_cast<Ticks>(t.tv_sec) * 1'000'000'000 + static_cast<Ticks>(t.tv_nsec);
}

// The time now. The branch always goes the same way.
inline Ticks now() {
#if defined(__x86_64__)
  if (detail::timer_is_tsc) [[likely]]
    return __rdtsc();
#endif
  return clock_nanoseconds(detail::timer_clock);
}

// A moment on all clocks; `wall` is nanoseconds since 1970.
struct Moment {
  Ticks counter = 0;
  Ticks monotonic = 0;
  Ticks wall = 0;
};
[[nodiscard]] Moment read_moment();
[[nodiscard]] Ticks ticks_of(const Moment& moment);  // of the timer in use

// Whether the counter runs at a constant rate in all sleep states and the kernel did not find it
// unsynchronized between sockets (it then takes another clock source than it would by default).
[[nodiscard]] bool counter_is_reliable();

// The timer that LATECOMER_TIMER names; without it realtime where a metahost has a global clock
// (counters and monotonic clocks begin at the boot of each node), the counter if it is reliable,
// else monotonic.
[[nodiscard]] Timer default_timer();
void use_timer(Timer timer);
[[nodiscard]] Timer timer_in_use();
[[nodiscard]] const char* name(Timer timer);

// The function from ticks to nanoseconds, from a moment long ago (library start) and now. If they
// are closer than 20 ms it waits: two readings of 50 ns uncertainty give 5 ppm.
[[nodiscard]] record::ClockDefinition calibrate(const Moment& start);

}  // namespace latecomer::session
