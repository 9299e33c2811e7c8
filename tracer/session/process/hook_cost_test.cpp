// SPDX-License-Identifier: BSD-3-Clause
// Hooks of the program's regions: a sample of them is timed and stands for the others.
#include "tracer/session/process/hook_cost.hpp"

#include <catch2/catch.hpp>

using latecomer::process;
using namespace latecomer::session;

TEST_CASE("a sample stands for 1009 hooks, less what an empty one takes") {
  HookSamples samples;
  samples.number = 3;
  samples.ticks = 150;
  CHECK(cost_of(samples, 20).hooks == 3 * 1009);
  CHECK(cost_of(samples, 20).ticks == (150 - 3 * 20) * 1009);
  CHECK(cost_of(samples, 60).ticks == 0);
  CHECK(cost_of(HookSamples{}, 20).hooks == 0);
  use_timer(default_timer());
  CHECK(ticks_of_an_empty_hook() > 0);
}

TEST_CASE("a hook that records takes longer than one that does nothing") {
  use_timer(default_timer());
  const auto number = process().session.recorded_hooks.number.load();
  const auto cost = ticks_of_a_hook();
  CHECK(cost.nanoseconds > 1);
  CHECK(cost.spread >= 0);
  CHECK(process().session.recorded_hooks.number.load() == number);  // it counts for nothing
}

TEST_CASE("hooks are calibrated while the program runs") {
  use_timer(default_timer());
  HookRounds& rounds = process().session.hook_rounds;
  HookSamples& samples = process().session.recorded_hooks;
  const auto recorded = samples.number.exchange(0);
  const auto before = rounds.number.exchange(0);
  calibrate_hooks();
  CHECK(rounds.number.load() == 0);  // the program has recorded no region
  samples.number = recorded + 1;
  for (int i = 0; i < 1000 && rounds.number.load() < 300; ++i) calibrate_hooks();
  REQUIRE(rounds.number.load() == 300);
  CHECK(samples.number.load() == recorded + 1);  // it counts for nothing

  // 120 hooks per round. The last 256 rounds count: 100 of 240 ticks and 156 of 360, which are 2
  // and 3 per hook. The median is 3; the quartiles are 2 and 3.
  for (std::size_t i = 0; i < HookRounds::kKept; ++i) rounds.ticks[i] = i < 100 ? 240 : 360;
  CHECK(ticks_of_a_hook().nanoseconds == 3);
  CHECK(ticks_of_a_hook().spread == 0.5);
  rounds.number = before;
  samples.number = recorded;
}

TEST_CASE("what was interrupted does not count") {
  HookSamples& all = process().session.recorded_hooks;
  const auto number = all.number.load();
  const auto ticks = all.ticks.load();
  detail::add_sample(true, 50);
  detail::add_sample(true, 20'001);
  detail::add_sample(true, static_cast<Ticks>(-5));  // the clock went backward
  CHECK(all.number.load() - number == 1);
  CHECK(all.ticks.load() - ticks == 50);
}

TEST_CASE("every 1009th hook of a thread is timed, whether it records or not") {
  use_timer(default_timer());
  detail::thread_state.hooks_to_sample = detail::kHooksPerSample;
  const auto samples_after = [](int hooks, bool recorded) {
    const auto& samples =
        recorded ? process().session.recorded_hooks : process().session.filtered_hooks;
    const auto before = samples.number.load();
    int done = 0;
    for (int i = 0; i < hooks; ++i) timed_hook([&] { return ++done, recorded; });
    CHECK(done == hooks);
    return samples.number.load() - before;
  };
  CHECK(samples_after(1008, true) == 0);
  // A hook that is interrupted for long does not count, so some samples may be missing.
  const auto left_out = process().session.filtered_hooks.number.load();
  const auto found = samples_after(1 + 999 * 1009, true);
  CHECK(found > 0);
  CHECK(found <= 1000);
  CHECK(process().session.filtered_hooks.number.load() == left_out);
  CHECK(samples_after(1008, false) == 0);
  CHECK(samples_after(1 + 999 * 1009, false) > 0);
  CHECK(detail::thread_state.hooks_to_sample == detail::kHooksPerSample);
}
