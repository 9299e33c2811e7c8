// SPDX-License-Identifier: BSD-3-Clause
// What the files of a run say about the present of each rank.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "archive/result.hpp"
#include "tracer/record/definition_lines.hpp"
#include "tracer/stuck/thread_view.hpp"

namespace latecomer::stuck {

enum class Life : std::uint8_t {
  kRunning,   // a process of this host has mapped the records
  kGone,      // it ran on this host, and is not there any more
  kElsewhere  // it runs, or ran, on another host, so its files may be old
};

struct RankView {
  std::uint32_t rank = 0;
  Life life = Life::kGone;
  pid_t process = 0;  // if it is running
  bool has_log = false;
  record::Definitions definitions;
  std::vector<ThreadView> threads;
  std::vector<std::string> problems;  // files that could not be read

  // Anything that changes when the rank does something.
  [[nodiscard]] std::uint64_t progress() const;
};

struct RunView {
  std::uint32_t size = 0;       // number of ranks; those without files are not in `ranks`
  std::vector<RankView> ranks;  // by rank
  std::int64_t ended = 0;       // when scan saw the run end, ns of the wall clock; 0: not known
};

// Reads the records of an experiment.
[[nodiscard]] Result<RunView> read_run(const std::string& directory);

// Reads the threads once more and returns the ranks that have done something since, or have ended.
[[nodiscard]] std::vector<bool> moved_since(const std::string& directory, const RunView& run);

}  // namespace latecomer::stuck
