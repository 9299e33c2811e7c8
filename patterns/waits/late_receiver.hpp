// SPDX-License-Identifier: BSD-3-Clause
// Late Receiver: the sender was blocked because the receive had not been posted.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// Late Receiver: a process waits in the call that completes its send until the receiver enters the
// call that posts the receive. It is zero if the call ended before that.
//
//   send complete   enter 1, leave 8     wait = 5 - 1 = 4
//   receive         posted at 5
//   send complete   enter 1, leave 4     wait = 0
[[nodiscard]] constexpr Duration late_receiver(Ticks send_enter, Ticks send_leave,
                                               Ticks receive_enter) {
  return send_leave <= receive_enter ? 0 : positive(receive_enter - send_enter);
}

}  // namespace latecomer::patterns
