// SPDX-License-Identifier: BSD-3-Clause
// One direction of a link between two hosts: computes when a packet arrives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>

namespace latecomer::testbed {

using Nanoseconds = std::int64_t;

struct LinkSpec {
  Nanoseconds latency = 0;           // mean, one way
  Nanoseconds jitter = 0;            // standard deviation of the latency
  std::int64_t bits_per_second = 0;  // 0: unlimited
};

// Packets enter the wire one after another, travel for latency + jitter and never overtake:
//   1 Gbit/s, 500 us: two packets of 1250 bytes (10 us each) sent at 0 arrive at 510 and 520 us
class Link {
 public:
  Link(const LinkSpec& spec, std::uint64_t seed);

  // Arrival of a packet that is sent now. Calls must be in the order of time.
  [[nodiscard]] Nanoseconds arrival(Nanoseconds now, std::size_t bytes);

 private:
  LinkSpec spec_;
  Nanoseconds wire_free_ = 0;
  Nanoseconds last_arrival_ = 0;
  std::mt19937_64 random_;
  std::normal_distribution<double> normal_;
};

}  // namespace latecomer::testbed
