// SPDX-License-Identifier: BSD-3-Clause
// A trace of two ranks, of which predictions are made.
#pragma once

#include "tests/support/analyze.hpp"

namespace latecomer::test {

//   0   init 0..1   work 1..5   send 5..6   6..10    finalize 10..13
//   1   init 0..1   work 1..3   recv 3..7   7..12    finalize 12..13
// 1 waits 5 - 3 = 2. The message takes 7 - 5 = 2, so the receive has no time of its own. 0 waits
// 12 - 10 = 2 in MPI_Finalize, which takes 1 after both are there.
inline TraceBuilder two() {
  auto t = TraceBuilder(2);
  t.init({{0, 1}, {0, 1}})
      .enter(0, "work", at(1))
      .leave(0, at(5))
      .send(0, at(5), leave(6), to(1))
      .enter(1, "work", at(1))
      .leave(1, at(3))
      .recv(1, at(3), leave(7), from(0))
      .finalize({{10, 13}, {12, 13}});
  return t;
}

}  // namespace latecomer::test
