// SPDX-License-Identifier: BSD-3-Clause
// The call path of a location over time, in few bytes. It allows times to be summed again after a
// correction of the clock.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "analyzer/memory/large_pages.hpp"
#include "analyzer/memory/prefetch.hpp"

namespace latecomer::trace {

// A list of changes (time, call path that is open from then on). A change takes one word of four
// bytes: the node in the low bits, and the time since the change before. The number of bits for the
// node depends on the largest node so far.
//
//   8 bits for the node: 1000 ticks later node 5 opens      word = 1000 << 8 | 5
//
// Other changes take four words. The first and the last of them have a mark instead of the node, so
// that changes can be read in both directions.
class Timeline {
 public:
  using Ticks = std::int64_t;
  // Words per chunk. Sizes of chunks double.
  static constexpr std::size_t kSmallest = 1 << 6, kLargest = 1 << 12;

  // A change, with the call path that is open from then on.
  struct Change {
    Ticks time = 0;
    std::uint32_t node = 0;
  };

  // Adds a change. Times never decrease. Returns the time since the change before, or since 0.
  Ticks open(Ticks time, std::uint32_t node) {
    const Ticks passed = time - last_.time;
    if (next_ >= full_ || node >= mask_ || static_cast<std::uint64_t>(passed) > most_) [[unlikely]]
      return put(time, node);
    *next_++ = (static_cast<std::uint32_t>(passed) << bits_) | node;
    last_ = {time, node};
    return passed;
  }
  // Time of the last change.
  [[nodiscard]] Ticks last_time() const { return last_.time; }

  // Position of a cursor in few bytes.
  struct Place {
    std::uint32_t chunk = 0, offset = 0;
    friend bool operator==(const Place&, const Place&) = default;
  };
  // The words at this place will be read soon.
  LATECOMER_PREFETCHES void prefetch(Place place) const {
    if (place.chunk >= chunks_.size()) return;
    const auto* const words = chunks_[place.chunk].words.get() + place.offset;
    memory::prefetch(words);
    memory::prefetch(words + 16);
  }
  // A position between two changes; copies are independent.
  class Cursor {
   public:
    Cursor() = default;
    explicit Cursor(const Timeline& timeline) : timeline_(&timeline) { open(0); }
    // `time`: time of the last change before the place.
    Cursor(const Timeline& timeline, Place place, Ticks time) : timeline_(&timeline), time_(time) {
      open(place.chunk);
      if (at_ != end_) at_ += place.offset;
    }
    [[nodiscard]] Place place() const {
      if (at_ == end_) return {static_cast<std::uint32_t>(timeline_->chunks_.size()), 0};
      const auto* const begin = timeline_->chunks_[chunk_].words.get();
      return {static_cast<std::uint32_t>(chunk_), static_cast<std::uint32_t>(at_ - begin)};
    }
    [[nodiscard]] bool done() const { return at_ == end_; }
    // Moves over the next change and returns it.
    Change next() {
      const std::uint32_t word = *at_++;
      std::uint32_t node = word & mask_;
      if (node != mask_) {
        time_ += static_cast<Ticks>(word >> bits_);
      } else {
        const Long change = long_at(at_ - 1, bits_);
        node = change.node;
        time_ += change.passed;
        at_ += kLongest - 1;
      }
      if (at_ == end_) open(chunk_ + 1);
      return {time_, node};
    }

    // Moves over all changes up to a time and calls f(time, node) for each. Faster than next().
    template <typename F>
    void pass(Ticks until, F&& f) {
      while (at_ != end_) {
        const std::uint32_t* at = at_;  // copies in registers
        const std::uint32_t* const end = end_;
        const std::uint32_t bits = bits_, mask = mask_;
        Ticks time = time_;
        while (at != end) {
          std::uint32_t node = *at & mask, words = 1;
          Ticks next = time + static_cast<Ticks>(*at >> bits);
          if (node == mask) [[unlikely]] {
            const Long change = long_at(at, bits);
            node = change.node;
            next = time + change.passed;
            words = kLongest;
          }
          if (next > until) break;
          time = next;
          at += words;
          f(time, node);
        }
        at_ = at;
        time_ = time;
        if (at != end) return;
        open(chunk_ + 1);
      }
    }

