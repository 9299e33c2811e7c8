// SPDX-License-Identifier: BSD-3-Clause
// Determines how much memory of a node the analyzer may take, from options or from what is
// available.
#include "analyzer/cli/memory_limit.hpp"

#include <linux/magic.h>
#include <sys/vfs.h>

#include <algorithm>
#include <cstdlib>

#include "analyzer/memory/available.hpp"
#include "analyzer/memory/large_pages.hpp"
#include "analyzer/view/text/text.hpp"
#include "archive/settings.hpp"

namespace latecomer::cli {
namespace {

namespace fs = std::filesystem;

// Share of the memory for the trace's data. The rest is for the page cache of the archive and for
// uncounted data. These are definitions, the report, and the memory that MPI takes before anything
// is read.
constexpr double kShare = 0.8;
constexpr double kPerProcess = 64 << 20;

bool is_on_disk(const fs::path& directory) {
  struct statfs found {};
  return statfs(directory.c_str(), &found) == 0 && found.f_type != TMPFS_MAGIC &&
         found.f_type != RAMFS_MAGIC;
}

std::string in_gib(double bytes) {
  constexpr double kGib = 1 << 30;
  return view::four_digits(bytes / kGib) + " GiB";
}

}  // namespace

Result<MemoryOptions> read_memory_options(const Call& call, const fs::path& report) {
  MemoryOptions options;
  const std::string hint = "latecomer-analyzer --help";
  if (call.has("memory")) {
    options.per_node = parse_bytes(call.value("memory"));
    if (!options.per_node) {
      return Problem{"--memory " + call.value("memory") + ": not a size such as 800M or 8G", hint,
                     Exit::kUsage};
    }
  }
  if (call.has("spill-directory")) {
    options.directory = call.value("spill-directory");
    if (!fs::is_directory(options.directory)) {
      return Problem{"--spill-directory " + options.directory.string() + ": not a directory", hint,
                     Exit::kUsage};
    }
    return options;
  }
  const char* const temporary = std::getenv("TMPDIR");
  if (temporary != nullptr && is_on_disk(temporary)) {
    options.directory = temporary;
  } else {
    options.directory = report.has_parent_path() ? report.parent_path() : ".";
  }
  return options;
}

void limit_memory(const MemoryOptions& options, parallel::Processes& processes) {
  MPI_Comm node = MPI_COMM_NULL;
  MPI_Comm_split_type(processes.comm(), MPI_COMM_TYPE_SHARED, processes.rank(), MPI_INFO_NULL,
                      &node);
  int sharing = 1;
  MPI_Comm_size(node, &sharing);
  MPI_Comm_free(&node);
  const double available = static_cast<double>(memory::available());
  const double bytes = options.per_node ? static_cast<double>(*options.per_node)
                                        : kShare * std::max(0.0, available - kPerProcess * sharing);
  memory::set_limit(static_cast<std::size_t>(bytes / sharing), options.directory);
}

std::string spill_note(const MemoryOptions& options, parallel::Processes& processes) {
  const auto bytes = processes.sum(static_cast<std::int64_t>(memory::spilled()));
  if (bytes == 0) return "";
  return "note: " + in_gib(static_cast<double>(bytes)) + " of the trace's data did not fit into " +
         (options.per_node ? "--memory" : "the memory that is available") +
         " and lay in files in " + options.directory.string() +
         "\nhint:  analysis processes on more nodes (-A P) would be faster\n";
}

Problem out_of_memory(int process) {
  const auto& why = memory::spill_problem();
  return {"out of memory on analysis process " + std::to_string(process) +
              (why.empty() ? "" : ": " + why),
          why.empty() ? "use more processes or nodes for the analysis (-A P)"
                      : "use another disk (--spill-directory DIR), or more nodes for the analysis "
                        "(-A P)"};
}

}  // namespace latecomer::cli
