// SPDX-License-Identifier: BSD-3-Clause
// Arguments of records, and the words that they are packed in.
#pragma once

#include <cstdint>

#include "tracer/record/format.hpp"

namespace latecomer::record {

using Ticks = std::uint64_t;
using RegionId = std::uint32_t;
inline constexpr RegionId kNoRegion = 0xffffffff;
using CommId = std::uint32_t;
using RequestId = std::uint64_t;
using WindowId = std::uint32_t;
using FileHandleId = std::uint32_t;
using FrameId = std::uint32_t;  // 0: none

// Arguments of the records of point-to-point operations. `peer` is a rank in the communicator, or
// in the remote group of an intercommunicator, as in OTF2.
struct Message {
  CommId comm = 0;
  std::int32_t peer = 0;
  std::int32_t tag = 0;
  std::uint64_t bytes = 0;
};

// Arguments of the records of collective operations. `op` is OTF2's code. `root` is a rank in the
// communicator or one of kRootNone, kRootSelf, kRootThisGroup.
struct Collective {
  CommId comm = 0;
  std::uint32_t op = 0;
  std::uint32_t root = kRootNone;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  bool all_positive = false;  // Alltoallv, Alltoallw: all counts of this process are
  bool neighborhood = false;  // on a neighborhood; all_positive: every source sends something
  std::uint32_t series = 0;   // number of a persistent operation on the communicator, from 1
};

// Arguments of the records of one-sided transfers. `target` is a rank in the window.
struct Transfer {
  WindowId window = 0;
  std::int32_t target = 0;
  std::uint64_t bytes = 0;
};

inline std::uint64_t pack(std::uint32_t lower, std::uint32_t upper) {
  return lower | std::uint64_t{upper} << 32;
}
inline std::uint64_t pack(const Message& m) {
  return static_cast<std::uint32_t>(m.peer) | std::uint64_t{static_cast<std::uint32_t>(m.tag)}
                                                  << 32;
}
inline std::uint64_t pack(const Collective& c) {
  return c.op | (c.all_positive ? kAllPositive : 0) | (c.neighborhood ? kNeighborhood : 0) |
         (c.series & kSeriesMask) << kSeriesShift | std::uint64_t{c.root} << 32;
}

}  // namespace latecomer::record
