// SPDX-License-Identifier: BSD-3-Clause
// Samples that a thread takes of itself, in the handler of a timer's signal.
#pragma once

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "tracer/callpath/stack.hpp"
#include "tracer/sources/samples/signal_buffer.hpp"

namespace latecomer::samples {

// Stands in for a Sampler where the kernel refuses one. Processor time in the kernel counts for the
// function that is in it.
//
// MT: the thread that opened it.
class SignalSampler {
 public:
  SignalSampler() = default;
  SignalSampler(const SignalSampler&) = delete;
  SignalSampler& operator=(const SignalSampler&) = delete;
  ~SignalSampler();

  // Samples the calling thread every `period` nanoseconds of its processor time, with times of a
  // clock, and has room for so many samples, an even number. A thread has one at a time. Returns 0
  // or an errno; EBUSY: the program handles the signal itself. Throws std::bad_alloc.
  int open(std::uint64_t period, clockid_t clock, std::size_t room);

  // As SignalBuffer's. Only if opened.
  [[nodiscard]] std::uint64_t* numbers() { return buffer_->numbers(); }
  [[nodiscard]] std::uint64_t taken() const { return buffer_->taken(); }

  // Calls use(sample, nanoseconds that it stands for) for all samples so far. The kernel looks at
  // such timers a few hundred times per second only, so samples stand for different times. To have
  // few of these, they are powers of two, in periods; the rest counts for the next sample.
  template <typename Use>
  void take(Use&& use) {
    if (!buffer_) return;
    buffer_->take([&](const OwnSample& sample) {
      owed_ += sample.weight;
      const std::uint64_t periods = std::bit_floor(std::clamp<std::uint64_t>(
          owed_ / period_, 1, std::max<std::uint64_t>(kMostTime / period_, 1)));
      owed_ -= std::min(owed_, periods * period_);
      use(sample.raw, periods * period_);
    });
  }

 private:
  // Half an hour, which is nearly the most that a record of a sample can say.
  static constexpr std::uint64_t kMostTime = std::uint64_t{1800} * 1'000'000'000;

  static void handle(int number, siginfo_t* info, void* context);
  void sample(const void* context);
  void arm() const;

  std::optional<SignalBuffer> buffer_;  // none: not opened
  callpath::StackBounds stack_;
  timer_t timer_{};
  std::uint64_t period_ = 1;
  clockid_t clock_ = CLOCK_MONOTONIC;
  std::uint64_t owed_ = 0;  // nanoseconds
};

}  // namespace latecomer::samples
