// SPDX-License-Identifier: BSD-3-Clause
// Remote clock reading: how far another clock is from ours, and how sure that is.
#pragma once

#include <cstdint>
#include <functional>

namespace latecomer::sync {

using Nanoseconds = std::int64_t;

// One ping-pong: we stamp `sent`, the other side answers with its time, we stamp `received`.
struct Round {
  Nanoseconds sent = 0;
  Nanoseconds remote = 0;
  Nanoseconds received = 0;

  [[nodiscard]] Nanoseconds round_trip() const { return received - sent; }
};

// What to add to the other clock at its time `remote` to get ours: offset +- error.
struct Offset {
  Nanoseconds remote = 0;
  Nanoseconds offset = 0;
  Nanoseconds error = 0;       // half of the best round trip
  Nanoseconds round_trip = 0;  // the best one; half of it estimates the minimum latency
  // Half the round trips of the rounds that nothing disturbed (at most twice the best one): that of
  // a waiting process is disturbed whenever it has lost its core.
  Nanoseconds mean = 0;
  Nanoseconds deviation = 0;  // standard
  int rounds = 0;
  bool settled = false;  // false: a limit was reached before the best round was confirmed
};

// When to stop. A best round trip counts as confirmed when `confirmations` others came within
// `closeness` of it and it is not longer than `closeness` times the smallest seen on this link
// before. On an oversubscribed machine most rounds contain a scheduling quantum, so a fixed small
// number of rounds is not enough (10 rounds: errors of 1 ms between two processes of one clock).
struct Limits {
  int fewest = 10;
  int most = 2000;
  Nanoseconds time = 100'000'000;
  int confirmations = 4;
  double closeness = 1.25;
  Nanoseconds smallest_seen = 0;  // round trip, 0: not known
};

// Runs `ping_pong` until the offset is known well or a limit is reached, and returns the best.
//   sent  remote  received      offset = (t0 + t1) / 2 - s      [Cristian 1989]
//    100    5020       140      = 120 - 5020 = -4900, error <= 20
[[nodiscard]] Offset measure_offset(const std::function<Round()>& ping_pong, const Limits& limits);

}  // namespace latecomer::sync
