// SPDX-License-Identifier: BSD-3-Clause
// Which processes read the same clock.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "sync/drift.hpp"

namespace latecomer::replay {

// Clocks are numbered, that of rank 0 is 0.
struct SharedClocks {
  std::vector<std::uint32_t> clock_of;   // per process
  std::vector<sync::Measured> measured;  // per clock, in times of the trace
};

// A clock is shared by processes of one node with identical clock offsets in the archive.
// `columns` are the own locations. Collective.
[[nodiscard]] SharedClocks shared_clocks(const trace::ArchiveReader& archive,
                                         const std::vector<std::uint32_t>& columns,
                                         parallel::Processes& processes);

}  // namespace latecomer::replay
