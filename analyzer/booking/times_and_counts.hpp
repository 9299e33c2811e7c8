// SPDX-License-Identifier: BSD-3-Clause
// Metrics of each location by itself: times of call paths, visits, messages, bytes.
#pragma once

#include "analyzer/booking/booking.hpp"

namespace latecomer::replay {

// Books them. Nonblocking collective operations are left out with `scalasca_compatible`, since
// Scalasca does not know them.
void book_times_and_counts(Booking& booking, bool scalasca_compatible);

}  // namespace latecomer::replay