   private:
    friend Timeline;
    void open(std::size_t chunk) {
      if (chunk == timeline_->chunks_.size()) return;
      chunk_ = chunk;
      const auto& words = timeline_->chunks_[chunk];
      bits_ = words.bits;
      mask_ = mask_of(bits_);
      at_ = words.words.get();
      end_ = at_ + timeline_->used(static_cast<std::uint32_t>(chunk));
    }
    const Timeline* timeline_ = nullptr;
    std::size_t chunk_ = 0;
    const std::uint32_t* at_ = nullptr;
    const std::uint32_t* end_ = nullptr;
    std::uint32_t bits_ = 0, mask_ = 0;
    Ticks time_ = 0;
  };

  // Calls f(time, node) for every change.
  template <typename F>
  void for_each(F&& f) const {
    for (Cursor cursor(*this); !cursor.done();) {
      const Change change = cursor.next();
      f(change.time, change.node);
    }
  }
  // Copies changes of another timeline, with the same distances, after the last change here. Takes
  // changes before `until` (a time there) as long as words can be copied. Returns the last one of
  // them, with its time there, and their number.
  struct Taken {
    Change last;
    std::size_t changes = 0;
  };
  Taken take(Cursor& from, Ticks until) {
    Taken taken;
    if (from.done() || from.bits_ != bits_) return taken;
    const auto* at = from.at_;
    const auto* const end =
        at + std::min(from.end_ - at, std::max<std::ptrdiff_t>(0, full_ - next_));
    const std::uint32_t bits = bits_, mask = mask_;
    Ticks time = from.time_;
    auto* to = next_;
    // Copies several words at once if all are short and all their times are before `until`.
    const bool all_short = !from.timeline_->chunks_[from.chunk_].any_long;
    while (all_short && end - at >= kAtOnce) {
      std::uint32_t passed = 0;  // cannot overflow, since a node takes many bits
      for (std::ptrdiff_t i = 0; i < kAtOnce; ++i) passed += at[i] >> bits;
      if (time + static_cast<Ticks>(passed) >= until) break;
      time += static_cast<Ticks>(passed);
      std::memcpy(to, at, kAtOnce * sizeof *at);
      at += kAtOnce;
      to += kAtOnce;
    }
    for (; at < end && (*at & mask) != mask; ++at) {
      const Ticks next = time + static_cast<Ticks>(*at >> bits);
      if (next >= until) break;
      time = next;
      *to++ = *at;
    }
    taken.changes = static_cast<std::size_t>(at - from.at_);
    if (taken.changes == 0) return taken;
    next_ = to;
    last_ = {last_.time + (time - from.time_), at[-1] & mask};
    from.time_ = time;
    taken.last = {time, last_.node};
    from.at_ = at;
    if (at == from.end_) from.open(from.chunk_ + 1);
    return taken;
  }
  // A position between two changes that moves from the end to the start.
  class Backward {
   public:
    explicit Backward(const Timeline& timeline) : timeline_(&timeline) {
      open(timeline.chunks_.size());
    }
    // Moves back to the first position whose preceding change is not later than `until`. Calls
    // f(node, time) for each interval on the way. Returns the last of these times, or 0 without a
    // move.
    template <typename F>
    Ticks back_to(Ticks until, F&& f) {
      Ticks over = 0;
      while (time_ > until) {
        if (at_ == first_) {
          over = passed_;
          open(chunk_);
          f(node_, over);
          continue;
        }
        const std::uint32_t* at = at_;  // copies in registers
        const std::uint32_t* const first = first_;
        const std::uint32_t bits = bits_, mask = mask_of(bits);
        std::uint32_t node = 0;
        Ticks time = time_, passed = passed_;
        do {
          over = passed;
          const std::uint32_t word = *--at;
          node = word & mask;
          passed = static_cast<Ticks>(word >> bits);
          if (node == mask) [[unlikely]] {
            at -= kLongest - 1;
            const Long change = long_at(at, bits);
            node = change.node;
            passed = change.passed;
          }
          f(node, over);
          time -= over;
        } while (time > until && at != first);
        at_ = at;
        node_ = node;
        time_ = time;
        passed_ = passed;
      }
      return over;
    }
    // The change before the position; 0 at the start.
    [[nodiscard]] Change last() const { return {at_ == nullptr ? 0 : time_, node_}; }
    [[nodiscard]] Place place() const {
      if (at_ == nullptr) return {0, 0};
      const std::uint32_t mask = mask_of(bits_);
      const auto* const behind = at_ + ((*at_ & mask) == mask ? kLongest : 1);
      if (behind == end_) return {chunk_ + 1, 0};
      return {chunk_, static_cast<std::uint32_t>(behind - first_)};
    }

