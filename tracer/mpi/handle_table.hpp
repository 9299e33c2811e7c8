// SPDX-License-Identifier: BSD-3-Clause
// Map from MPI handles to what we know of them: no locks, no allocation per entry.
#pragma once

#include <sys/mman.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <type_traits>

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

// Segments of doubling size that never move. A key may stand in one window of eight slots (a cache
// line of keys) of each segment; programs with few live handles use the first segment only.
//
// MT: any thread, for different keys; MPI forbids that two threads use one handle at the same time.
template <typename Value>
class HandleTable {
  static_assert(std::is_trivially_copyable_v<Value>);

 public:
  // The value of `key` that is not to be skipped, or null.
  template <typename Skip>
  Value* find(std::uint64_t key, Skip&& skip) {
    if (key == 0) return nullptr;  // no object; free slots have this key
    for (unsigned s = 0; s < kSegments; ++s) {
      Segment* segment = segments_[s].load(std::memory_order_acquire);
      if (segment == nullptr) return nullptr;
      const std::size_t first = window(key, s);
      for (std::size_t i = first; i < first + kWindow; ++i) {
        if (segment->key(i).load(std::memory_order_relaxed) != key) continue;
        if (Value* value = segment->value(s, i); !skip(*value)) return value;
      }
    }
    return nullptr;
  }
  Value* find(std::uint64_t key) { return find(key, keep_all); }

  // A slot for `key`: its old one if it has one that is not to be skipped (a handle that MPI gave
  // out again), else a new one. Null only where memory is exhausted. `alone`: no other thread is in
  // the table, so that a plain store is enough.
  template <typename Skip>
  Value* insert(std::uint64_t key, Skip&& skip, bool alone = false) {
    if (key == 0) return nullptr;
    for (;;) {
      Slot free;
      if (Value* old = find_or_free(key, skip, free); old != nullptr) return old;
      if (free.key == nullptr) return nullptr;
      if (take(*free.key, key, alone)) return free.value;
    }
  }
  Value* insert(std::uint64_t key) { return insert(key, keep_all); }

  // Gives the slot of `value` back.
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

  struct Slot {
    std::atomic<std::uint64_t>* key = nullptr;
    Value* value = nullptr;
  };
  // Else the first free slot, none where memory is exhausted. The key may stand behind that.
  template <typename Skip>
  Value* find_or_free(std::uint64_t key, Skip&& skip, Slot& free) {
    for (unsigned s = 0; s < kSegments; ++s) {
      Segment* segment = segments_[s].load(std::memory_order_acquire);
      if (segment == nullptr) {
        if (free.key != nullptr || (segment = add_segment(s)) == nullptr) return nullptr;
      }
      const std::size_t first = window(key, s);
      for (std::size_t i = first; i < first + kWindow; ++i) {
        const std::uint64_t other = segment->key(i).load(std::memory_order_relaxed);
        if (other == key) {
          if (Value* value = segment->value(s, i); !skip(*value)) return value;
        } else if (other == 0 && free.key == nullptr) {
          free = {&segment->key(i), segment->value(s, i)};
        }
      }
    }
    return nullptr;
  }

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
  static std::size_t window(std::uint64_t key, unsigned s) {
    const std::uint64_t hash = key * 0x9e3779b97f4a7c15;
    return (hash >> (64 - (kFirstBits + s - 3))) * kWindow;
  }

  [[gnu::noinline, gnu::cold]] Segment* add_segment(unsigned s) {
    const std::size_t bytes = slots(s) * (sizeof(std::uint64_t) + sizeof(Value));
    void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    auto* fresh = static_cast<Segment*>(memory);
    Segment* other = nullptr;
    if (segments_[s].compare_exchange_strong(other, fresh, std::memory_order_acq_rel)) return fresh;
    munmap(memory, bytes);
    return other;
  }

  std::array<std::atomic<Segment*>, kSegments> segments_{};
};

}  // namespace latecomer::mpi
