// SPDX-License-Identifier: BSD-3-Clause
// State of tracer/sources/openmp: constructs, teams, locks, and the functions of the runtime.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "archive/hash.hpp"
#include "tracer/state/address_map.hpp"
#include "tracer/state/on_first_use.hpp"

namespace latecomer::openmp {

struct Constructs;
struct OtherRuntimes;

// Locks by their address. What is known of a lock changes only while it is held. Entries are
// never removed; locks that find no room have no records.
// MT: any thread.
class LockTable {
 public:
  struct Lock {
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::uint32_t> holders{0};
    // Regions that the holder has entered; 0: none. Only the holder changes them.
    std::atomic<std::uint32_t> region{0}, block{0};
  };
  static constexpr std::size_t kMostLocks = 4096;

  // The lock, which is new at its first use; null if there is no room. Address 0 is none.
  Lock* find(std::uintptr_t address) {
    for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
      Lock& lock = locks_[((spread(address) >> kShift) + probe) % kMostLocks];
      std::uintptr_t known = lock.address.load(std::memory_order_relaxed);
      if (known == 0 && lock.address.compare_exchange_strong(known, address)) return &lock;
      if (known == address) return &lock;
    }
    return nullptr;
  }
  // From 1 on.
  [[nodiscard]] std::uint32_t number(const Lock* lock) const {
    return static_cast<std::uint32_t>(lock - locks_.data()) + 1;
  }

 private:
  static constexpr std::size_t kMostProbes = 64;
  static constexpr unsigned kShift = 52;  // the upper bits are spread best
  static_assert(kMostLocks == std::size_t{1} << (64 - kShift));
  std::array<Lock, kMostLocks> locks_;
};

struct OpenMpState {
  std::atomic<bool> is_recorded{false};  // the user did not switch it off
  user::AddressMap regions;              // of constructs, by place and kind
  OnFirstUse<Constructs> constructs;
  std::atomic<std::uint32_t> teams{0};  // number of teams so far
  LockTable locks;
  // Functions of the runtime (runtime_functions.hpp). Those that only some modules see are found by
  // the place of the call.
  std::array<std::atomic<void*>, 64> next{};
  OnFirstUse<OtherRuntimes> others;
};

}  // namespace latecomer::openmp
