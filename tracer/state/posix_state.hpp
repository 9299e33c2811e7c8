// SPDX-License-Identifier: BSD-3-Clause
// State of tracer/sources/posix_threads: what threads wait for, threads by their handle, places of
// calls, and the functions of the C library.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "archive/hash.hpp"
#include "tracer/state/address_map.hpp"
#include "tracer/state/on_first_use.hpp"

namespace latecomer::posix {

struct Places;
struct ThreadHandles;

// Objects that threads wait for (mutexes, conditions, ...), by address. An object is in the table
// once a thread has waited for it, and stays there. One that finds no room has no records.
//
// Whoever lets another thread go on must know if some thread waits. That is asked at each unlock,
// so it only reads the number of watched objects at a few addresses:
//
//   thread 0                          thread 1
//   lock: free, so no record
//                                     lock: taken. watch() and record; wait
//   unlock: is_watched(), so record
//                                     goes on; the object stays watched until it unlocks
//                                     unlock: is_watched(), so record, and unwatch()
//
// MT: any thread, also in signal handlers.
class WaitTable {
 public:
  struct Object {
    std::atomic<std::uintptr_t> address{0};
    std::atomic<std::uint32_t> waiting{0};  // number of threads
    // Recorded acquisitions of a lock, recorded signals of a condition, arrivals at a barrier.
    std::atomic<std::uint32_t> number{0};
    std::atomic<std::uint32_t> size{0};  // threads that a barrier waits for; 0: unknown
    std::atomic<bool> is_held{false};    // there is a record that a thread got this lock
  };
  static constexpr std::size_t kMostObjects = std::size_t{1} << 14;

  // The object, which is new at its first use; null if there is no room. Address 0 is none.
  Object* find(std::uintptr_t address) {
    return search(address, [address](std::atomic<std::uintptr_t>& place) {
      std::uintptr_t known = 0;
      return place.compare_exchange_strong(known, address) || known == address;
    });
  }
  // Null if no thread has waited for it.
  Object* find_known(std::uintptr_t address) {
    return search(address, [](std::atomic<std::uintptr_t>&) { return false; });
  }
  // Numbers begin with 1.
  [[nodiscard]] std::uint32_t number(const Object* object) const {
    return static_cast<std::uint32_t>(object - objects_.data()) + 1;
  }

  // True if this object is watched, or one whose address is alike.
  [[nodiscard]] bool is_watched(std::uintptr_t address) const {
    return watched_[alike(address)].load(std::memory_order_relaxed) != 0;
  }
  void watch(std::uintptr_t address) { watched_[alike(address)].fetch_add(1); }
  void unwatch(std::uintptr_t address) { watched_[alike(address)].fetch_sub(1); }

 private:
  static constexpr std::size_t kMostProbes = 64;
  static constexpr unsigned kObjectShift = 50, kWatchedShift = 54;  // the upper bits spread best
  static_assert(kMostObjects == std::size_t{1} << (64 - kObjectShift));

  static std::size_t alike(std::uintptr_t address) {
    return static_cast<std::size_t>(spread(address) >> kWatchedShift);
  }
  // `take(place)` claims a free entry.
  template <typename Take>
  Object* search(std::uintptr_t address, Take&& take) {
    for (std::size_t probe = 0; probe < kMostProbes; ++probe) {
      Object& object = objects_[((spread(address) >> kObjectShift) + probe) % kMostObjects];
      const std::uintptr_t known = object.address.load(std::memory_order_acquire);
      if (known == address) return &object;
      if (known == 0) {
        if (take(object.address)) return &object;
        if (object.address.load(std::memory_order_acquire) == 0) return nullptr;
      }
    }
    return nullptr;
  }

  std::array<std::atomic<std::uint32_t>, std::size_t{1} << (64 - kWatchedShift)> watched_{};
  std::array<Object, kMostObjects> objects_;
};

struct PosixState {
  std::atomic<bool> is_recorded{false};  // the user did not switch it off
  WaitTable objects;
  user::AddressMap regions;  // of calls, by function and place
  OnFirstUse<Places> places;
  OnFirstUse<ThreadHandles> handles;
  std::atomic<std::uint32_t> post_region{0};     // of calls of sem_post; 0: not defined yet
  std::atomic<std::uint32_t> threads{0};         // number of threads made so far
  std::atomic<std::uint32_t> made_while_off{0};  // the same, if the user does not want records
  // Threads made before MPI_Init that did not end before it, and how many of them have a record.
  std::atomic<std::uint32_t> early_threads{0}, recorded_early_threads{0};
  // Threads in a row that ended sooner than kShort, by the function that they began with. If there
  // are kMany, later ones are not sampled until one of them lives longer. They would hardly get a
  // sample, but preparing that takes a multiple of the time that making a thread takes.
  static constexpr std::uint32_t kMany = 32;
  static constexpr std::uint64_t kShort = 5'000'000;  // nanoseconds
  std::array<std::atomic<std::uint32_t>, 64> short_threads{};
  std::atomic<std::uint64_t> without_room{0};  // waits for objects that are not in the table
  std::array<std::atomic<void*>, 48> next{};   // functions of the C library (thread_functions.hpp)
};

}  // namespace latecomer::posix
