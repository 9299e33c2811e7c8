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

  // f(time, node) for every change.
  template <typename F>
  void for_each(F&& f) const {
    Ticks time = 0;
    for (const auto& chunk : chunks_) {
      const std::uint8_t* at = chunk.bytes.get();
      const std::uint8_t* end = at + chunk.used - (&chunk == &chunks_.back() ? free_ : 0);
      while (at != end) {
        time += static_cast<Ticks>(get(at));
        const auto node = static_cast<std::uint32_t>(get(at));
        f(time, node);
      }
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
