// SPDX-License-Identifier: BSD-3-Clause
// Messages in Wrong Order: a receiver waited for a message although an older one was there.
#pragma once

#include "patterns/metric/time.hpp"

namespace latecomer::patterns {

// A receive that waited for a late sender is in wrong order if a message that the process received
// later had been sent earlier. The whole wait could then have been used to receive that one.
//
//   received first    sent at 7, waited 4     wrong order
//   received second   sent at 3
[[nodiscard]] constexpr Duration wrong_order(Duration wait, Ticks sent, Ticks later_received_sent) {
  return later_received_sent < sent ? wait : 0;
}

// Its two parts, by the source of the older message.

}  // namespace latecomer::patterns
