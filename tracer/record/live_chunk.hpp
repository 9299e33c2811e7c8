// SPDX-License-Identifier: BSD-3-Clause
// The end of the chunk that a thread is writing: a record costs a few stores here.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "tracer/record/arguments.hpp"
#include "tracer/record/format.hpp"

namespace latecomer::record {

// Stores records that fit. What comes before that (room, times and ids that do not fit their
// fields) is up to the ThreadWriter. An enter and what follows it may share a word:
//
//   enter r | send again | leave r       three words
//   send again, with enter and leave     one word, if all were close in time
//
// MT: the owner; a signal handler may come in at any time (begin_put).
class LiveChunk {
 protected:
  // Words of the largest record that is not extended; and this one with the kTime and the kWideId
  // that may stand before it and the zero word after it.
  static constexpr std::size_t kUsual = 5;
  static constexpr std::size_t kLargest = kUsual + 2 + 2 + 1;

  // Returns true inside another record, that is, in a signal handler.
  bool begin_put() {
    const bool in_handler = busy_;
    busy_ = true;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    return in_handler;
  }
  void end_put() {
    std::atomic_signal_fence(std::memory_order_seq_cst);
    busy_ = false;
  }
  // True if there is room, and time and id fit their fields.
  [[nodiscard]] bool is_plain(std::uint64_t id, Ticks ticks) const {
    return next_ <= limit_ && (((ticks - last_) >> 40) | (id >> kIdBits)) == 0;
  }
  // The place to compare with limit_ before a record of so many words.
  [[nodiscard]] const std::uint64_t* room_for(std::size_t words) const {
    return words > kUsual ? next_ + (words - kUsual) : next_;
  }
  // The header word is stored last, so that a kill leaves only whole records (format.hpp).
  template <typename... Words>
  void store(Kind kind, std::uint64_t id, Ticks ticks, Words... words) {
    constexpr std::size_t kWords = 1 + sizeof...(words);
    std::uint64_t* const record = next_;
    const std::uint64_t distance = ticks - last_;
    record[kWords] = 0;
    next_ = record + kWords;
    last_ = ticks;
    std::uint64_t* payload = record;
    ((*++payload = words), ...);
    std::atomic_ref(*record).store(
        static_cast<std::uint64_t>(kind) | id << kKindBits | distance << kTimeShift,
        std::memory_order_release);
  }

  // Stores a repetition, in the word of the enter directly before it if both are close in time.
  void store_again(Kind again, std::uint64_t id, Ticks ticks) {
    const Ticks between = ticks - last_;
    leavable_ = next_;
    if (next_ == enter_end_) {
      const Ticks before = next_[-1] >> kTimeShift;
      if (can_join(entered_, before, between)) {
        std::atomic_ref(next_[-1]).store(join(again, id, entered_, before, between),
                                         std::memory_order_release);
        last_ = ticks;
        enter_end_ = nullptr;
        return;
      }
    }
    store(again, id, ticks);
    leavable_ = next_;
  }

  // Stores a record that says something about those that follow it, without a time.
  void put_helper(Kind kind, std::uint64_t value) {
    next_[2] = 0;
    next_[1] = value;
    std::atomic_ref(*next_).store(static_cast<std::uint64_t>(kind), std::memory_order_release);
    next_ += 2;
  }

  std::uint64_t* next_ = nullptr;  // where the next record goes
  // below next_: no room for the largest record, or recording is off
  std::uint64_t* limit_ = nullptr;
  Ticks last_ = 0;                // time of the last record
  bool busy_ = false;             // inside put()
  RegionId entered_ = kNoRegion;  // region of the last kEnter of this chunk
  // after the last kEnter of this chunk, if it is alone in its word
  std::uint64_t* enter_end_ = nullptr;
  std::uint64_t* leavable_ = nullptr;  // after a record that can hold kLeaves

 private:
  friend class PollStreak;
};

}  // namespace latecomer::record
