// SPDX-License-Identifier: BSD-3-Clause
// Writes an archive with corrected times, for other readers of OTF2.
#pragma once

#include <filesystem>

#include "analyzer/clocks/correction.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/archive_reader.hpp"
#include "analyzer/trace/events/location_events.hpp"
#include "archive/result.hpp"
#include "sync/constraints.hpp"

namespace latecomer::replay {

// Everything that the copy needs; references must live during write_corrected().
struct CorrectedArchive {
  const trace::ArchiveReader& archive;
  const Partition& partition;
  const std::vector<trace::LocationEvents>& mine;
  const sync::Topology& topology;
  const CorrectionOptions& options;
  const Correction& correction;
};

// Writes a copy of the archive into the new directory `target`. Every record gets its corrected
// time. There are no clock offsets, since all times are on one clock. If the archive is in parts,
// the copy is, too: each process writes the locations whose events it can open. The files do not
// depend on the number of processes. Records of types that this version of OTF2 does not know are
// left out; `unknown` gets their number. Collective.
[[nodiscard]] Status write_corrected(const CorrectedArchive& what,
                                     const std::filesystem::path& target, std::int64_t& unknown,
                                     parallel::Processes& processes);

}  // namespace latecomer::replay
