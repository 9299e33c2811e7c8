// SPDX-License-Identifier: BSD-3-Clause
// The files outside MPI with most time, by call path and location.
#pragma once

#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/file_use.hpp"

namespace latecomer::replay {

// At most FileUse::kMostRows rows, the one with most time first. The result is the same on all
// processes. Collective.
[[nodiscard]] std::vector<report::FileUse> file_uses(const Booking& booking,
                                                     parallel::Processes& processes);

}  // namespace latecomer::replay
