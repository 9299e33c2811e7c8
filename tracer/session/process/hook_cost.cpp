// SPDX-License-Identifier: BSD-3-Clause
// Sums of samples, and the cost of a sample itself.
#include "tracer/session/process/hook_cost.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

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

namespace {

constexpr int kPairs = 60;                             // of an enter and a leave, in a round
constexpr std::uint64_t kFewest = 21;                  // rounds that a calibration needs
constexpr std::size_t kChunk = std::size_t{64} << 10;  // holds all records of kFewest rounds
// A round that was interrupted.
constexpr Ticks kLongestRound = 200'000;

Ticks ticks_of_a_round(record::ThreadWriter& nowhere) {
  const user::AddressMap& regions = process().user.regions;
  auto address = reinterpret_cast<std::uintptr_t>(&nowhere);
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
  const Ticks begin = now();
  for (int i = 0; i < kPairs; ++i) {
    hook([&] { nowhere.enter(1, now()); });
    hook([&] { nowhere.leave(1, now()); });
  }
  return now() - begin;
}

}  // namespace

void calibrate_hooks() {
  SessionState& s = process().session;
  if (s.recorded_hooks.number.load(std::memory_order_relaxed) == 0) return;
  HookRounds& rounds = s.hook_rounds;
  if (rounds.taken.test_and_set(std::memory_order_acquire)) return;
  // Each call records two rounds there.
  if (!rounds.nowhere || ++rounds.rounds_there == kFewest / 2) {
    rounds.nowhere.emplace(0, kChunk, now());
    rounds.rounds_there = 0;
  }
  (void)ticks_of_a_round(*rounds.nowhere);  // brings the hook back to the caches
  const Ticks ticks = ticks_of_a_round(*rounds.nowhere);
  if (ticks <= kLongestRound) {
    const auto number = rounds.number.load(std::memory_order_relaxed);
    rounds.ticks[number % HookRounds::kKept].store(ticks, std::memory_order_relaxed);
    rounds.number.store(number + 1, std::memory_order_relaxed);
  }
  rounds.taken.clear(std::memory_order_release);
}

RecordCost ticks_of_a_hook() {
  const HookRounds& during = process().session.hook_rounds;
  std::vector<Ticks> rounds;
  const auto number = std::min<std::uint64_t>(during.number.load(), HookRounds::kKept);
  for (std::uint64_t i = 0; i < number; ++i) rounds.push_back(during.ticks[i].load());
  if (number < kFewest) {
    rounds.clear();
    record::ThreadWriter nowhere(0, kChunk, now());
    while (rounds.size() < kFewest) rounds.push_back(ticks_of_a_round(nowhere));
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
