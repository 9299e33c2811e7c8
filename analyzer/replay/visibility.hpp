// SPDX-License-Identifier: BSD-3-Clause
// Which analysis process can open the events of which location: without a common file system each
// metahost has a part of the archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/definitions.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

// One view per file system, or rather per set of event files that somebody sees.
struct Visibility {
  std::vector<std::vector<bool>> views;  // per location whether its event file is there
  std::vector<std::uint32_t> view_of;    // per analysis process, index into views

  [[nodiscard]] bool sees(int process, std::uint32_t location) const {
    return views[view_of[static_cast<std::size_t>(process)]][location];
  }
  [[nodiscard]] bool anybody_sees(std::uint32_t location) const;
};

// `mine` is what this process sees. Views are numbered in the order of the processes. Collective.
[[nodiscard]] Visibility agree_on_visibility(const std::vector<bool>& mine,
                                             parallel::Processes& processes);

// A Problem if not all processes have an archive with the same fingerprint. Collective.
[[nodiscard]] Status check_same_archive(std::uint64_t fingerprint, const std::string& path,
                                        parallel::Processes& processes);

// Sentences about events that no process can open: ranks and where they were written.
//   the events of ranks 4-7 were written on metahost FZJ (node n3), and no analysis process sees
//   them
// None with a single metahost.
[[nodiscard]] std::vector<std::string> unseen_events(const trace::Definitions& definitions,
                                                     const Visibility& visibility);

// Whether `process` sees the events of the lowest location that anybody sees: there the report
// goes.
[[nodiscard]] bool sees_first(const trace::Definitions& definitions, const Visibility& visibility,
                              int process);

}  // namespace latecomer::replay
