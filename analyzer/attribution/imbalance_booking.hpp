// SPDX-License-Identifier: BSD-3-Clause
// Books the computational imbalance (patterns/metric/imbalance.hpp).
#pragma once

#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::replay {

// Collective; call it once all computation is booked.
void book_imbalance(Booking& booking, parallel::Processes& processes);

}  // namespace latecomer::replay
