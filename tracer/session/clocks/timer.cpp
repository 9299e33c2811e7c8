// SPDX-License-Identifier: BSD-3-Clause
// Choice and calibration of the timer.
#include "tracer/session/clocks/timer.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <string>

#include "archive/settings.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace latecomer::session {

namespace {

Ticks read_counter() {
#if defined(__x86_64__)
  return __builtin_ia32_rdtsc();
#else
  return 0;
#endif
}

// CPUID 0x80000007, bit 8 of EDX: the counter has a constant rate in all power states.
bool counter_is_invariant() {
#if defined(__x86_64__)
  unsigned a = 0, b = 0, c = 0, d = 0;
  constexpr unsigned kPowerManagement = 0x80000007;
  return __get_cpuid(kPowerManagement, &a, &b, &c, &d) != 0 && (d & 1U << 8) != 0;
#else
  return false;
#endif
}

// The kernel uses these clock sources when it finds the counters of the sockets out of step.
bool kernel_distrusts_counter() {
  const int file = open("/sys/devices/system/clocksource/clocksource0/current_clocksource",
                        O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  std::array<char, 32> text{};
  const ssize_t length = read(file, text.data(), text.size());
  close(file);
  const std::string_view source(text.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return source.starts_with("hpet") || source.starts_with("acpi_pm");
}

}  // namespace

// Reads the clock between two readings of the counter, and keeps the closest pair of several tries.
Moment read_moment() {
  Moment best;
  Ticks closest = ~Ticks{0};
  for (int i = 0; i < 5; ++i) {
    const Ticks before = read_counter();
    const Ticks monotonic = clock_nanoseconds(CLOCK_MONOTONIC);
    const Ticks after = read_counter();
    if (after - before < closest) {
      closest = after - before;
      best.counter = before + (after - before) / 2;
      best.monotonic = monotonic;
    }
  }
  best.wall =
      clock_nanoseconds(CLOCK_REALTIME) - clock_nanoseconds(CLOCK_MONOTONIC) + best.monotonic;
  return best;
}

bool counter_is_reliable() { return counter_is_invariant() && !kernel_distrusts_counter(); }

Timer default_timer() {
  const std::string wanted = setting_text(SettingId::kTimer);
  if (wanted == "monotonic") return Timer::kMonotonic;
  if (wanted == "realtime") return Timer::kRealtime;
  if (wanted == "tsc" && counter_is_invariant()) return Timer::kTsc;
  if (setting_flag(SettingId::kMetahostGlobalClock)) return Timer::kRealtime;
  return counter_is_reliable() ? Timer::kTsc : Timer::kMonotonic;
}

void use_timer(Timer timer) {
  process().timer.is_tsc = timer == Timer::kTsc;
  process().timer.clock = timer == Timer::kRealtime ? CLOCK_REALTIME : CLOCK_MONOTONIC;
}

Timer timer_in_use() {
  if (process().timer.is_tsc) return Timer::kTsc;
  return process().timer.clock == CLOCK_REALTIME ? Timer::kRealtime : Timer::kMonotonic;
}

const char* name(Timer timer) {
  switch (timer) {
    case Timer::kTsc:
      return "tsc";
    case Timer::kMonotonic:
      return "monotonic";
    default:
      return "realtime";
  }
}

Ticks ticks_of(const Moment& moment) {
  switch (timer_in_use()) {
    case Timer::kTsc:
      return moment.counter;
    case Timer::kMonotonic:
      return moment.monotonic;
    default:
      return moment.wall;
  }
}

record::ClockDefinition calibrate(const Moment& start) {
  constexpr Ticks kShortest = 20'000'000;  // ns between the two moments
  record::ClockDefinition clock;
  clock.timer = name(timer_in_use());
  clock.base_ticks = ticks_of(start);
  if (timer_in_use() != Timer::kTsc) {
    clock.base_nanoseconds = static_cast<std::int64_t>(clock.base_ticks);
    return clock;
  }
  Moment end = read_moment();
  while (end.monotonic - start.monotonic < kShortest) {
    const timespec rest{0, static_cast<long>(kShortest - (end.monotonic - start.monotonic))};
    nanosleep(&rest, nullptr);
    end = read_moment();
  }
  clock.base_nanoseconds = static_cast<std::int64_t>(start.monotonic);
  clock.nanoseconds_per_tick = static_cast<double>(end.monotonic - start.monotonic) /
                               static_cast<double>(end.counter - start.counter);
  return clock;
}

}  // namespace latecomer::session
