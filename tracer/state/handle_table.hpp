// SPDX-License-Identifier: BSD-3-Clause
// Map from MPI handles to what is known of them: no locks, no allocation per entry.
#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

#include "archive/hash.hpp"
#include "archive/mapping.hpp"

namespace latecomer::mpi {

// A handle as a key: an integer or a pointer, never zero for a live object.
template <typename Handle>
std::uint64_t key_of(Handle handle) {
  if constexpr (std::is_pointer_v<Handle>) {
    return reinterpret_cast<std::uint64_t>(handle);
  } else {
    return static_cast<std::uint32_t>(handle);
  }
}

// Consists of segments of doubling size that never move. A key may be in one window of eight slots
// (a cache line of keys) in each segment. Programs with few live handles only use the first
// segment.
//
//   segment 0   1024 slots   128 windows: the key's hash selects one
//   segment 1   2048 slots   256 windows: used if the window in segment 0 is full
//   ...
//
// MT: any thread, for different keys; MPI forbids that two threads use one handle at the same time.
template <typename Value>
class HandleTable {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  // The value of `key` for which `skip` is false, or null.
  template <typename Skip>
  Value* find(std::uint64_t key, Skip&& skip) {
    Segment* segment = segments_[0].load(std::memory_order_acquire);
    if (key == 0 || segment == nullptr) return nullptr;  // no object; free slots have this key
    if (Value* value = find_in(segment, 0, key, skip); value != nullptr) return value;
    return segments_[1].load(std::memory_order_acquire) == nullptr ? nullptr
                                                                   : find_beyond(key, skip);
  }
  Value* find(std::uint64_t key) { return find(key, keep_all); }

  // A slot for `key`: its old one if `skip` is false there (MPI has reused the handle), otherwise a
  // new one. Null only if memory is exhausted. `alone`: no other thread uses the table, so that a
  // plain store is enough.
  template <typename Skip>
  Value* insert(std::uint64_t key, Skip&& skip, bool alone = false) {
    if (Value* old = find(key, skip); old != nullptr) return old;
    if (Segment* segment = segments_[0].load(std::memory_order_acquire); segment != nullptr) {
      if (Value* value = take_in(segment, 0, key, alone); value != nullptr) return value;
    }
    return key == 0 ? nullptr : insert_beyond(key, alone);
  }
  Value* insert(std::uint64_t key) { return insert(key, keep_all); }

  // Frees the slot of `value`.
  void erase(const Value* value) {
    for (unsigned s = 0; s < kSegments; ++s) {
      Segment* segment = segments_[s].load(std::memory_order_acquire);
      if (segment == nullptr) return;
      const Value* const first = segment->value(s, 0);
      if (std::less<>()(value, first) || !std::less<>()(value, first + slots(s))) continue;
      segment->key(static_cast<std::size_t>(value - first)).store(0, std::memory_order_release);
      return;
    }
  }

 private:
  static constexpr auto keep_all = [](const Value&) { return false; };
  static constexpr std::size_t kWindow = 8;
  static constexpr unsigned kFirstBits = 10;  // slots of the first segment
  static constexpr unsigned kSegments = 20;

  static bool take(std::atomic<std::uint64_t>& slot, std::uint64_t key, bool alone) {
    std::uint64_t empty = 0;
    if (!alone) return slot.compare_exchange_strong(empty, key, std::memory_order_acq_rel);
    slot.store(key, std::memory_order_relaxed);
    return true;
  }

  // Keys, then values, in one piece of zeroed memory.
  struct Segment {
    std::atomic<std::uint64_t>& key(std::size_t i) {
      return reinterpret_cast<std::atomic<std::uint64_t>*>(this)[i];
    }
    Value* value(unsigned s, std::size_t i) {
      auto* keys = reinterpret_cast<std::byte*>(this);
      return reinterpret_cast<Value*>(keys + slots(s) * sizeof(std::uint64_t)) + i;
    }
  };
  static constexpr std::size_t slots(unsigned s) { return std::size_t{1} << (kFirstBits + s); }
  // First slot of a key's window.
  static std::size_t window(std::uint64_t key, unsigned s) {
    return slot_in_table(key, kFirstBits + s - 3) * kWindow;
  }

  // Searches the window of a segment. It is always inlined: in the first segment the compiler then
  // knows everything about the window except the key.
  template <typename Skip>
  [[gnu::always_inline]] static Value* find_in(Segment* segment, unsigned s, std::uint64_t key,
                                               Skip&& skip) {
    const std::size_t first = window(key, s);
#pragma GCC unroll 8
    for (std::size_t i = 0; i < kWindow; ++i) {
      if (segment->key(first + i).load(std::memory_order_relaxed) != key) [[likely]]
        continue;
      if (Value* value = segment->value(s, first + i); !skip(*value)) return value;
    }
    return nullptr;
  }
  [[gnu::always_inline]] static Value* take_in(Segment* segment, unsigned s, std::uint64_t key,
                                               bool alone) {
    const std::size_t first = window(key, s);
    for (std::size_t i = first; i < first + kWindow; ++i) {
      if (segment->key(i).load(std::memory_order_relaxed) == 0 &&
          take(segment->key(i), key, alone)) {
        return segment->value(s, i);
      }
    }
    return nullptr;
  }
  template <typename Skip>
  [[gnu::noinline]] Value* find_beyond(std::uint64_t key, Skip&& skip) {
    for (unsigned s = 1; s < kSegments; ++s) {
      Segment* segment = segments_[s].load(std::memory_order_acquire);
      if (segment == nullptr) return nullptr;
      if (Value* value = find_in(segment, s, key, skip); value != nullptr) return value;
    }
    return nullptr;
  }
  [[gnu::noinline]] Value* insert_beyond(std::uint64_t key, bool alone) {
    for (unsigned s = 0; s < kSegments; ++s) {
      Segment* segment = segments_[s].load(std::memory_order_acquire);
      if (segment == nullptr && (segment = add_segment(s)) == nullptr) return nullptr;
      if (Value* value = take_in(segment, s, key, alone); value != nullptr) return value;
    }
    return nullptr;
  }

  [[gnu::noinline, gnu::cold]] Segment* add_segment(unsigned s) {
    const std::size_t bytes = slots(s) * (sizeof(std::uint64_t) + sizeof(Value));
    Mapping memory = Mapping::of_memory(bytes, PROT_READ | PROT_WRITE);
    if (!memory) return nullptr;
    auto* fresh = reinterpret_cast<Segment*>(memory.data());
    Segment* other = nullptr;
    if (!segments_[s].compare_exchange_strong(other, fresh, std::memory_order_acq_rel)) {
      return other;
    }
    memory.release();  // it stays mapped until the process ends
    return fresh;
  }

  std::array<std::atomic<Segment*>, kSegments> segments_{};
};

}  // namespace latecomer::mpi
