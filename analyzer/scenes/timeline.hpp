// SPDX-License-Identifier: BSD-3-Clause
// The run as a trace for Perfetto: calls, messages and waits of each process over time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/causes/sync_points.hpp"
#include "analyzer/match/messages.hpp"
#include "analyzer/parallel/processes.hpp"
#include "analyzer/trace/events/core/call_tree.hpp"
#include "archive/result.hpp"

namespace latecomer::replay {

// Options of the timeline.
struct TimelineOptions {
  std::filesystem::path file;                                  // empty: no timeline
  double from = 0;                                             // in seconds since the first event
  double to = std::numeric_limits<double>::infinity();         // likewise
  std::vector<std::pair<std::uint32_t, std::uint32_t>> ranks;  // first to last; empty: all
};

// Numbers of written items; the same on every process.
struct TimelineCounts {
  std::int64_t ranks = 0, calls = 0, messages = 0, waits = 0, bytes = 0;
};

// Input of write_timeline().
struct TimelineParts {
  const trace::Definitions& definitions;
  const trace::GlobalCallTree& tree;
  const std::vector<trace::LocationEvents>& mine;
  const MatchedMessages& messages;
  const causes::SyncPoints& points;  // must be connected
};

// Parses "3" or "0-7,12". False: another form.
[[nodiscard]] bool read_ranks(const std::string& text, TimelineOptions& options);
// Parses "1.5s" or "200ms" as seconds. False: not a time.
[[nodiscard]] bool read_seconds(const std::string& text, double& seconds);

// Writes the timeline: a process per rank, in rank order. It has a track per thread for its calls
// and tracks for its waits, which name the rank that was waited for. A message is an arrow from the
// record of its send to that of its receive. Calls that exceed the window are cut at its border.
// Messages and waits are shown only if they are completely inside. The bytes do not depend on the
// number of processes. Collective.
[[nodiscard]] Result<TimelineCounts> write_timeline(const TimelineParts& parts,
                                                    const TimelineOptions& options,
                                                    parallel::Processes& processes);

}  // namespace latecomer::replay
