// SPDX-License-Identifier: BSD-3-Clause
// Opens the ring buffers of a thread, as many as the kernel allows.
#include "tracer/sources/samples/sampler.hpp"

#include <algorithm>
#include <cmath>

namespace latecomer::samples {

int Sampler::open(std::uint64_t period, clockid_t clock, std::size_t part) {
  // The slowest ring has a sample in ten seconds, or a thousandth of the rate of the first one. So
  // all rings together last for more than a minute.
  constexpr double kSlowest = 1e10;
  period_ = period;
  factor_ = std::max(factor_,
                     static_cast<std::uint64_t>(std::cbrt(kSlowest / static_cast<double>(period))));
  for (std::size_t i = 0; i < kRings; ++i, period *= factor_) {
    const int error = rings_[i].open(period, kPages[i] / part, clock);
    if (error != 0) return i == 0 ? error : 0;
    ++open_;
  }
  return 0;
}

}  // namespace latecomer::samples
