// SPDX-License-Identifier: BSD-3-Clause
// Backward part of the controlled logical clock: events before a jump are moved towards it.
#pragma once

#include <span>
#include <vector>

#include "sync/shift.hpp"

namespace latecomer::sync {

// Time by which a send at uncorrected time `at` may become later without passing its receive.
struct Slack {
  Ticks at = 0;
  Ticks room = 0;
};

// A jump of size D at time r leaves a gap in the time line of its process. It is smoothed over the
// interval of length 100 D before it (shorter at the beginning of the trace). Events there are
// advanced by a line from 0 to D.
//
//   jump of 4 at 1000:   C      600  700  800  900  999  1000
//                        advance  0    1    2    3    3     0 (now the shift contains the 4)
//
// If a send has less room than the line requires, the line bends down to it. The pieces are linear
// through (time, smallest room of this and all later sends), so no piece is ever revisited. Jumps
// are treated one by one from the last; an earlier jump finds the room that is left. At most
// kMostAtOnce jumps may have intervals over the same time; further, earlier ones get none. Sane
// clocks have a handful of jumps, and each interval may bend at every send.
class Advance {
 public:
  Advance() = default;
  // `first` is the time of the first event of the process. `slacks` are those of all its sends that
  // have one, in ascending order of time.
  Advance(const Shift& shift, Ticks first, std::span<const Slack> slacks);

  // Time by which an event at uncorrected time `c` is advanced; never decreases between two jumps.
  [[nodiscard]] Ticks at(Ticks c) const;

  // One straight part: from (from, advance) to (to, further), without its end.
  struct Line {
    Ticks from = 0, to = 1;
    Ticks advance = 0, further = 0;
    [[nodiscard]] Ticks at(Ticks c) const {
      return advance + scaled(c - from, to - from, further - advance);
    }
  };
  // All straight parts; at(c) is the sum over those that contain c.
  [[nodiscard]] std::vector<Line> lines() const;

  static constexpr Ticks kStretch = 100;  // ticks of the interval per tick of the jump
  static constexpr std::size_t kMostAtOnce = 256;

 private:
  struct Knot {
    Ticks at, advance;
  };
  struct Piece {  // one jump; knots from its beginning to the jump itself
    Ticks from, to;
    std::vector<Knot> knots;
  };
  void add(Ticks from, Ticks at, Ticks size, std::span<const Slack> slacks,
           std::vector<Ticks>& used);
  // value * part / whole, rounded down; all arguments are non-negative.
  static Ticks scaled(Ticks part, Ticks whole, Ticks value) {
    Ticks product;
    if (!__builtin_mul_overflow(part, value, &product)) return product / whole;
    __extension__ using Wide = __int128;
    return static_cast<Ticks>(static_cast<Wide>(part) * value / whole);
  }

  std::vector<Piece> pieces_;  // in descending order of `to`
  Ticks longest_ = 0;          // length of the longest piece
};

}  // namespace latecomer::sync
