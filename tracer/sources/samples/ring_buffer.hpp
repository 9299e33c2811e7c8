// SPDX-License-Identifier: BSD-3-Clause
// A ring buffer to which the kernel writes records of software events (perf_event_open(2)).
#pragma once

#include <linux/perf_event.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace latecomer::samples {

// The bytes of a record may be in the buffer, so it lasts until the next one.
struct RawRecord {
  std::uint32_t type = 0;
  std::uint16_t misc = 0;
  std::span<const std::byte> bytes;  // without the header

  // A word at an offset in bytes; 0 if the record ends before.
  [[nodiscard]] std::uint64_t word(std::size_t at) const;
};

// Attributes of a software event of the calling thread, with times of a clock. Nobody waits for
// the buffer, so the kernel need not wake anybody up.
[[nodiscard]] perf_event_attr software_event(std::uint64_t event, clockid_t clock);

// Opens an event of the calling thread. Users who may not see the kernel get the event without it;
// `a` says so then. Returns a file descriptor, or -1 with errno.
[[nodiscard]] int open_event(perf_event_attr& a);

// MT: the thread that opened the event.
class RingBuffer {
 public:
  static constexpr std::size_t kPage = 4096;

  RingBuffer() = default;
  RingBuffer(const RingBuffer&) = delete;
  RingBuffer& operator=(const RingBuffer&) = delete;
  ~RingBuffer();

  // Maps the buffer of an event. `pages` is a power of two; it is halved while the kernel has no
  // memory for that many, but not below `least` bytes. The mapping keeps the event after its file
  // descriptor is closed. Returns 0 or an errno.
  int map(int event, std::size_t pages, std::size_t least);

  // Number of bytes that the kernel has written so far, which changes at any time; after it the
  // number of bytes that were taken out. Only if mapped.
  [[nodiscard]] std::uint64_t* head_and_tail() const;

  // Begins to take out what has been written until now, and gives the room back at the end.
  void begin();
  void end();
  // Takes the next record out; none: nothing is left.
  [[nodiscard]] std::optional<RawRecord> next();

  [[nodiscard]] std::uint64_t taken() const { return at_; }
  // True if at begin() there was no room for a record of so many bytes.
  [[nodiscard]] bool was_full(std::size_t bytes) const { return filled_ + bytes >= size_; }

 private:
  [[nodiscard]] std::span<const std::byte> bytes_at(std::uint64_t at, std::size_t size);

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;  // bytes
  std::size_t size_ = 0;    // bytes of the buffer itself
  std::uint64_t at_ = 0, until_ = 0, filled_ = 0;
  std::vector<std::byte> whole_;  // a record that reaches from the end of the buffer to its begin
};

}  // namespace latecomer::samples
