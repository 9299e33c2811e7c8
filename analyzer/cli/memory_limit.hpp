// SPDX-License-Identifier: BSD-3-Clause
// How much memory the analyzer takes, and where the rest of its data lies.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "analyzer/cli/command.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::cli {

struct MemoryOptions {
  std::optional<std::uint64_t> per_node;  // bytes; none: a share of what is available
  std::filesystem::path directory;        // of the file for the rest
};

// From --memory and --spill-directory. The report's directory is used where $TMPDIR is memory
// itself.
[[nodiscard]] Result<MemoryOptions> read_memory_options(const Call& call,
                                                        const std::filesystem::path& report);
// The processes of a node share its memory. Collective.
void limit_memory(const MemoryOptions& options, parallel::Processes& processes);
// What to tell if not everything fitted; empty if it did. Collective.
[[nodiscard]] std::string spill_note(const MemoryOptions& options, parallel::Processes& processes);
[[nodiscard]] Problem out_of_memory(int process);

}  // namespace latecomer::cli
