// SPDX-License-Identifier: BSD-3-Clause
// A ring buffer to which the kernel writes samples of the thread that opened it.
#pragma once

#include <time.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "archive/mapping.hpp"

namespace latecomer::samples {

// A sample, as the kernel took it. The stack may be in the buffer, so it lasts until the next one.
struct RawSample {
  // The general registers in the order of perf's numbers on x86-64: ax bx cx dx si di bp sp ip,
  // then r8 to r15.
  static constexpr std::size_t kRegisters = 17;

  std::uint64_t time = 0;  // nanoseconds of the ring's clock
  std::array<std::uint64_t, kRegisters> registers{};
  std::span<const std::byte> stack;  // from the stack pointer upwards
};

// MT: the thread that opened it.
class PerfRing {
 public:
  static constexpr std::size_t kStackBytes = 4096;

  PerfRing() = default;
  PerfRing(const PerfRing&) = delete;
  PerfRing& operator=(const PerfRing&) = delete;
  ~PerfRing();

  // Samples the calling thread every `period` nanoseconds of its processor time. `pages` is a power
  // of two; it is halved while the kernel has no memory for that many. Returns 0 or an errno.
  int open(std::uint64_t period, std::size_t pages, clockid_t clock);

  // Number of bytes that the kernel has written so far; it changes at any time. Only if opened.
  [[nodiscard]] const std::uint64_t* written() const;

  // Takes the next sample out; none: nothing is left.
  [[nodiscard]] std::optional<RawSample> next();
  // True if the last records left no room for another sample before they were taken out.
  [[nodiscard]] bool was_full() const { return was_full_; }
  // Begins to take out what has been written until now, and gives the room back at the end.
  void begin();
  void end();

  [[nodiscard]] std::uint64_t taken() const { return at_; }
  // Samples for which there was no room, as far as the kernel has said.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  [[nodiscard]] std::span<const std::byte> bytes_at(std::uint64_t at, std::size_t size);

  std::byte* mapping_ = nullptr;
  std::size_t mapped_ = 0;  // bytes
  std::size_t size_ = 0;    // bytes of the buffer itself
  std::uint64_t at_ = 0, until_ = 0;
  std::uint64_t lost_ = 0;
  bool was_full_ = false;
  std::vector<std::byte> whole_;  // a record that reaches from the end of the buffer to its begin
};

}  // namespace latecomer::samples
