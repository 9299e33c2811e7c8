// SPDX-License-Identifier: BSD-3-Clause
// Late Sender: the receiver was blocked before the send began.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Late Sender [Wolf & Mohr 2003]: the receiver waits from entering its call until the sender enters
// the send, at most until the call ends. `receive` is the call that completes the receive:
// MPI_Recv, MPI_Sendrecv, or the wait call. A call that completes several receives counts only the
// largest of these waits. The Test family has its own rule (polling.hpp).
//
//   send      enter 5                   wait = min(5, 6) - 1 = 4
//   receive   enter 1, leave 6
[[nodiscard]] constexpr Duration late_sender(Ticks receive_enter, Ticks receive_leave,
                                             Ticks send_enter) {
  return positive(std::min(send_enter, receive_leave) - receive_enter);
}

}  // namespace latecomer::patterns
