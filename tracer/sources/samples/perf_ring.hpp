// SPDX-License-Identifier: BSD-3-Clause
// A ring buffer to which the kernel writes samples of the thread that opened it.
#pragma once

#include <time.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "tracer/sources/samples/ring_buffer.hpp"

namespace latecomer::samples {

// A sample, as the kernel took it. The stack may be in the buffer, so it lasts until the next one.
struct RawSample {
  // The general registers in the order of perf's numbers on x86-64: ax bx cx dx si di bp sp ip,
  // then r8 to r15.
  static constexpr std::size_t kRegisters = 17;

  std::uint64_t time = 0;  // nanoseconds of the ring's clock
  bool in_kernel = false;  // as in a system call or page fault; the registers are those before it
  std::array<std::uint64_t, kRegisters> registers{};
  std::span<const std::byte> stack;  // from the stack pointer upwards
};

// MT: the thread that opened it.
class PerfRing {
 public:
  static constexpr std::size_t kStackBytes = 4096;
  // Bytes of a sample: header, time, registers with the kind of process, stack with its sizes.
  static constexpr std::size_t kSampleBytes =
      sizeof(perf_event_header) + 8 + 8 + 8 * RawSample::kRegisters + 8 + kStackBytes + 8;

  // Samples the calling thread every `period` nanoseconds of its processor time. `pages` is a power
  // of two; it is halved while the kernel has no memory for that many. Returns 0 or an errno.
  int open(std::uint64_t period, std::size_t pages, clockid_t clock);

  // Number of bytes that the kernel has written so far; it changes at any time. Only if opened.
  [[nodiscard]] const std::uint64_t* written() const { return ring_.head_and_tail(); }

  // Takes the next sample out; none: nothing is left.
  [[nodiscard]] std::optional<RawSample> next();
  // True if the last records left no room for another sample before they were taken out.
  [[nodiscard]] bool was_full() const { return ring_.was_full(kSampleBytes); }
  void begin() { ring_.begin(); }
  void end() { ring_.end(); }

  [[nodiscard]] std::uint64_t taken() const { return ring_.taken(); }
  // Samples for which there was no room, as far as the kernel has said.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }
  // True if processor time in the kernel is not sampled, since the user may not see it.
  [[nodiscard]] bool without_kernel() const { return without_kernel_; }

 private:
  RingBuffer ring_;
  std::uint64_t lost_ = 0;
  bool without_kernel_ = false;
};

}  // namespace latecomer::samples
