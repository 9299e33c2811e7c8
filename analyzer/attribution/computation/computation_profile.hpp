// SPDX-License-Identifier: BSD-3-Clause
// The functions and lines of the whole run in which computing time was spent.
#pragma once

#include <optional>

#include "analyzer/attribution/computation/computation_shares.hpp"
#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/computation.hpp"

namespace latecomer::replay {

// The same on every process; nothing if the archive has no samples. Collective.
[[nodiscard]] std::optional<report::Computation> computation_profile(
    const Booking& booking, const ComputationShares& shares, parallel::Processes& processes);

}  // namespace latecomer::replay
