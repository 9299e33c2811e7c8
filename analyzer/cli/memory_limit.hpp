// SPDX-License-Identifier: BSD-3-Clause
// Limits the memory of the analyzer, and chooses the place of the data beyond it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "analyzer/cli/command.hpp"
#include "analyzer/parallel/processes.hpp"

namespace latecomer::cli {

// The options of the analyzer that concern memory.
struct MemoryOptions {
  std::optional<std::uint64_t> per_node;  // bytes; none: a share of the available memory
  std::filesystem::path directory;        // directory of the file for the rest
};

// Reads --memory and --spill-directory. The default directory is $TMPDIR if it is on a disk,
// otherwise that of the report.
[[nodiscard]] Result<MemoryOptions> read_memory_options(const Call& call,
                                                        const std::filesystem::path& report);
// Sets the limit; the processes of a node share its memory. Collective.
void limit_memory(const MemoryOptions& options, parallel::Processes& processes);
// Returns a note if the data did not fit, otherwise "". Collective.
[[nodiscard]] std::string spill_note(const MemoryOptions& options, parallel::Processes& processes);
// The Problem for an analysis process that ran out of memory.
[[nodiscard]] Problem out_of_memory(int process);

}  // namespace latecomer::cli
