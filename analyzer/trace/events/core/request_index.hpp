// SPDX-License-Identifier: BSD-3-Clause
// Finds the operation of an open request.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "analyzer/memory/flat_index.hpp"

namespace latecomer::trace {

// Tracers number requests consecutively, and few are open at a time. Each then has a slot given by
// the lowest bits of its number. Other requests are in a hash table.
class RequestIndex {
 public:
  static constexpr std::uint32_t kNone = 0xffffffff;

  // Sets the value of a request. An older value is replaced.
  void set(std::uint64_t request, std::uint32_t value) {
    Slot& slot = slots_[request % kSlots];
    if (slot.value != kNone || others_.size() != 0) [[unlikely]]
      return set_beside(slot, request, value);
    slot = {request, value};
  }

  // Removes `request` and returns its value; kNone if it is not there.
  std::uint32_t take(std::uint64_t request) {
    Slot& slot = slots_[request % kSlots];
    const std::uint32_t value = slot.value;
    if (slot.request != request || value == kNone) [[unlikely]]
      return others_.size() == 0 ? kNone : others_.take({request});
    slot.value = kNone;
    return value;
  }

  // Calls f(request, value) for all, in no particular order.
  template <typename F>
  void each(F&& f) const {
    for (const Slot& slot : slots_) {
      if (slot.value != kNone) f(slot.request, slot.value);
    }
    others_.each([&](const IntKey& request, std::uint32_t value) { f(request.value, value); });
  }

  [[nodiscard]] std::size_t size() const {
    std::size_t all = 0;
    each([&](std::uint64_t, std::uint32_t) { ++all; });
    return all;
  }

 private:
  static constexpr std::size_t kSlots = 256;
  struct Slot {
    std::uint64_t request = 0;
    std::uint32_t value = kNone;
  };
  [[gnu::noinline]] void set_beside(Slot& slot, std::uint64_t request, std::uint32_t value) {
    if (slot.value != kNone && slot.request != request) return others_.set({request}, value);
    if (others_.size() != 0) others_.take({request});  // the request gets its own slot now
    slot = {request, value};
  }

  std::array<Slot, kSlots> slots_;
  FlatIndex<IntKey> others_;
};

}  // namespace latecomer::trace
