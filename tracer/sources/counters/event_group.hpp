// SPDX-License-Identifier: BSD-3-Clause
// Hardware counters of a thread, which it reads itself without a system call.
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "archive/counter_names.hpp"

namespace latecomer::counters {

// A value of a counter. If counters take turns, it is the part that was seen, scaled to the whole
// time.
struct EventCount {
  std::uint64_t value = 0;
  bool is_scaled = false;
};

// Reads the value of a counter from its page, which the kernel may change meanwhile. The processor
// has what was counted since the kernel's last change (perf_event_open(2), struct
// perf_event_mmap_page).
[[nodiscard]] EventCount read_count(const volatile perf_event_mmap_page& page);

// Counters that count together, outside of the kernel. There is no descriptor: the mapping of the
// page keeps a counter alive.
// MT: the thread that opened it.
class EventGroup {
 public:
  EventGroup() = default;
  ~EventGroup();
  EventGroup(const EventGroup&) = delete;
  EventGroup& operator=(const EventGroup&) = delete;

  // Opens those of the counters that are events. Returns 0, an errno, or CounterState::kNotReadable
  // if reading them would take a system call.
  int open(std::span<const ChosenCounter> counters);

  // Puts the values into `values`, one for each event, in their order. They never get less.
  void read(std::span<std::uint64_t> values);
  [[nodiscard]] std::size_t size() const { return size_; }
  // True if a value that was read is scaled.
  [[nodiscard]] bool is_scaled() const { return is_scaled_; }

 private:
  std::array<perf_event_mmap_page*, kMostCounters> pages_{};
  std::array<std::uint64_t, kMostCounters> last_{};
  std::size_t size_ = 0;
  bool is_scaled_ = false;
};

}  // namespace latecomer::counters
