// SPDX-License-Identifier: BSD-3-Clause
// Makes an archive of what a killed run left behind; needs no MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/result.hpp"

namespace latecomer::convert {

// What was found and what was made of it.
struct RepairReport {
  std::uint32_t processes = 0;            // of the run
  std::uint32_t locations = 0;            // with events
  std::uint64_t events = 0;               // in the archive
  std::uint64_t records_lost = 0;         // known to be missing
  std::uint64_t records_mended = 0;       // left out or closed, so that the archive is consistent
  int parts = 1;                          // directories over which the run is spread
  bool already_complete = false;          // there was a finished archive; nothing was done
  std::vector<std::string> lost_files;    // of that archive: cut or missing now
  std::vector<std::uint32_t> missing;     // processes of which there is nothing
  std::vector<std::uint32_t> unfinished;  // processes that did not reach MPI_Finalize
  std::vector<std::string> notes;         // whatever else is to be said, one sentence each

  [[nodiscard]] bool partial() const { return !missing.empty() || records_lost != 0; }
};

// Whether the records stay where they are: the archive lacks something, or the setting says so.
[[nodiscard]] bool keeps_records(const RepairReport& report);

// Reads `directory`/records, whatever is in it, and writes the archive into `directory`, replacing
// the rest of an archive that was not completed. Records are never changed or removed.
[[nodiscard]] Result<RepairReport> repair(const std::string& directory);

}  // namespace latecomer::convert
