// SPDX-License-Identifier: BSD-3-Clause
// Serialization, delay and jitter of packets.
#include "tests/testbed/router/link.hpp"

#include <algorithm>
#include <cmath>

namespace latecomer::testbed {

Link::Link(const LinkSpec& spec, std::uint64_t seed) : spec_(spec), random_(seed) {}

Nanoseconds Link::arrival(Nanoseconds now, std::size_t bytes) {
  wire_free_ = std::max(wire_free_, now);
  if (spec_.bits_per_second > 0) {
    wire_free_ += static_cast<Nanoseconds>(static_cast<double>(bytes) * 8e9 /
                                           static_cast<double>(spec_.bits_per_second));
  }
  Nanoseconds travel = spec_.latency;
  if (spec_.jitter > 0) {
    travel += std::llround(normal_(random_) * static_cast<double>(spec_.jitter));
  }
  last_arrival_ = std::max(last_arrival_, wire_free_ + std::max<Nanoseconds>(travel, 0));
  return last_arrival_;
}

}  // namespace latecomer::testbed
