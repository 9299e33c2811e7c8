// SPDX-License-Identifier: BSD-3-Clause
// What entering and leaving the program's regions takes, measured where it happens.
//
// A loop over one region that stays in the caches shows 10 ns an event, a program that uses the
// caches itself pays several times that. So every kHooksPerSample-th hook of a thread is timed, and
// stands for the others. That is rather too much, by up to a half: memory that the program waits
// for meanwhile is in it.
#pragma once

#include <atomic>
#include <cstdint>

#include "tracer/session/session.hpp"
#include "tracer/session/timer.hpp"

namespace latecomer::session {

// Samples of all threads: of hooks that record, or of those of regions that a filter leaves out.
struct HookSamples {
  std::atomic<std::uint64_t> number{0};
  std::atomic<std::uint64_t> ticks{0};  // of all
};

// An estimate from samples.
struct HookCost {
  std::uint64_t hooks = 0;
  double ticks = 0;  // that all of them took
};

// `empty`: ticks of a sample of a hook that does nothing.
[[nodiscard]] HookCost cost_of(const HookSamples& samples, double empty);

// The median of some: readings of the clock, and branches that go another way than usual.
[[nodiscard]] double ticks_of_an_empty_hook();

namespace detail {
extern HookSamples recorded_hooks, filtered_hooks;
void add_sample(bool recorded, Ticks took);
}  // namespace detail

// Does what a hook has to do; `hook()` returns whether its region is recorded. `add` takes what it
// returned, and how long it took.
template <typename Hook, typename Add>
[[gnu::always_inline]] inline void timed_hook(Hook hook, Add add) {
  Ticks begin = 0;
  if (--detail::thread_state.hooks_to_sample == 0) [[unlikely]]
    begin = now();
  // A copy of the hook for those that are timed would be slower: it would never be in the cache.
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
