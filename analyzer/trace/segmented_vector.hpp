// SPDX-License-Identifier: BSD-3-Clause
// A vector that grows without copying: elements stay where they are, memory is touched once.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <vector>

namespace latecomer::trace {

// Segments double in size, so element i is found by bit arithmetic:
//
//   segment 0: elements 0..63    segment 1: 64..191    segment 2: 192..447    ...
//
// Doubling a std::vector of a gigabyte would touch two further gigabytes; fresh pages are the most
// expensive part of keeping an event.
template <typename T>
class SegmentedVector {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  template <typename Owner, typename Value>
  class Iterator {
   public:
    using difference_type = std::ptrdiff_t;
    using value_type = T;
    Iterator() = default;
    Iterator(Owner* owner, std::size_t index) : owner_(owner), index_(index) {}
    Value& operator*() const { return (*owner_)[index_]; }
    Value* operator->() const { return &(*owner_)[index_]; }
    Iterator& operator++() {
      ++index_;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++index_;
      return old;
    }
    friend bool operator==(const Iterator&, const Iterator&) = default;

   private:
    Owner* owner_ = nullptr;
    std::size_t index_ = 0;
  };

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
    if (free_ == 0) grow();
    *next_++ = value;
    --free_;
    ++size_;
  }
  T& emplace_back() {
    push_back(T{});
    return next_[-1];
  }
  [[nodiscard]] T& operator[](std::size_t i) { return *at(i); }
  [[nodiscard]] const T& operator[](std::size_t i) const { return *at(i); }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] auto begin() { return Iterator<SegmentedVector, T>(this, 0); }
  [[nodiscard]] auto end() { return Iterator<SegmentedVector, T>(this, size_); }
  [[nodiscard]] auto begin() const { return Iterator<const SegmentedVector, const T>(this, 0); }
  [[nodiscard]] auto end() const { return Iterator<const SegmentedVector, const T>(this, size_); }

 private:
  static constexpr unsigned kFirstBits = 6;
  static constexpr std::size_t kFirst = std::size_t{1} << kFirstBits;

  [[nodiscard]] T* at(std::size_t i) const {
    const std::size_t j = i + kFirst;
    const auto segment = static_cast<unsigned>(std::bit_width(j)) - 1 - kFirstBits;
    return segments_[segment].get() + (j - (kFirst << segment));
  }
  void grow() {
    free_ = kFirst << segments_.size();
    // malloc, not new: constructing the elements would touch the whole segment now.
    auto* memory = static_cast<T*>(std::malloc(free_ * sizeof(T)));
    if (memory == nullptr) throw std::bad_alloc();
    segments_.emplace_back(memory);
    next_ = segments_.back().get();
  }

  struct Free {
    void operator()(T* memory) const { std::free(memory); }
  };
  std::vector<std::unique_ptr<T[], Free>> segments_;
  T* next_ = nullptr;
  std::size_t free_ = 0, size_ = 0;
};

}  // namespace latecomer::trace
