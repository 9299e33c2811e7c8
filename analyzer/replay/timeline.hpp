// SPDX-License-Identifier: BSD-3-Clause
// The run as a trace for Perfetto: calls, messages and waits of each process over time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/replay/messages.hpp"
#include "analyzer/trace/call_tree.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

struct TimelineOptions {
  std::filesystem::path file;                                  // empty: none is wanted
  double from = 0;                                             // seconds since the first event
  double to = std::numeric_limits<double>::infinity();         // ... of the trace
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;  // first to last; none: all
};

// What was written; the same on every process.
struct TimelineCounts {
  std::int64_t ranks = 0, calls = 0, messages = 0, waits = 0, bytes = 0;
};

struct TimelineParts {
  const trace::Definitions& definitions;
  const trace::GlobalCallTree& tree;
  const std::vector<trace::LocationEvents>& mine;
  const MatchedMessages& messages;
  const causes::SyncPoints& points;  // connected
};

// "3", "0-7,12": false if it is neither.
[[nodiscard]] bool read_ranks(const std::string& text, TimelineOptions& options);
// "1.5s", "200ms": seconds; false if it is no time.
[[nodiscard]] bool read_seconds(const std::string& text, double& seconds);

// A process per rank, in rank order; a track per thread with its calls, and tracks with its waits
// that name who was waited for. A message is an arrow from the record of its send to that of its
// receive. Calls that reach out of the window are cut at its border; messages and waits are there
// if they lie in it completely. The bytes do not depend on the number of processes. Collective.
[[nodiscard]] Result<TimelineCounts> write_timeline(const TimelineParts& parts,
                                                    const TimelineOptions& options,
                                                    parallel::Processes& processes);

}  // namespace latecomer::replay
