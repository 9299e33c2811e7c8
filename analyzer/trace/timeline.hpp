// SPDX-License-Identifier: BSD-3-Clause
// When a location was in which call path, in few bytes: so that times can be summed again once the
// clock has been corrected.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <vector>

#include "analyzer/memory/large_pages.hpp"

namespace latecomer::trace {

// A list of (time, call path that is open from then on), as differences of variable length: about
// four bytes for a change.
class Timeline {
 public:
  using Ticks = std::int64_t;

  // Times never decrease.
  void open(Ticks time, std::uint32_t node) {
    if (free_ < kLongest) grow();
    put(static_cast<std::uint64_t>(time - last_));
    put(node);
    last_ = time;
    ++changes_;
  }

  struct Change {
    Ticks time = 0;
    std::uint32_t node = 0;
  };
  // Where a cursor was, in few bytes.
  struct Place {
    std::uint32_t chunk = 0, offset = 0;
  };
  // A place between two changes; copies stay there.
  class Cursor {
   public:
    Cursor() = default;
    explicit Cursor(const Timeline& timeline) : timeline_(&timeline) { open(0); }
    // `time` is that of the last change before the place.
    Cursor(const Timeline& timeline, Place place, Ticks time) : timeline_(&timeline), time_(time) {
      open(place.chunk);
      if (at_ != end_) at_ += place.offset;
    }
    [[nodiscard]] Place place() const {
      if (at_ == end_) return {static_cast<std::uint32_t>(timeline_->chunks_.size()), 0};
      const auto* const begin = timeline_->chunks_[chunk_].bytes.get();
      return {static_cast<std::uint32_t>(chunk_), static_cast<std::uint32_t>(at_ - begin)};
    }
    [[nodiscard]] bool done() const { return at_ == end_; }
    // Steps over the next change.
    Change next() {
      time_ += static_cast<Ticks>(get(at_));
      const Change change{time_, static_cast<std::uint32_t>(get(at_))};
      if (at_ == end_) open(chunk_ + 1);
      return change;
    }

   private:
    void open(std::size_t chunk) {
      if (chunk == timeline_->chunks_.size()) return;
      chunk_ = chunk;
      const auto& bytes = timeline_->chunks_[chunk];
      at_ = bytes.bytes.get();
      end_ = at_ + bytes.used - (chunk + 1 == timeline_->chunks_.size() ? timeline_->free_ : 0);
    }
    const Timeline* timeline_ = nullptr;
    std::size_t chunk_ = 0;
    const std::uint8_t* at_ = nullptr;
    const std::uint8_t* end_ = nullptr;
    Ticks time_ = 0;
  };

  // f(time, node) for every change.
  template <typename F>
  void for_each(F&& f) const {
    for (Cursor cursor(*this); !cursor.done();) {
      const Change change = cursor.next();
      f(change.time, change.node);
    }
  }
  [[nodiscard]] std::size_t changes() const { return changes_; }

 private:
  static constexpr std::size_t kSmallest = 1 << 8, kLargest = 1 << 16;  // of chunks, they double
  static constexpr std::size_t kLongest = 15;  // bytes of a change: 10 for the time, 5 for the node

  void put(std::uint64_t value) {
    while (value >= 0x80) {
      *next_++ = static_cast<std::uint8_t>(value | 0x80);
      --free_;
      value >>= 7;
    }
    *next_++ = static_cast<std::uint8_t>(value);
    --free_;
  }
  static std::uint64_t get(const std::uint8_t*& at) {
    std::uint64_t value = *at & 0x7f;
    for (unsigned shift = 7; (*at++ & 0x80) != 0; shift += 7) {
      value |= static_cast<std::uint64_t>(*at & 0x7f) << shift;
    }
    return value;
  }
  void grow() {
    std::size_t size = kSmallest;
    if (!chunks_.empty()) {
      size = std::min(kLargest, 2 * chunks_.back().used);
      chunks_.back().used -= free_;
    }
    free_ = size;
    next_ = static_cast<std::uint8_t*>(memory::take(free_));
    chunks_.push_back({Block(next_), free_});
  }

  using Block = std::unique_ptr<std::uint8_t[], memory::Give>;
  struct Chunk {
    Block bytes;
    std::size_t used;  // of the last one: its size
  };
  std::vector<Chunk> chunks_;
  std::uint8_t* next_ = nullptr;
  std::size_t free_ = 0, changes_ = 0;
  Ticks last_ = 0;
};

}  // namespace latecomer::trace
