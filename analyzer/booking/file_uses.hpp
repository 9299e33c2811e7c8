// SPDX-License-Identifier: BSD-3-Clause
// The files outside MPI with most time, by call path and location.
#pragma once

#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/report/extras/file_use.hpp"

namespace latecomer::replay {

struct FileUses {
  std::vector<report::FileUse> listed;  // at most FileUse::kMostRows, the one with most time first
  report::OtherFileUses others;
};

// The result is the same on all processes. Collective.
[[nodiscard]] FileUses file_uses(const Booking& booking, parallel::Processes& processes);

}  // namespace latecomer::replay
