// SPDX-License-Identifier: BSD-3-Clause
// Remote clock reading: the offset of another clock, and its error.
#pragma once

#include <cstdint>
#include <functional>

namespace latecomer::sync {

using Nanoseconds = std::int64_t;

// One ping-pong: this side notes `sent`, the other one answers with its time, this side notes
// `received`.
struct Round {
  Nanoseconds sent = 0;
  Nanoseconds remote = 0;
  Nanoseconds received = 0;

  [[nodiscard]] Nanoseconds round_trip() const { return received - sent; }
};

// Value to add to the other clock at its time `remote` to get this clock: offset +- error.
struct Offset {
  Nanoseconds remote = 0;
  Nanoseconds offset = 0;
  Nanoseconds error = 0;       // half of the best round trip
  Nanoseconds round_trip = 0;  // the best one; half of it estimates the minimum latency
  // Half the round trip, over undisturbed rounds (at most twice the best one). A round of a waiting
  // process is disturbed whenever it has lost its core.
  Nanoseconds mean = 0;
  Nanoseconds deviation = 0;  // standard deviation
  int rounds = 0;
  bool settled = false;  // false: a limit was reached before the best round was confirmed
};

// Conditions for the end. The best round trip is confirmed if `confirmations` others came within
// `closeness` of it. It must also be at most `closeness` times the smallest seen on this link
// before. Most rounds on an oversubscribed machine contain a scheduling quantum, so a small fixed
// number of rounds is not enough (10 rounds: errors of 1 ms between two processes of one clock).
struct Limits {
  int fewest = 10;
  int most = 2000;
  Nanoseconds time = 100'000'000;
  int confirmations = 4;
  double closeness = 1.25;
  Nanoseconds smallest_seen = 0;  // round trip; 0: unknown
};

// Runs `ping_pong` until the offset is known well or a limit is reached, and returns the best.
//
//   sent  remote  received      offset = (t0 + t1) / 2 - s      [Cristian 1989]
//    100    5020       140      = 120 - 5020 = -4900, error <= 20
[[nodiscard]] Offset measure_offset(const std::function<Round()>& ping_pong, const Limits& limits);

}  // namespace latecomer::sync
