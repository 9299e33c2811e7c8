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

// A place of `single` in programs of GCC. Their compiler tells where a `single` begins, but not
// where it ends. If it has its barrier, a thread that does not execute it meets that at once. With
// `nowait`, the thread does other work first.
// MT: any thread.
class SinglePlace {
 public:
  // Ticks between the begin and the next construct of a thread that does not execute it: less than
  // these means that the `single` ends there. They are 1 to 5 us.
  static constexpr std::uint64_t kAtOnce = 5000;

  void note(std::uint64_t ticks_to_next) {
    const int before = score_.load(std::memory_order_relaxed);
    const int after = ticks_to_next < kAtOnce ? before + 1 : before - 1;
    if (after <= kMost && after >= -kMost) score_.store(after, std::memory_order_relaxed);
  }
  // Whether it ends at the next construct, as far as is known.
  [[nodiscard]] bool ends_at_next() const { return score_.load(std::memory_order_relaxed) >= 0; }

 private:
  friend class SinglePlaces;
  static constexpr int kMost = 8;
  std::atomic<std::uintptr_t> place_{0};
  std::atomic<int> score_{0};
};
// All of them. Those beyond the first ones share an entry.
class SinglePlaces {
 public:
  SinglePlace* find(std::uintptr_t place) {
    for (SinglePlace& known : places_) {
      std::uintptr_t at = known.place_.load(std::memory_order_relaxed);
      if (at == place) return &known;
      if (at == 0 && (known.place_.compare_exchange_strong(at, place) || at == place))
        return &known;
    }
    return &places_.back();
  }

 private:
  std::array<SinglePlace, 64> places_;
};

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
    // Locks of the program (omp_set_lock): threads that wait for it, and whether the record of the
    // holder has been written.
    std::atomic<std::uint32_t> waiters{0};
    std::atomic<bool> is_recorded{false};
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
  // The lock if it has been found before, else null.
  Lock* known(std::uintptr_t address) {
    for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
      Lock& lock = locks_[((spread(address) >> kShift) + probe) % kMostLocks];
      const std::uintptr_t at = lock.address.load(std::memory_order_relaxed);
      if (at == address) return &lock;
      if (at == 0) return nullptr;
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
  // The user wants to know only where threads wait: no loops, sections, critical sections.
  std::atomic<bool> only_waits{false};
  user::AddressMap regions;  // of constructs, by place and kind
  OnFirstUse<Constructs> constructs;
  std::atomic<std::uint32_t> teams{0};  // number of teams so far
  LockTable locks;
  SinglePlaces singles;
  // Functions of the runtime (runtime_functions.hpp). Those that only some modules see are found by
  // the place of the call.
  std::array<std::atomic<void*>, 128> next{};
  OnFirstUse<OtherRuntimes> others;
};

}  // namespace latecomer::openmp
