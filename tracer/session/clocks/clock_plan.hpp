// SPDX-License-Identifier: BSD-3-Clause
// Plan of which processes compare clocks. Independent of MPI: every process derives the same plan.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace latecomer::session {

// Clock and metahost of a process.
struct Place {
  std::int32_t clock = 0;     // leader of the clock: the lowest rank that shares it
  std::int32_t metahost = 0;  // index, in the order of lowest ranks
  friend bool operator==(const Place&, const Place&) = default;
};

enum class SyncMode : std::uint8_t { kFlatSingle, kFlat, kHierarchical, kAll };
enum class SyncMoment : std::uint8_t { kInit, kBetween, kFinalize };

// The partner measures the child, which has the higher rank.
struct ClockLink {
  int child = 0;
  int partner = 0;
  std::uint8_t schemes = 0;  // sum of sync::Scheme; 0: only its latency is measured
  bool between = false;      // partner and child are on different metahosts
  friend bool operator==(const ClockLink&, const ClockLink&) = default;
};

// The links of `rank` in the order in which it has to serve them. The orders of all processes are
// parts of one common order, so partners always meet.
//
//   rank     0  1  2 | 3  4  5      two metahosts
//   clock    a  a  b | c  d  e
//
//   hierarchical   3-0 (between), 2-0, 4-3, 5-3
//   flat           3-0 (between), 2-0, 4-0, 5-0
//
// The order has four steps:
//
//   1. masters of metahosts (their lowest ranks) against rank 0
//   2. leaders of each metahost against its master
//   3. the other leaders against rank 0, if the flat scheme wants it
//   4. at MPI_Init and MPI_Finalize latencies: of rank 0 and the masters that share a clock with a
//      lower rank, and of all pairs of masters for up to kMaxPairedMetahosts metahosts
inline constexpr std::size_t kMaxPairedMetahosts = 16;
[[nodiscard]] std::vector<ClockLink> links_of(int rank, std::span<const Place> places,
                                              SyncMode mode, SyncMoment moment);

}  // namespace latecomer::session
