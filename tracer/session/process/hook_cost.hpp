// SPDX-License-Identifier: BSD-3-Clause
// Cost of entering and leaving the program's regions, measured where it occurs.
//
// A loop over one region that stays in the caches shows 10 ns per event. A program that uses the
// caches itself pays several times as much. So every kHooksPerSample-th hook of a thread is timed
// and represents the others. The estimate is too high by up to a half, because it includes memory
// accesses of the program that complete in the meantime.
#pragma once

#include <cstdint>

#include "tracer/session/clocks/record_cost.hpp"
#include "tracer/session/clocks/timer.hpp"
#include "tracer/session/process/session.hpp"

namespace latecomer::session {

// Estimate from samples.
struct HookCost {
  std::uint64_t hooks = 0;
  double ticks = 0;  // of all hooks together
};

// Scales the samples up to all hooks. `empty` is the ticks of a sample of a hook that does nothing.
[[nodiscard]] HookCost cost_of(const HookSamples& samples, double empty);

// Ticks of a hook that records, in a loop that stays in the caches; and their spread. The samples
// above are too long, so this is what a correction of times takes: of the rounds while the program
// ran, or of as many now if there were too few.
[[nodiscard]] RecordCost ticks_of_a_hook();

// Measures one round of hooks, each time that a full chunk of records was stored. The speed of a
// core changes during a run, and with what its neighbors do. Does nothing before the program has
// recorded regions.
void calibrate_hooks();

// Median over some samples: two clock readings, and branches that go a rare way.
[[nodiscard]] double ticks_of_an_empty_hook();

namespace detail {
void add_sample(bool recorded, Ticks took);
}  // namespace detail

// Runs a hook, which returns whether its region is recorded. If the hook is sampled, `add` gets
// this result and the ticks that the hook took.
template <typename Hook, typename Add>
[[gnu::always_inline]] inline void timed_hook(Hook hook, Add add) {
  Ticks begin = 0;
  if (--detail::thread_state.hooks_to_sample == 0) [[unlikely]]
    begin = now();
  // Prevents a copy of the hook for the sampled case. It would never be in the cache, hence slower.
  asm volatile("" : "+r"(begin));
  const bool recorded = hook();
  if (begin != 0) [[unlikely]] {
    const Ticks took = now() - begin;
    detail::thread_state.hooks_to_sample = detail::kHooksPerSample;
    add(recorded, took);
  }
}

template <typename Hook>
[[gnu::always_inline]] inline void timed_hook(Hook hook) {
  timed_hook(hook, [](bool recorded, Ticks took) { detail::add_sample(recorded, took); });
}

}  // namespace latecomer::session
