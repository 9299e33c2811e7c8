// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's participations in collective operations.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/segmented_vector.hpp"
#include "analyzer/trace/events/core/gap.hpp"
#include "analyzer/trace/events/core/open_requests.hpp"
#include "analyzer/trace/events/core/region_events.hpp"
#include "archive/hash.hpp"

namespace latecomer::trace {

// The common properties of many participations in collective operations.
struct CollectiveKind {
  std::uint32_t comm = 0;
  std::uint32_t root = 0;      // rank in the communicator, or an OTF2 constant
  std::uint8_t operation = 0;  // OTF2_CollectiveOp
  bool nonblocking = false;
  std::uint64_t sent = 0, received = 0;
  bool all_positive = false;  // this process sends to all processes and gets data from all
  std::uint32_t series = 0;   // number of a persistent operation on the communicator, from 1
  friend bool operator==(const CollectiveKind&, const CollectiveKind&) = default;
};
inline std::uint64_t hash_of(const CollectiveKind& k) {
  std::uint64_t h = k.comm;
  for (const std::uint64_t part :
       {std::uint64_t{k.root}, std::uint64_t{k.operation}, k.sent, k.received,
        std::uint64_t{k.nonblocking}, std::uint64_t{k.all_positive}, std::uint64_t{k.series}}) {
    h = hash_with(h, part);
  }
  return h;
}

// A participation in a collective operation. They are in the order in which they were started.
struct Collective {
  static constexpr std::uint32_t kOpen = 0xffffffff;  // kind of an operation that never completed
  std::uint32_t kind = kOpen;                         // index in CollectiveEvents::kinds
  std::uint32_t start = 0xffffffff;                   // the Call that starts it
  std::uint32_t call = 0;                             // the Call that completes it
  std::uint32_t instance = 0;  // counted per communicator; ~0: not a member of the communicator
  Ticks begin = 0;
  Ticks end = 0;
};

// All of one location.
struct CollectiveEvents {
  SegmentedVector<Collective> collectives;
  std::vector<CollectiveKind> kinds;
  std::vector<Gap> collective_gaps;              // between collectives (as started)
  std::vector<Elsewhere> collectives_elsewhere;  // sorted by index
};

}  // namespace latecomer::trace