   private:
    // Moves to the end of the chunk before `chunk`.
    void open(std::size_t chunk) {
      if (chunk == 0) {
        first_ = at_ = nullptr;
        time_ = INT64_MIN;
        node_ = 0;
        return;
      }
      const Chunk& words = timeline_->chunks_[chunk - 1];
      time_ = chunk < timeline_->chunks_.size() ? timeline_->chunks_[chunk].before.time
                                                : timeline_->last_.time;
      chunk_ = static_cast<std::uint32_t>(chunk - 1);
      bits_ = words.bits;
      first_ = words.words.get();
      end_ = first_ + timeline_->used(chunk_);
      at_ = end_ - 1;
      node_ = *at_ & mask_of(bits_);
      passed_ = static_cast<Ticks>(*at_ >> bits_);
      if (node_ != mask_of(bits_)) return;
      at_ -= kLongest - 1;
      const Long change = long_at(at_, bits_);
      node_ = change.node;
      passed_ = change.passed;
    }
    const Timeline* timeline_;
    std::uint32_t chunk_ = 0, bits_ = 0;
    // Words of the chunk. at_: the change before the position, null at the start.
    const std::uint32_t *first_ = nullptr, *end_ = nullptr, *at_ = nullptr;
    Ticks time_ = 0, passed_ = 0;  // time of that change, and since the one before
    std::uint32_t node_ = 0;
  };
  [[nodiscard]] std::uint32_t chunks() const { return static_cast<std::uint32_t>(chunks_.size()); }
  [[nodiscard]] std::size_t used(std::uint32_t chunk) const {
    const auto& words = chunks_[chunk];
    if (chunk + 1 < chunks_.size()) return words.used;
    return static_cast<std::size_t>(next_ - words.words.get());
  }
  // Calls f(time, node, place) for the changes of a chunk. `time`: time of the change before it.
  template <typename F>
  void for_chunk(std::uint32_t chunk, Ticks time, F&& f) const {
    const std::uint32_t* const words = chunks_[chunk].words.get();
    const std::uint32_t bits = chunks_[chunk].bits, mask = mask_of(bits);
    const auto* const end = words + used(chunk);
    for (const auto* at = words; at < end;) {
      const auto* const before = at;
      std::uint32_t node = *at & mask;
      if (node != mask) {
        time += static_cast<Ticks>(*at++ >> bits);
      } else {
        const Long change = long_at(at, bits);
        node = change.node;
        time += change.passed;
        at += kLongest;
      }
      f(time, node, Place{chunk, static_cast<std::uint32_t>(before - words)});
    }
  }
  // A position not far before a time, and the last change before that position; {0, 0} if there is
  // none.
  struct Start {
    Cursor cursor;
    Change last;
  };
  [[nodiscard]] Start start_before(Ticks time) const {
    const auto before = [](const Chunk& chunk) { return chunk.before.time; };
    auto chunk = std::ranges::lower_bound(chunks_, time, {}, before);
    if (chunk - chunks_.begin() <= 1) return {Cursor(*this), {}};
    --chunk;
    const auto number = static_cast<std::uint32_t>(chunk - chunks_.begin());
    return {Cursor(*this, {number, 0}, chunk->before.time), chunk->before};
  }

