// SPDX-License-Identifier: BSD-3-Clause
// Who compares clocks with whom. Knows nothing of MPI: every process derives the same plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace latecomer::session {

// Where a process stands.
struct Place {
  std::int32_t clock = 0;     // leader: the lowest rank that shares its clock
  std::int32_t metahost = 0;  // index, in the order of lowest ranks
  friend bool operator==(const Place&, const Place&) = default;
};

enum class SyncMode : std::uint8_t { kFlatSingle, kFlat, kHierarchical, kAll };
enum class SyncMoment : std::uint8_t { kInit, kBetween, kFinalize };

// The partner measures the child, which has the higher rank.
struct ClockLink {
  int child = 0;
  int partner = 0;
  std::uint8_t schemes = 0;  // sum of sync::Scheme; 0: for its latency only
  bool between = false;      // metahosts
  friend bool operator==(const ClockLink&, const ClockLink&) = default;
};

// The links of `rank` in the order in which it has to serve them. All processes that do so meet:
// the orders are parts of one common order.
//
//   0 -- 1 2 | 4 5 6      hierarchical  4-0 (between), 2-0, 5-4, 6-4
//   a    a b | c d e      flat          2-0, 4-0, 5-0, 6-0
//
// First the masters of the metahosts (their lowest ranks) against rank 0, then the leaders of each
// metahost against its master, then leaders against rank 0 where the flat scheme wants it. At
// MPI_Init and MPI_Finalize latencies follow: of metahosts that share a clock, and of all pairs of
// metahosts, if there are no more than kMaxPairedMetahosts.
inline constexpr std::size_t kMaxPairedMetahosts = 16;
[[nodiscard]] std::vector<ClockLink> links_of(int rank, std::span<const Place> places,
                                              SyncMode mode, SyncMoment moment);

}  // namespace latecomer::session
