// SPDX-License-Identifier: BSD-3-Clause
// Metrics that each location has by itself: times of call paths, visits, messages, bytes.
#pragma once

#include "analyzer/replay/booking.hpp"

namespace latecomer::replay {

// Compatible: without nonblocking collective operations, which the base does not know.
void book_times_and_counts(Booking& booking, bool scalasca_compatible);

}  // namespace latecomer::replay
