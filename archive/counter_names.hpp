// SPDX-License-Identifier: BSD-3-Clause
// Counters by name: the table counters.tsv, and the text that chooses some of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer {

// The source of counters that the kernel keeps for each thread anyway (getrusage(2)).
inline constexpr std::int32_t kUsageCounter = -1;

// One line of counters.tsv. `source` is kUsageCounter or a type of perf_event_open(2).
struct KnownCounter {
  const char* name;
  std::int32_t source;
  std::uint64_t config;
  const char* description;
};

// Number that `config` has for kUsageCounter.
enum class UsageCount : std::uint64_t {
  kPageFaults,
  kMinorFaults,
  kMajorFaults,
  kSwitches,
  kVoluntarySwitches,
  kTaskClock,  // nanoseconds
  kCount
};

struct ChosenCounter {
  std::string name;
  std::int32_t source = 0;
  std::uint64_t config = 0;
  std::string description;

  [[nodiscard]] bool is_usage() const { return source == kUsageCounter; }
  [[nodiscard]] bool is_time() const {
    return is_usage() && config == static_cast<std::uint64_t>(UsageCount::kTaskClock);
  }
};

inline constexpr std::size_t kMostCounters = 8;

// Counters of a text; none if it is wrong. Names that are not in the table need their event, a type
// of perf_event_open(2) and a hexadecimal number:
//
//   off                             none
//   default                         instructions and cycles
//   cycles,page-faults              two of the table
//   cycles,RETIRED_UOPS=4:c1        one of them by its event
[[nodiscard]] std::optional<std::vector<ChosenCounter>> parse_counters(std::string_view text);

// The text that parse_counters() makes these counters of.
[[nodiscard]] std::string counters_text(const std::vector<ChosenCounter>& counters);

}  // namespace latecomer
