// SPDX-License-Identifier: BSD-3-Clause
// Operations that are not in the trace, but have a place among those that are.
#pragma once

#include <cstdint>

#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// Operations that were not recorded. `before`: number of recorded operations that precede them. An
// operation that began or ended, but not both, while recording was on counts as not recorded.
struct Gap {
  enum class Kind : std::uint8_t {
    kSend,
    kReceive,
    kCollective,
    kWindowCollective,
    kAccessEpoch,
    kExposureEpoch,
    kLock,
    kTransfer,
    kFileCollective
  };
  std::uint64_t count = 0;
  std::uint32_t before = 0;
  std::uint32_t comm = 0;  // index in Definitions::comms
  std::uint32_t peer = 0;  // world rank
  std::uint32_t tag = 0;
  std::uint32_t series = 0;  // number of a persistent collective operation
  Ticks time = 0;
};

}  // namespace latecomer::trace
