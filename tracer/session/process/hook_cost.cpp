// SPDX-License-Identifier: BSD-3-Clause
// Sums of samples, and the cost of a sample itself.
#include "tracer/session/process/hook_cost.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/record/writer.hpp"

namespace latecomer::session {
namespace detail {

[[gnu::noinline, gnu::cold]] void add_sample(bool recorded, Ticks took) {
  // Longer samples are due to the scheduler, or to a full chunk of records, whose time is counted
  // separately.
  constexpr Ticks kLongest = 20'000;
  if (took > kLongest) return;
  SessionState& s = process().session;
  HookSamples& samples = recorded ? s.recorded_hooks : s.filtered_hooks;
  samples.number.fetch_add(1, std::memory_order_relaxed);
  samples.ticks.fetch_add(took, std::memory_order_relaxed);
}

}  // namespace detail

HookCost cost_of(const HookSamples& samples, double empty) {
  const auto number = static_cast<double>(samples.number.load());
  const double ticks = static_cast<double>(samples.ticks.load()) - number * empty;
  return {samples.number.load() * detail::kHooksPerSample,
          std::max(0.0, ticks) * detail::kHooksPerSample};
}

RecordCost ticks_of_a_hook() {
  constexpr int kRounds = 21, kPairs = 60;
  constexpr std::size_t kChunk = std::size_t{64} << 10;  // holds all records of all rounds
  record::ThreadWriter nowhere(0, kChunk, now());
  const user::AddressMap& regions = process().user.regions;
  std::array<Ticks, kRounds> rounds{};
  auto address = reinterpret_cast<std::uintptr_t>(&rounds);
  const auto hook = [&](auto add) {
    timed_hook(
        [&] {
          asm volatile("" : "+r"(address));  // looked up anew each time
          const auto region = regions.find(address);
          asm volatile("" : : "r"(region));
          add();
          return true;
        },
        [](bool, Ticks) {});
  };
  for (auto& round : rounds) {
    const Ticks begin = now();
    for (int i = 0; i < kPairs; ++i) {
      hook([&] { nowhere.enter(1, now()); });
      hook([&] { nowhere.leave(1, now()); });
    }
    round = now() - begin;
  }
  return cost_of_rounds(rounds, 2 * kPairs, {});
}

double ticks_of_an_empty_hook() {
  std::array<Ticks, 101> found{};
  std::size_t next = 0;
  while (next < found.size()) {
    timed_hook(
        [] {
          asm volatile("");
          return true;
        },
        [&](bool, Ticks took) { found[next++] = took; });
  }
  const auto middle = found.begin() + found.size() / 2;
  std::nth_element(found.begin(), middle, found.end());
  return static_cast<double>(*middle);
}

}  // namespace latecomer::session
