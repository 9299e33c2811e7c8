// SPDX-License-Identifier: BSD-3-Clause
// Opens the ring buffers of a thread, as many as the kernel allows.
#include "tracer/sources/samples/sampler.hpp"

namespace latecomer::samples {

int Sampler::open(std::uint64_t period, clockid_t clock) {
  period_ = period;
  for (std::size_t i = 0; i < kRings; ++i, period *= kFactor) {
    const int error = rings_[i].open(period, kPages[i], clock);
    if (error != 0) return i == 0 ? error : 0;
    ++open_;
  }
  return 0;
}

}  // namespace latecomer::samples
