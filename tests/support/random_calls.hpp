// SPDX-License-Identifier: BSD-3-Clause
// Random programs as a watcher is told of them.
#pragma once

#include <random>
#include <vector>

#include "tests/support/watched_calls.hpp"

namespace latecomer::test {

inline constexpr watch::Rank kRanks = 5;
using Program = std::vector<std::vector<WatchedCall>>;  // by rank

// Rounds of messages in a ring, blocking or not, and of collective operations on two communicators.
inline Program random_program(unsigned seed) {
  std::mt19937 random(seed);
  const auto below = [&](int n) {
    return static_cast<watch::Nanoseconds>(random() % static_cast<unsigned>(n));
  };
  Program program(kRanks);
  std::vector<watch::Nanoseconds> now(kRanks, 1000);
  std::uint64_t request = 1;
  using enum watch::Operation::Kind;
  for (int round = 0; round < 60; ++round) {
    const auto kind = below(4);
    const std::uint64_t bytes = std::uint64_t{1} << below(16);
    for (watch::Rank r = 0; r < kRanks; ++r) {
      watch::Nanoseconds& t = now[r];
      const auto call = [&](patterns::CallKind of = patterns::CallKind::kOther) {
        const watch::Nanoseconds enter = t + below(100), leave = enter + 1 + below(200);
        t = leave;
        return WatchedCall(r, enter, leave, static_cast<watch::PathId>(below(3)), of);
      };
      const watch::Rank left = (r + kRanks - 1) % kRanks, right = (r + 1) % kRanks;
      if (kind == 0) {
        program[r].push_back(call().send(right, 1, bytes));
        program[r].push_back(call().receive(left, 1));
      } else if (kind == 1) {
        const std::uint64_t a = request++, b = request++;
        program[r].push_back(call().about(kReceiveBegins, a));
        program[r].push_back(call().send(right, 2, bytes, b));
        program[r].push_back(
            call(patterns::CallKind::kWaitMultiple).receive(left, 2, a).about(kSendEnds, b));
      } else if (kind == 2) {
        program[r].push_back(call().collective(patterns::CollectiveOperation::kAllreduce));
      } else if (r < 3) {
        program[r].push_back(call().collective(patterns::CollectiveOperation::kReduce, 1, 1));
      }
    }
  }
  return program;
}

inline void define(watch::Watcher& watcher) {
  for (watch::Rank r = 0; r < kRanks; ++r) watcher.set_place(r, r / 2, 0);
  watcher.define(0, {0, 1, 2, 3, 4});
  watcher.define(1, {0, 1, 2});
}

}  // namespace latecomer::test
