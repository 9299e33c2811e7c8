// SPDX-License-Identifier: BSD-3-Clause
// Waits of POSIX threads for signals, unlocks, barriers and ends of threads of one process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "analyzer/booking/booking.hpp"
#include "analyzer/waits/thread_links.hpp"

namespace latecomer::replay {

// Mutexes are locks like those of OpenMP (thread_waits.hpp).
class PosixWaits {
 public:
  PosixWaits(Booking& booking, ThreadLinks& links, bool compatible)
      : booking_(booking), links_(links), compatible_(compatible) {}

  // Takes an event of a location. Those of a location come in their order.
  void take(std::size_t location, const trace::ThreadEvent& event);

  // A thread was made, or threads met at a barrier.
  struct Meeting {
    trace::Ticks time = 0;
    std::uint32_t barrier = 0;  // 0: a thread was made
    std::uint32_t number = 0;   // of the thread, or of the round
    friend auto operator<=>(const Meeting&, const Meeting&) = default;
  };
  // In the order of time; after all events.
  [[nodiscard]] std::vector<Meeting> meetings() const;
  // Books the waits of a meeting. All are in step afterwards.
  void meet(const Meeting& meeting);
  // Books all other waits.
  void book();

 private:
  struct At {
    std::size_t location = 0;
    const trace::ThreadEvent* event = nullptr;
  };
  using Key = std::pair<std::uint32_t, std::uint32_t>;  // object, number

  [[nodiscard]] trace::Ticks latest(const std::vector<At>& met) const;
  void wait(const At& waiter, const At& waker);
  void make(std::uint32_t number);
  void barrier(const std::vector<At>& met);

  Booking& booking_;
  ThreadLinks& links_;
  const bool compatible_;
  std::map<std::uint32_t, At> created_, begun_, ended_;  // by number of the thread
  std::map<Key, At> wakes_;
  std::map<Key, std::vector<At>> rounds_;
  std::vector<At> woken_, joined_;
  std::map<std::size_t, trace::Ticks> idle_since_;  // end of the last thread, by location
};

}  // namespace latecomer::replay
