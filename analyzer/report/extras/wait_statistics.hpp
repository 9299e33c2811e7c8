// SPDX-License-Identifier: BSD-3-Clause
// Statistics of waits, and the worst waits with what happened around them, as a report states them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"

namespace latecomer::report {

// What happened around a wait. Times in lists are nanoseconds since `from`.
struct Timeline {
  struct Call {
    std::int64_t begin = 0, length = 0;
    std::uint32_t call_path = 0;  // id; short calls are merged at their common call path
    std::uint32_t changes = 1;    // number of changes that were merged
  };
  struct Wait {
    std::int64_t begin = 0, length = 0;
    std::string_view metric;                    // a name that lives as long as the program
    std::optional<std::uint32_t> cause_rank;    // -1 in JSON if nobody is known
    std::optional<std::uint32_t> cause_thread;  // for waits of threads
  };
  // What a location did.
  struct Lane {
    std::uint32_t rank = 0, thread = 0;
    std::vector<Call> calls;
    std::vector<Wait> waits;
  };
  struct Message {
    std::uint32_t from = 0, to = 0;  // lanes
    std::int64_t sent = 0, received = 0, bytes = 0;
    std::uint32_t tag = 0;
  };

  double from = 0, to = 0;  // seconds: from a little before the call that waited to a little after
  std::vector<Lane> lanes;  // by rank
  std::vector<Message> messages;
};

// A call that waited, or a collective operation with all its waits. Times are in seconds since the
// begin of the run. Call paths are ids.
struct WorstWait {
  double seconds = 0;  // of all ranks that waited in it together
  double longest = 0;  // the longest single wait in it, that of `rank`
  double enter = 0, exit = 0;
  std::uint32_t call_path = 0, rank = 0;
  std::optional<std::uint32_t> waiting_ranks;         // of a collective operation
  std::optional<std::uint32_t> cause_rank;            // who was waited for
  std::optional<std::uint32_t> cause_call_path;       // where it was for most of that time
  std::optional<std::uint32_t> thread, cause_thread;  // for waits of threads
  std::optional<Timeline> timeline;
};

// All waits of a metric, in seconds.
struct WaitStatistics {
  std::int64_t count = 0;
  double sum = 0, mean = 0, variance = 0;
  double minimum = 0, quartile25 = 0, median = 0, quartile75 = 0, maximum = 0;
  std::vector<WorstWait> worst;  // the longest ones first
};

// Key "statistics": by metric.
using AllWaitStatistics = std::map<std::string, WaitStatistics>;

void write(JsonWriter& out, const AllWaitStatistics& statistics);

// Replaces the ids of call paths in the JSON of this key, as far as it has the form that write()
// gives it. A timeline that has another form is removed.
using Renumber = std::function<std::optional<std::uint64_t>(std::uint64_t id)>;
void renumber_call_paths(nlohmann::ordered_json& statistics, const Renumber& renumber);

}  // namespace latecomer::report
