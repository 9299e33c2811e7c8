// SPDX-License-Identifier: BSD-3-Clause
// A clock that is wrong in a known way, for emulated nodes and generated traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::sync {

using Nanoseconds = std::int64_t;

// Errors of a clock. True time 0 is where the model begins. An example:
//
//   offset=-1.5ms drift=12.5ppm wander=20ppb/1s seed=7 jump=5us@10s jump=-2us@20s
//
// This clock shows -1.5 ms at 0 and then gains 12.5 us per second. Every second its rate changes by
// at most 20e-9, up or down, as the seed determines. It is set forward by 5 us at 10 s, and back by
// 2 us at 20 s.
struct ClockSpec {
  struct Jump {
    Nanoseconds at = 0;  // true time, > 0
    Nanoseconds size = 0;
  };
  Nanoseconds offset = 0;
  std::int64_t drift = 0;    // in 1e-12, at most a tenth
  std::int64_t wander = 0;   // largest change of the rate, in 1e-12
  Nanoseconds interval = 0;  // between changes of the rate; 0: the rate is constant
  std::uint64_t seed = 0;
  std::vector<Jump> jumps;
};

// Parses fields in any order, separated by blanks; missing ones are 0. Units: ns, us, ms, s; ppb,
// ppm.
[[nodiscard]] Result<ClockSpec> parse_clock(std::string_view text);
[[nodiscard]] std::string to_text(const ClockSpec& spec);

// The clock of a node in a file with lines "NODE FIELDS"; empty if the file does not name it. A
// line for the node * holds for all nodes that are not named. Empty lines and the text after a #
// are ignored.
[[nodiscard]] Result<std::optional<ClockSpec>> clock_of_node(std::string_view file,
                                                             std::string_view node);

// Uses integer arithmetic only, so the result is the same on every machine. Between changes of the
// rate the clock shows
//
//   start value + t + floor(t * rate / 1e12),  t = true time since the change,
//
// so it never stops, and only steps back at negative jumps.
class ClockModel {
 public:
  // The rate wanders in the first kPieces intervals; then the last rate stays.
  static constexpr int kPieces = 4096;
  explicit ClockModel(const ClockSpec& spec);

  [[nodiscard]] const ClockSpec& spec() const { return spec_; }

  // Time that the clock shows at a true time. Before 0 it runs at the first rate.
  [[nodiscard]] Nanoseconds local(Nanoseconds true_time) const;

  // The first true time at which the clock shows `local` or more. So true_time(local(t)) is never
  // later than t, and equal to t where the clock is strictly increasing.
  [[nodiscard]] Nanoseconds true_time(Nanoseconds local) const;

 private:
  struct Piece {
    Nanoseconds from = 0;     // true time
    Nanoseconds value = 0;    // shown at that time
    std::int64_t rate = 0;    // in 1e-12, in addition to 1
    Nanoseconds reached = 0;  // the largest value shown before the next piece
  };
  static Nanoseconds shown(const Piece& piece, Nanoseconds true_time);

  ClockSpec spec_;
  std::vector<Piece> pieces_;
};

}  // namespace latecomer::sync
