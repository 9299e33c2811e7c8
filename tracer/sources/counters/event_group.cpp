// SPDX-License-Identifier: BSD-3-Clause
// Opens perf events as one group, and reads their pages.
#include "tracer/sources/counters/event_group.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>

#include "tracer/state/session_state.hpp"

namespace latecomer::counters {
namespace {

constexpr std::size_t kPageBytes = 4096;

int open_in_group(const ChosenCounter& counter, int leader) {
  perf_event_attr a{};
  a.size = sizeof a;
  a.type = static_cast<std::uint32_t>(counter.source);
  a.config = counter.config;
  a.exclude_kernel = 1;
  a.exclude_hv = 1;
  return static_cast<int>(syscall(SYS_perf_event_open, &a, 0, -1, leader,
                                  static_cast<unsigned long>(PERF_FLAG_FD_CLOEXEC)));
}

// What the processor counted, a number of `bits` bits with a sign.
std::uint64_t hardware_count([[maybe_unused]] std::uint32_t counter, unsigned bits) {
#if defined(__x86_64__)
  const unsigned unused = 64 - std::clamp(bits, 1U, 64U);
  const auto raw =
      static_cast<std::int64_t>(__builtin_ia32_rdpmc(static_cast<int>(counter)) << unused);
  return static_cast<std::uint64_t>(raw >> unused);
#else
  return 0;
#endif
}

bool is_readable([[maybe_unused]] const perf_event_mmap_page& page) {
#if defined(__x86_64__)
  return page.cap_user_rdpmc != 0;
#else
  return false;
#endif
}

}  // namespace

EventCount read_count(const volatile perf_event_mmap_page& page) {
  std::uint64_t value = 0, enabled = 0, running = 0;
  std::uint32_t lock = 0;
  do {
    lock = page.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);
    enabled = page.time_enabled;
    running = page.time_running;
    value = static_cast<std::uint64_t>(page.offset);
    const std::uint32_t index = page.index;  // 0: not on the processor now
    if (index != 0 && page.cap_user_rdpmc != 0) {
      value += hardware_count(index - 1, page.pmc_width);
    }
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } while (page.lock != lock);
  if (running == 0 || running >= enabled) return {value, false};
  const double share = static_cast<double>(running) / static_cast<double>(enabled);
  return {static_cast<std::uint64_t>(static_cast<double>(value) / share), true};
}

EventGroup::~EventGroup() {
  for (std::size_t i = 0; i < size_; ++i) munmap(pages_[i], kPageBytes);
}

int EventGroup::open(std::span<const ChosenCounter> counters) {
  std::array<int, kMostCounters> events{};
  std::size_t opened = 0;
  int error = 0;
  for (const ChosenCounter& counter : counters) {
    if (counter.is_usage() || opened == events.size()) continue;
    const int event = open_in_group(counter, opened == 0 ? -1 : events[0]);
    if (event < 0) {
      error = errno;
      break;
    }
    events[opened++] = event;
    void* const page = mmap(nullptr, kPageBytes, PROT_READ, MAP_SHARED, event, 0);
    if (page == MAP_FAILED) {
      error = errno;
      break;
    }
    pages_[size_++] = static_cast<perf_event_mmap_page*>(page);
    if (!is_readable(*pages_[size_ - 1])) {
      error = session::CounterState::kNotReadable;
      break;
    }
  }
  for (std::size_t i = 0; i < opened; ++i) close(events[i]);
  return error;
}

void EventGroup::read(std::span<std::uint64_t> values) {
  for (std::size_t i = 0; i < std::min(size_, values.size()); ++i) {
    const EventCount count = read_count(*pages_[i]);
    is_scaled_ = is_scaled_ || count.is_scaled;
    last_[i] = std::max(last_[i], count.value);  // a scale may have changed
    values[i] = last_[i];
  }
}

}  // namespace latecomer::counters
