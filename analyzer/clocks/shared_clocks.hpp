// SPDX-License-Identifier: BSD-3-Clause
// Finds the processes that read the same clock.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "sync/drift.hpp"

namespace latecomer::replay {

// Clocks by number. Rank 0 has clock 0.
struct SharedClocks {
  std::vector<std::uint32_t> clock_of;   // per process
  std::vector<sync::Measured> measured;  // per clock, in times of the trace
};

// Processes of one node share a clock if their clock offsets in the archive are identical.
// `columns`: the hosted locations. Collective.
[[nodiscard]] SharedClocks shared_clocks(const trace::ArchiveReader& archive,
                                         const std::vector<std::uint32_t>& columns,
                                         parallel::Processes& processes);

}  // namespace latecomer::replay
