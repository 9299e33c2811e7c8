// SPDX-License-Identifier: BSD-3-Clause
// The ring buffers of a thread. Their samples come out in the order of time.
#pragma once

#include <time.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/sources/samples/perf_ring.hpp"

namespace latecomer::samples {

// The slower rings go on where the faster one was full. So a long stretch without an MPI call is
// sampled to its end, only at a lower rate:
//
//   every 10 ms     |||||||||||                            full
//   every 100 ms    .    .    |    |    |    |             . not used, since the first one has them
//
// MT: the thread that opened it.
class Sampler {
 public:
  // Returns 0 or an errno; then no sample comes. `period`: nanoseconds of the first ring. The rings
  // have a `part`-th of their usual size.
  int open(std::uint64_t period, clockid_t clock, std::size_t part = 1);

  // Number of bytes in the first ring, with which the owner sees that there are samples.
  [[nodiscard]] const std::uint64_t* written() const { return rings_[0].written(); }

  // Calls use(sample, period) for all samples so far; the period is in nanoseconds.
  template <typename Use>
  void take(Use&& use) {
    std::uint64_t seen = 0;  // time up to which faster rings have all samples
    bool blind = true;       // they were full after that
    std::uint64_t period = period_;
    for (std::size_t i = 0; i < open_; ++i, period *= factor_) {
      PerfRing& ring = rings_[i];
      ring.begin();
      while (const auto sample = ring.next()) {
        if (!blind || sample->time < seen) continue;
        use(*sample, period);
        seen = sample->time;
      }
      blind = blind && ring.was_full();
      // The kernel tells of losses with the next sample only, which may never come.
      if (i + 1 == open_) lost_ = std::max(lost_ + (blind ? 1 : 0), ring.lost());
      ring.end();
    }
  }

  // Bytes that were taken out of the first ring.
  [[nodiscard]] std::uint64_t taken() const { return rings_[0].taken(); }
  // True if processor time in the kernel is not sampled, since the user may not see it.
  [[nodiscard]] bool without_kernel() const { return rings_[0].without_kernel(); }
  // Samples that even the slowest ring had no room for.
  [[nodiscard]] std::uint64_t lost() const { return lost_; }

 private:
  static constexpr std::size_t kRings = 4;
  // Half a megabyte and a page is what a user may lock per processor by default.
  static constexpr std::array<std::size_t, kRings> kPages = {64, 16, 8, 8};

  std::array<PerfRing, kRings> rings_;
  std::size_t open_ = 0;
  std::uint64_t period_ = 0, factor_ = 10;  // of the first ring; from one ring to the next
  std::uint64_t lost_ = 0;
};

}  // namespace latecomer::samples
