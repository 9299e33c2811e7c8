// SPDX-License-Identifier: BSD-3-Clause
// Map from the address of a function to its region, for the hot path.
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "archive/hash.hpp"

namespace latecomer::user {

// A hash table with open addressing; entries are never removed. Reading takes no lock: it sees the
// table before or after an insertion. Tables that became too small are kept, since a reader may
// still use one. The map can be used before any constructor has run.
// MT: find() by any thread, insert() by one at a time.
class AddressMap {
 public:
  static constexpr std::uint32_t kUnknown = 0;  // no region has this id

  constexpr AddressMap() = default;
  ~AddressMap() {
    for (const Table* t = table_.load(); t != nullptr;) delete std::exchange(t, t->before);
  }
  AddressMap(const AddressMap&) = delete;
  AddressMap& operator=(const AddressMap&) = delete;

  [[nodiscard]] std::uint32_t find(std::uintptr_t address) const {
    const Table* t = table_.load(std::memory_order_acquire);
    if (t == nullptr) return kUnknown;
    for (std::size_t i = t->home(address);; i = (i + 1) & t->mask) {
      const std::uintptr_t key = t->slots[i].address.load(std::memory_order_acquire);
      if (key == address) [[likely]] {
        return t->slots[i].region.load(std::memory_order_relaxed);
      }
      if (key == 0) return kUnknown;
    }
  }

  void insert(std::uintptr_t address, std::uint32_t region) {
    Table* t = table_.load(std::memory_order_relaxed);
    if (t == nullptr || (used_ + 1) * 2 > t->slots.size()) t = grow(t);
    t->put(address, region);
    ++used_;
  }

  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  struct Slot {
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::uint32_t> region{kUnknown};
  };
  struct Table {
    explicit Table(unsigned bits)
        : slots(std::size_t{1} << bits), mask(slots.size() - 1), shift(64 - bits) {}
    // First slot for an address.
    [[nodiscard]] std::size_t home(std::uintptr_t address) const {
      return static_cast<std::size_t>(spread(address) >> shift);
    }
    void put(std::uintptr_t address, std::uint32_t region) {
      std::size_t i = home(address);
      while (slots[i].address.load(std::memory_order_relaxed) != 0) i = (i + 1) & mask;
      slots[i].region.store(region, std::memory_order_relaxed);
      slots[i].address.store(address, std::memory_order_release);
    }
    std::vector<Slot> slots;
    std::size_t mask;
    unsigned shift;
    Table* before = nullptr;  // the smaller table, which is deleted with this one
  };

  Table* grow(Table* old) {
    constexpr unsigned kFirstBits = 10;
    auto* bigger = new Table(old == nullptr ? kFirstBits : 64 - old->shift + 1);
    bigger->before = old;
    if (old != nullptr) {
      for (const Slot& slot : old->slots) {
        if (const auto address = slot.address.load(std::memory_order_relaxed); address != 0) {
          bigger->put(address, slot.region.load(std::memory_order_relaxed));
        }
      }
    }
    table_.store(bigger, std::memory_order_release);
    return bigger;
  }

  std::atomic<Table*> table_{nullptr};
  std::size_t used_ = 0;
};

}  // namespace latecomer::user
