// SPDX-License-Identifier: BSD-3-Clause
// Data quality: missing, odd or ignored data in a trace, counted under a name with advice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace latecomer::trace {

// The counters, in the order of the table in quality.cpp and of reports.
enum class Quality : std::uint8_t {
  kMissingLocations,
  kTruncatedLocations,
  kUnreadOffsets,
  kEventCountDiffers,
  kUnfinishedProcesses,
  kLostRecords,
  kUnmatchedSends,
  kUnmatchedReceives,
  kUnmatchedCollectives,
  kUnresolvedRequests,
  kReversedMessages,
  kReversedCollectives,
  kUnbalancedLeaves,
  kUnclosedRegions,
  kRecordsOutsideMpi,
  kUnknownReferences,
  kUnknownRecords,
  kFlushes,
  kRecordingPauses,
  kEdgeMessages,
  kEdgeCollectives,
  kEdgeEpochs,
  kUnseenOneSided,
  kUnevenGaps,
  kUnknownFileGroups,
  kOtherLocations,
  kCount,
};

// A row of the table: name in reports, what was counted, what it means, and whether results are
// only partial.
struct QualityInfo {
  const char* name;
  const char* one;
  const char* many;
  const char* advice;
  bool partial;

  // Text that follows a number: "threads whose ...: analyzed up to that point".
  [[nodiscard]] std::string text(std::int64_t count) const { return text(count, advice); }
  [[nodiscard]] std::string text(std::int64_t count, const std::string& instead) const;
};
[[nodiscard]] const QualityInfo& quality_info(Quality quality);

// Counters of one location or process.
class QualityCounts {
 public:
  void add(Quality quality, std::int64_t n = 1) { counts_[static_cast<std::size_t>(quality)] += n; }
  [[nodiscard]] std::int64_t operator[](Quality quality) const {
    return counts_[static_cast<std::size_t>(quality)];
  }
  [[nodiscard]] auto& values() { return counts_; }

 private:
  std::array<std::int64_t, static_cast<std::size_t>(Quality::kCount)> counts_{};
};

}  // namespace latecomer::trace
