// SPDX-License-Identifier: BSD-3-Clause
// The data kept of one location's one-sided communication.
#pragma once

#include <cstdint>
#include <vector>

#include "analyzer/memory/segmented_vector.hpp"
#include "analyzer/trace/events/core/gap.hpp"
#include "analyzer/trace/events/core/region_events.hpp"

namespace latecomer::trace {

// A step of one-sided communication. Collective calls on windows are Collectives instead.
struct WindowEvent {
  enum class Kind : std::uint8_t {
    kPut,  // transfers
    kGet,
    kAtomic,
    kPost,  // epochs with a group
    kStart,
    kComplete,
    kWait,
    kTest,  // a wait that does not block
    kLock,
    kUnlock,
    kFlush  // completes transfers to one target
  };
  Ticks time = 0;
  std::uint32_t call = 0;
  std::uint32_t window = 0;  // index in Definitions::windows
  std::uint32_t other = 0;   // world rank of the target, kNone: all; or index of the group
  std::uint32_t epoch = 0;   // number of collective calls on the window before this step
  Kind kind = Kind::kPut;
  bool shared = false;  // for locks
  [[nodiscard]] bool is_transfer() const { return kind <= Kind::kAtomic; }
  [[nodiscard]] bool is_epoch() const { return kind >= Kind::kPost && kind <= Kind::kTest; }
};

// Epochs with a group, locks or transfers that were not recorded, after `before` window events.
struct WindowGap {
  std::uint64_t count = 0;
  std::uint32_t before = 0;
  std::uint32_t window = 0;  // index in Definitions::windows
  std::uint32_t other = 0;   // index of the group; world rank of the target, kNone: all
  Ticks time = 0;
  Gap::Kind kind = Gap::Kind::kAccessEpoch;
};

// Numbers and bytes of one-sided transfers of a call path.
struct Transferred {
  std::int64_t puts = 0, gets = 0, atomics = 0, sent = 0, received = 0;
};

// All of one location.
struct WindowEvents {
  SegmentedVector<WindowEvent> window_events;
  std::vector<WindowGap> window_gaps;
  std::vector<Transferred> transferred;  // per node; may be shorter than the tree
};

}  // namespace latecomer::trace
