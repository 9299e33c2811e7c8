// SPDX-License-Identifier: BSD-3-Clause
// Makes an archive from what a killed run left behind; needs no MPI.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::convert {

// Findings and results of a repair.
struct RepairReport {
  std::uint32_t processes = 0;            // number of processes in the run
  std::uint32_t locations = 0;            // number of locations with events
  std::uint64_t events = 0;               // number of events in the archive
  std::uint64_t records_lost = 0;         // at least as many are missing
  std::uint64_t records_mended = 0;       // left out or closed, so that the archive is consistent
  int parts = 1;                          // number of directories over which the run is spread
  bool already_complete = false;          // there was a finished archive; nothing was done
  std::vector<std::string> lost_files;    // files of that archive that are cut or missing now
  std::vector<std::uint32_t> missing;     // processes that left nothing
  std::vector<std::uint32_t> unfinished;  // processes that did not reach MPI_Finalize
  std::vector<std::string> notes;         // other notes, one sentence each
  std::vector<std::string> lock_circles;  // threads that waited for locks of each other

  [[nodiscard]] bool partial() const { return !missing.empty() || records_lost != 0; }
};

// True if the records are kept: the archive lacks something, or the setting requires it.
[[nodiscard]] bool keeps_records(const RepairReport& report);

// Reads `directory`/records, whatever is in it, and writes the archive into `directory`. The rest
// of an archive that was not completed is replaced. Records are never changed or removed.
// `lock_circles` finds sentences about threads that waited for locks of each other at the end. It
// is called if there is an archive to make, and no process is left.
using FindLockCircles = std::function<std::vector<std::string>()>;
[[nodiscard]] Result<RepairReport> repair(const std::string& directory,
                                          const FindLockCircles& lock_circles = {});

}  // namespace latecomer::convert
