// SPDX-License-Identifier: BSD-3-Clause
// Arrival times of packets: latency, bandwidth, jitter, order.
#include "tests/testbed/router/link.hpp"

#include <catch2/catch.hpp>
#include <cmath>
#include <vector>

using namespace latecomer::testbed;

TEST_CASE("latency alone") {
  Link link({500'000, 0, 0}, 1);
  CHECK(link.arrival(0, 9000) == 500'000);
  CHECK(link.arrival(0, 9000) == 500'000);
  CHECK(link.arrival(7, 1) == 500'007);
}

TEST_CASE("packets wait for the wire") {
  // 1250 bytes are 10,000 bits: 10 us at 1 Gbit/s. The third finds the wire free again.
  Link link({500'000, 0, 1'000'000'000}, 1);
  CHECK(link.arrival(0, 1250) == 510'000);
  CHECK(link.arrival(0, 1250) == 520'000);
  CHECK(link.arrival(25'000, 1250) == 535'000);
}

TEST_CASE("jitter has the standard deviation that was asked for, and the latency as its mean") {
  Link link({1'000'000, 5'000, 0}, 1);
  double sum = 0, squares = 0;
  const int n = 20'000;
  for (int i = 0; i < n; ++i) {
    const Nanoseconds now = i * Nanoseconds{10'000'000};  // far apart, so that order never matters
    const double travel = static_cast<double>(link.arrival(now, 100) - now) - 1e6;
    sum += travel;
    squares += travel * travel;
  }
  // Standard errors: of the mean 5000/sqrt(20000) = 35, of the deviation 5000/sqrt(40000) = 25.
  CHECK(std::abs(sum / n) < 150);
  CHECK(std::abs(std::sqrt(squares / n) - 5000) < 110);
}

TEST_CASE("packets do not overtake and do not arrive before they are sent") {
  Link link({10'000, 50'000, 0}, 3);
  Nanoseconds last = 0;
  for (Nanoseconds now = 0; now < 5'000'000; now += 1'000) {
    const Nanoseconds arrival = link.arrival(now, 100);
    CHECK(arrival >= last);
    CHECK(arrival >= now);
    last = arrival;
  }
}

TEST_CASE("the same seed gives the same jitter, another one another") {
  const auto arrivals = [](std::uint64_t seed) {
    Link link({1'000'000, 5'000, 0}, seed);
    std::vector<Nanoseconds> found;
    for (int i = 0; i < 10; ++i) found.push_back(link.arrival(i * Nanoseconds{10'000'000}, 1));
    return found;
  };
  CHECK(arrivals(1) == arrivals(1));
  CHECK(arrivals(1) != arrivals(2));
}
