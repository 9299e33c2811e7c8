// SPDX-License-Identifier: BSD-3-Clause
// A hash table from a small key to a 32-bit index, with open addressing and no allocation per
// entry.
#pragma once

#include <bit>
#include <cstdint>
#include <vector>

#include "archive/hash.hpp"

namespace latecomer::trace {

// Key: a trivially copyable type with == and a function `std::uint64_t hash_of(const Key&)`.
template <typename Key>
class FlatIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  explicit FlatIndex(std::size_t expected = 16)
      : slots_(std::bit_ceil(expected * 2 < 16 ? std::size_t{16} : expected * 2)) {
    note_size();
  }

  // The value of `key`, which is inserted with `value` if it is new.
  std::uint32_t& at(const Key& key, std::uint32_t value) {
    if (used_ * 2 > mask_) [[unlikely]]
      grow();
    Slot& slot = slots_[place(key)];
    if (slot.value == kNone) {
      slot = {key, value};
      ++used_;
    }
    return slot.value;
  }

  // Sets the value of `key`, whether it is new or not.
  void set(const Key& key, std::uint32_t value) {
    if (used_ * 2 > mask_) [[unlikely]]
      grow();
    Slot& slot = slots_[place(key)];
    if (slot.value == kNone) ++used_;
    slot = {key, value};
  }

  [[nodiscard]] std::uint32_t find(const Key& key) const { return slots_[place(key)].value; }

  // Removes `key` and returns its value; kNone if it is not there.
  std::uint32_t take(const Key& key) {
    const std::size_t i = place(key);
    const std::uint32_t value = slots_[i].value;
    if (value == kNone) return kNone;
    --used_;
    if (slots_[(i + 1) & mask_].value == kNone) [[likely]] {
      slots_[i].value = kNone;
    } else {
      close(i);
    }
    return value;
  }

  // Calls f(key, value) for all, in no particular order.
  template <typename F>
  void each(F&& f) const {
    for (const auto& slot : slots_) {
      if (slot.value != kNone) f(slot.key, slot.value);
    }
  }

  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  struct Slot {
    Key key{};
    std::uint32_t value = kNone;
  };
  [[nodiscard]] std::size_t home(const Key& key) const { return spread(hash_of(key)) >> shift_; }
  // The slot of the key, or the free slot where it would be inserted.
  [[nodiscard]] std::size_t place(const Key& key) const {
    std::size_t i = home(key);
    while (slots_[i].value != kNone && !(slots_[i].key == key)) i = (i + 1) & mask_;
    return i;
  }
  // Moves entries into a hole that would otherwise end the search for them (linear probing).
  [[gnu::noinline]] void close(std::size_t hole) {
    for (std::size_t j = hole;;) {
      j = (j + 1) & mask_;
      if (slots_[j].value == kNone) break;
      const std::size_t wanted = home(slots_[j].key);
      if (((j - wanted) & mask_) >= ((j - hole) & mask_)) {
        slots_[hole] = slots_[j];
        hole = j;
      }
    }
    slots_[hole].value = kNone;
  }
  void note_size() {
    mask_ = slots_.size() - 1;
    shift_ = 64 - std::countr_zero(slots_.size());
  }
  [[gnu::noinline]] void grow() {
    std::vector<Slot> old(slots_.size() * 2);
    old.swap(slots_);
    note_size();
    used_ = 0;
    for (const auto& slot : old) {
      if (slot.value != kNone) at(slot.key, slot.value);
    }
  }

  std::vector<Slot> slots_;
  std::size_t used_ = 0, mask_ = 0;
  int shift_ = 0;  // shifts a hash to an index of slots_
};

// A key that is a number.
struct IntKey {
  std::uint64_t value = 0;
  friend bool operator==(const IntKey&, const IntKey&) = default;
};
inline std::uint64_t hash_of(const IntKey& key) { return key.value; }

}  // namespace latecomer::trace
