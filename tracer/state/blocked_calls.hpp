// SPDX-License-Identifier: BSD-3-Clause
// Calls in which a thread was blocked, until the thread takes them out with its samples.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/record/arguments.hpp"

namespace latecomer::blocking {

// A call during which the kernel wrote to the thread's ring of switches (kernel_ring.hpp). What the
// ring says between the two numbers of bytes happened in the call.
struct BlockedCall {
  std::uint64_t begin = 0, end = 0;  // bytes in the ring
  record::RegionId function = 0;
  record::FrameId caller = 0;  // 0: not known
};

// Those of one thread, which has them in a page of their own. The kernel wipes it in a child,
// whichever way it was forked. So nothing is added there, where the ring does not exist.
//
// MT: one thread, but not its signal handlers.
class BlockedCalls {
 public:
  // Between two takings. When they are used up, a call counts as blocked without a place.
  static constexpr std::size_t kMost = 100;

  // Null if the kernel cannot wipe memory in children (before Linux 4.14), or has none.
  static BlockedCalls* make();
  static void destroy(BlockedCalls* calls);

  [[nodiscard]] bool is_alive() const { return alive_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::size_t size() const { return count_; }
  [[nodiscard]] const BlockedCall& operator[](std::size_t i) const { return calls_[i]; }

  // A call that goes on where the last one ended, at the same place, is added to it.
  void add(const BlockedCall& call) {
    if (count_ != 0) {
      BlockedCall& last = calls_[count_ - 1];
      if (last.end == call.begin && last.function == call.function && last.caller == call.caller) {
        last.end = call.end;
        return;
      }
    }
    if (count_ < kMost) calls_[count_++] = call;
  }
  void clear() { count_ = 0; }

 private:
  BlockedCalls() = default;

  std::atomic<bool> alive_{false};
  std::size_t count_ = 0;
  std::array<BlockedCall, kMost> calls_;
};

}  // namespace latecomer::blocking
