// SPDX-License-Identifier: BSD-3-Clause
// The memory in which a signal handler leaves samples of its thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracer/sources/samples/perf_ring.hpp"

namespace latecomer::samples {

// A sample with the memory for its stack.
struct OwnSample {
  RawSample raw;
  std::uint64_t weight = 0;  // nanoseconds of processor time that it stands for
  std::array<std::byte, PerfRing::kStackBytes> stack;
};

// A full buffer thins itself: each second sample stays, with the weight of both, and from then on
// only each second signal becomes a sample. So a stretch of any length is sampled to its end:
//
//   room for 4:   1 2 3 4     2   4   6   8         4       8      12
//   weights:      1 1 1 1     2   2   2   2         4       4       4
//
// MT: one thread, which add() interrupts at any time. Samples that come while others are taken out
// are left out; their time counts for the next one.
class SignalBuffer {
 public:
  // Allocates; `room` is the number of samples, an even one.
  explicit SignalBuffer(std::size_t room) : samples_(room), order_(room) {
    for (std::size_t i = 0; i < room; ++i) order_[i] = i;
  }

  // Two numbers: samples added so far, and those of them to leave out. The owner
  // may make the second number equal to the first one at any time.
  [[nodiscard]] std::uint64_t* numbers() { return numbers_.data(); }
  // Number of samples added when they were taken out last.
  [[nodiscard]] std::uint64_t taken() const { return taken_; }

  // The weight of the next sample counts from this processor time of the thread on.
  void count_from(std::uint64_t used) { weighed_ = seen_ = used; }

  // Calls fill(RawSample&, stack) for a sample at so much processor time of the thread, or leaves
  // it out. Safe in a signal handler if fill() is.
  template <typename Fill>
  void add(std::uint64_t used, Fill&& fill) {
    if (busy_.load(std::memory_order_relaxed)) return;
    if (are_forgotten()) clear();
    seen_ = used;
    if (count_ == samples_.size()) thin();
    if (++skipped_ < stride_) return;
    skipped_ = 0;
    OwnSample& sample = samples_[order_[count_]];
    sample.weight = used - std::exchange(weighed_, used);
    fill(sample.raw, sample.stack);
    ++count_;
    std::atomic_ref(numbers_[0]).store(numbers_[0] + 1, std::memory_order_release);
  }

  // Calls use(const OwnSample&) for all samples, in the order of time, and leaves none.
  template <typename Use>
  void take(Use&& use) {
    const Busy busy(*this);
    if (count_ == 0 || are_forgotten()) return;
    // Signals after the last sample that were to be skipped count for it.
    samples_[order_[count_ - 1]].weight += seen_ - weighed_;
    for (std::size_t i = 0; i < count_; ++i) use(std::as_const(samples_[order_[i]]));
  }

 private:
  class Busy {
   public:
    explicit Busy(SignalBuffer& buffer) : buffer_(buffer) {
      buffer_.busy_.store(true, std::memory_order_relaxed);
      std::atomic_signal_fence(std::memory_order_seq_cst);
    }
    ~Busy() {
      buffer_.numbers_[1] = buffer_.taken_ = buffer_.numbers_[0];
      buffer_.clear();
      std::atomic_signal_fence(std::memory_order_seq_cst);
      buffer_.busy_.store(false, std::memory_order_relaxed);
    }
    Busy(const Busy&) = delete;
    Busy& operator=(const Busy&) = delete;

   private:
    SignalBuffer& buffer_;
  };

  // add() first drops forgotten samples, so either all samples are forgotten or none.
  [[nodiscard]] bool are_forgotten() const { return numbers_[1] != forgotten_; }

  void clear() {
    count_ = skipped_ = 0;
    stride_ = 1;
    weighed_ = seen_;
    forgotten_ = numbers_[1];
  }

  // Samples do not move, only their numbers do: those that stay go to the front.
  void thin() {
    for (std::size_t i = 0; i < count_ / 2; ++i) {
      samples_[order_[2 * i + 1]].weight += samples_[order_[2 * i]].weight;
      std::swap(order_[i], order_[2 * i + 1]);
    }
    count_ /= 2;
    stride_ *= 2;
  }

  std::vector<OwnSample> samples_;
  std::vector<std::size_t> order_;  // of samples_; the first count_ are in use
  std::size_t count_ = 0;
  std::uint64_t stride_ = 1, skipped_ = 0;  // signals per sample; since the last one
  std::uint64_t weighed_ = 0, seen_ = 0;    // processor time of the last sample, and signal
  std::uint64_t taken_ = 0;
  std::array<std::uint64_t, 2> numbers_{};
  std::uint64_t forgotten_ = 0;  // numbers_[1] when it was looked at last
  std::atomic<bool> busy_{false};
};

}  // namespace latecomer::samples
