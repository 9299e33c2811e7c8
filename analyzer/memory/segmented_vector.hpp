// SPDX-License-Identifier: BSD-3-Clause
// A vector that grows without copying. Elements never move, and memory is touched only once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "analyzer/memory/large_pages.hpp"

namespace latecomer::trace {

// Segments double in size up to 1024 elements and then stay at that, so that element i is found by
// bit arithmetic:
//
//   segment 0: elements 0..63   1: 64..191   2: 192..447   3: 448..959   4: 960..1983   5: ..3007
//
// A std::vector of a gigabyte would touch two more gigabytes when it doubles. Fresh pages are the
// most expensive part of storing an event.
template <typename T, memory::Life kLife = memory::Life::kLong>
class SegmentedVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  template <typename Owner, typename Value>
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    Iterator() = default;
    Iterator(Owner* owner, std::size_t index) : owner_(owner), index_(index) { enter(); }
    Value& operator*() const { return *at_; }
    Value* operator->() const { return at_; }
    Iterator& operator++() {
      ++index_;
      if (++at_ == end_) enter();
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.index_ == b.index_; }

   private:
    void enter() {
      if (index_ >= owner_->size_) return;
      const Place place = find(index_);
      at_ = owner_->segments_[place.segment].get() + place.offset;
      end_ = at_ + (length(place.segment) - place.offset);
    }
    Owner* owner_ = nullptr;
    std::size_t index_ = 0;
    Value *at_ = nullptr, *end_ = nullptr;
  };

  using ConstIterator = Iterator<const SegmentedVector, const T>;

  SegmentedVector() = default;
  SegmentedVector(SegmentedVector&&) noexcept = default;
  SegmentedVector& operator=(SegmentedVector&&) noexcept = default;
  SegmentedVector(const SegmentedVector& other) {
    for (const T& value : other) push_back(value);
  }
  SegmentedVector& operator=(const SegmentedVector& other) {
    *this = SegmentedVector(other);
    return *this;
  }
  ~SegmentedVector() = default;

  void push_back(const T& value) {
    if (next_ == end_) [[unlikely]]
      grow();
    *next_++ = value;
    ++size_;
  }
  T& emplace_back() {
    push_back(T{});
    return next_[-1];
  }
  [[nodiscard]] T& operator[](std::size_t i) { return *at(i); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return *at(i); }
  // The vector must not be empty.
  [[nodiscard]] T& back() { return next_[-1]; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] auto begin() { return Iterator<SegmentedVector, T>(this, 0); }
  [[nodiscard]] auto end() { return Iterator<SegmentedVector, T>(this, size_); }
  [[nodiscard]] auto begin() const { return ConstIterator(this, 0); }
  [[nodiscard]] auto end() const { return ConstIterator(this, size_); }
  // Calls f(element) for each until it returns false; true if it never did. Faster than iterators.
  template <typename F>
  bool all_of(F&& f) const {
    std::size_t left = size_;
    for (std::size_t segment = 0; left > 0; ++segment) {
      const std::size_t count = left < length(segment) ? left : length(segment);
      const T* const first = segments_[segment].get();
      for (const T* at = first; at != first + count; ++at) {
        if (!f(*at)) return false;
      }
      left -= count;
    }
    return true;
  }
  // Calls f(element) for each.
  template <typename F>
  void for_each(F&& f) const {
    all_of([&](const T& element) {
      f(element);
      return true;
    });
  }

 private:
  static constexpr unsigned kFirstBits = 6, kLastBits = 10;
  static constexpr std::size_t kFirst = std::size_t{1} << kFirstBits;
  static constexpr std::size_t kLast = std::size_t{1} << kLastBits;
  static constexpr unsigned kDoublings = kLastBits - kFirstBits;

  struct Place {
    std::size_t segment, offset;
  };
  // After adding the length of the first segment, the highest bit of i gives the segment.
  //
  //   i = 70: 70 + 64 = 134, highest bit 7: segment 7 - 6 = 1, offset 134 - 128 = 6
  [[nodiscard]] static Place find(std::size_t i) {
    const std::size_t j = i + kFirst;
    if (j >= kLast) return {kDoublings + (j >> kLastBits) - 1, j & (kLast - 1)};
    const auto segment = static_cast<unsigned>(std::bit_width(j)) - 1 - kFirstBits;
    return {segment, j - (kFirst << segment)};
  }
  [[nodiscard]] static std::size_t length(std::size_t segment) {
    return segment < kDoublings ? kFirst << segment : kLast;
  }
  [[nodiscard]] T* at(std::size_t i) const {
    const Place place = find(i);
    return segments_[place.segment].get() + place.offset;
  }
  [[gnu::noinline]] void grow() {
    const std::size_t room = length(segments_.size());
    segments_.emplace_back(static_cast<T*>(memory::take(room * sizeof(T), kLife)));
    next_ = segments_.back().get();
    end_ = next_ + room;
  }

  std::vector<std::unique_ptr<T[], memory::Give>> segments_;
  T *next_ = nullptr, *end_ = nullptr;  // in the last segment
  std::size_t size_ = 0;
};

}  // namespace latecomer::trace
