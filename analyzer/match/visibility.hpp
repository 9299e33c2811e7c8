// SPDX-License-Identifier: BSD-3-Clause
// Knows which analysis process can open the events of which location. Without a common file system
// each metahost has only a part of the archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions/definitions.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

// The sets of event files that processes see; normally one view per file system.
struct Visibility {
  std::vector<std::vector<bool>> views;  // per location: its event file is visible
  std::vector<std::uint32_t> view_of;    // per analysis process, index into views

  [[nodiscard]] bool sees(int process, std::uint32_t location) const {
    return views[view_of[static_cast<std::size_t>(process)]][location];
  }
  [[nodiscard]] bool anybody_sees(std::uint32_t location) const;
};

// `mine`: view of this process. Views are numbered in the order of processes. Collective.
[[nodiscard]] Visibility agree_on_visibility(const std::vector<bool>& mine,
                                             parallel::Processes& processes);

// A Problem if the archives of the processes have different fingerprints. Collective.
[[nodiscard]] Status check_same_archive(std::uint64_t fingerprint, const std::string& path,
                                        parallel::Processes& processes);

// Sentences about events that no process can open: ranks and where they were written. Empty with a
// single metahost. Example:
//
//   the events of ranks 4-7 were written on metahost FZJ (node n3), and no analysis process sees
//   them
[[nodiscard]] std::vector<std::string> unseen_events(const trace::Definitions& definitions,
                                                     const Visibility& visibility);

// True if `process` sees the events of the lowest location that any process sees. The report is
// written there.
[[nodiscard]] bool sees_first(const trace::Definitions& definitions, const Visibility& visibility,
                              int process);

}  // namespace latecomer::replay
