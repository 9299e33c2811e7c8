// SPDX-License-Identifier: BSD-3-Clause
// A row of unsuccessful polls, which is one record.
#pragma once

#include <atomic>
#include <cstdint>

#include "tracer/record/live_chunk.hpp"

namespace latecomer::record {

// The row that was recorded last. Another call of the same function that follows it directly makes
// it longer.
class PollStreak {
 public:
  // Adds a call to the row and takes back its enter. False: it is not the next one of this row. A
  // kill at any point leaves whole records: first the enter disappears, then the row gets longer,
  // then it counts one more call.
  bool extend(LiveChunk& chunk, RegionId region, Ticks t) {
    // The enter must follow the row directly and be alone in its word.
    // Nothing may be added to a null pointer.
    if (end_ == nullptr || chunk.next_ != end_ + 1 || chunk.next_ != chunk.enter_end_) return false;
    std::uint64_t* const row = end_ - 2;
    const std::uint64_t head =
        static_cast<std::uint64_t>(Kind::kLeaveUnsuccessful) | std::uint64_t{region} << kKindBits;
    const std::uint64_t length = t - begin_;
    const std::uint64_t calls = row[1];
    if ((row[0] & ((std::uint64_t{1} << kTimeShift) - 1)) != head || t < chunk.last_ ||
        length > kMaxDistance || (calls & kMostPolls) == kMostPolls) {
      return false;
    }
    std::atomic_ref(row[2]).store(0, std::memory_order_release);
    std::atomic_ref(row[0]).store(head | length << kTimeShift, std::memory_order_release);
    std::atomic_ref(row[1]).store(calls + ((t - chunk.last_) << kPollCountBits) + 1,
                                  std::memory_order_release);
    chunk.next_ = end_;
    chunk.last_ = t;
    chunk.enter_end_ = nullptr;
    return true;
  }

  // The row that ends at this word; its distance counts from `begin`.
  void begin(std::uint64_t* end, Ticks begin) {
    end_ = end;
    begin_ = begin;
  }
  void forget() { end_ = nullptr; }

 private:
  std::uint64_t* end_ = nullptr;  // after the last kLeaveUnsuccessful of this chunk
  Ticks begin_ = 0;               // time that its distance counts from
};

}  // namespace latecomer::record