 private:
  static constexpr std::size_t kLongest = 4;  // words of a long change
  static constexpr std::uint32_t kFewestBits = 8, kMostBits = 16;
  static constexpr std::ptrdiff_t kAtOnce = 8;  // number of changes
  static_assert(kAtOnce < 1 << kFewestBits);

  static std::uint32_t mask_of(std::uint32_t bits) { return (std::uint32_t{1} << bits) - 1; }
  // A change of four words: low bits of the node, two halves of the time, high bits of the node.
  struct Long {
    std::uint32_t node;
    Ticks passed;
  };
  static Long long_at(const std::uint32_t* words, std::uint32_t bits) {
    return {(words[0] >> bits) | ((words[3] >> bits) << (32 - bits)),
            static_cast<Ticks>(words[1] | (std::uint64_t{words[2]} << 32))};
  }
  [[gnu::noinline]] Ticks put(Ticks time, std::uint32_t node) {
    if (next_ >= full_ || (node >= mask_ && bits_ < kMostBits)) grow(node);
    const Ticks passed = time - last_.time;
    const auto ticks = static_cast<std::uint64_t>(passed);
    if (ticks <= most_ && node < mask_) {
      *next_++ = (static_cast<std::uint32_t>(ticks) << bits_) | node;
    } else {
      const std::uint32_t words[kLongest] = {
          (node << bits_) | mask_, static_cast<std::uint32_t>(ticks),
          static_cast<std::uint32_t>(ticks >> 32), ((node >> (32 - bits_)) << bits_) | mask_};
      static_assert(2 * (32 - kMostBits) >= 32);  // the node fits
      next_ = std::ranges::copy(words, next_).out;
      chunks_.back().any_long = true;
    }
    last_ = {time, node};
    return passed;
  }
  void grow(std::uint32_t node) {
    std::size_t size = kSmallest;
    if (!chunks_.empty()) {
      chunks_.back().used = static_cast<std::size_t>(next_ - chunks_.back().words.get());
      size = std::clamp(std::bit_ceil(2 * chunks_.back().used), kSmallest, kLargest);
    }
    const auto bits = static_cast<std::uint32_t>(std::bit_width(node + std::uint64_t{1}));
    bits_ = std::max(bits_, std::clamp(bits, kFewestBits, kMostBits));
    mask_ = mask_of(bits_);
    most_ = UINT32_MAX >> bits_;
    next_ = static_cast<std::uint32_t*>(
        memory::take(size * sizeof(std::uint32_t), memory::Life::kTimelines));
    full_ = next_ + (size - kLongest + 1);
    chunks_.push_back({Block(next_), size, last_, bits_});
  }

  using Block = std::unique_ptr<std::uint32_t[], memory::Give>;
  // Words of changes. All chunks but the last one are full or end where the number of bits changes.
  struct Chunk {
    Block words;
    std::size_t used;  // words in use; in the last chunk: its size
    Change before;     // the last change before the chunk
    std::uint32_t bits;
    bool any_long = false;  // it has changes of several words
  };
  std::vector<Chunk> chunks_;
  std::uint32_t* next_ = nullptr;
  const std::uint32_t* full_ = nullptr;  // from here on a long change may not fit
  std::uint32_t bits_ = 0, mask_ = 0;
  std::uint64_t most_ = 0;  // ticks that fit into a word
  Change last_;
};

}  // namespace latecomer::trace
