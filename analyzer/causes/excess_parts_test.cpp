// SPDX-License-Identifier: BSD-3-Clause
// Parts of an excess: longer on the cause than on the waiter, in the same stretch.
#include "analyzer/causes/excess_parts.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>

using namespace latecomer::causes;

namespace {

// Ticks preempted and blocked, if all of the excess is charged.
std::pair<std::int64_t, std::int64_t> without_core(std::int64_t excess, std::int64_t waited,
                                                   const TimePart& cause, const TimePart& waiter) {
  ExcessParts sums;
  add_charged(sums, parts_of_excess(excess, waited, cause, waiter), excess, 1, 1);
  return {sums.preempted, sums.blocked};
}

}  // namespace

TEST_CASE("an excess is divided by what is longer on the cause") {
  using Ticks = std::pair<std::int64_t, std::int64_t>;
  // Cause: 10, of which 1 without a core and 7 blocked. Waiter: 4, of which 2 blocked. So the cause
  // is longer by 1 without a core, and 5 blocked; both were on a core for 2.
  CHECK(without_core(6, 4, {.preempted = 1, .blocked = 7}, {.blocked = 2}) == Ticks{1, 5});
  // Cause: 10, of which 8 without a core. Waiter: 4 on a core. What is longer is 8, so all of the
  // excess is for want of a core.
  CHECK(without_core(6, 4, {.preempted = 8}, {}) == Ticks{6, 0});
  // The waiter was blocked longer: the cause is longer on a core only.
  CHECK(without_core(3, 4, {.blocked = 1}, {.blocked = 3}) == Ticks{0, 0});
  // Cause: 9, of which 3 without a core, 3 blocked and 3 on one. The waiter did nothing there.
  CHECK(without_core(9, 0, {.preempted = 3, .blocked = 3}, {}) == Ticks{3, 3});
}

TEST_CASE("more time without a core than there was is left out") {
  // Of the cause's 6 there are 4 without a core, so the other 2 are blocked.
  CHECK(without_core(6, 0, {.preempted = 4, .blocked = 100}, {.preempted = 50}) ==
        std::pair<std::int64_t, std::int64_t>{4, 2});
}

TEST_CASE("samples and instructions of both sides") {
  // Cause: 3 samples of 10 us, one of them in the kernel; 30 * 30 / 3 = 300 square microseconds.
  // Waiter: one of 10 us, 100. Instructions were executed in the 8 and 5 ticks on a core.
  const auto parts = parts_of_excess(
      4, 5, {.preempted = 1, .user = 20'000, .kernel = 10'000, .samples = 3, .instructions = 90},
      {.user = 10'000, .samples = 1, .instructions = 40});
  CHECK(parts.variance == 400);
  CHECK(parts.cause.user == 20'000);
  CHECK(parts.cause.kernel == 10'000);
  CHECK(parts.waiter.user == 10'000);
  CHECK(parts.cause.instructions == 90);
  CHECK(parts.cause.ticks == 8);
  CHECK(parts.waiter.instructions == 40);
  CHECK(parts.waiter.ticks == 5);
}

TEST_CASE("parts of what was charged for an excess") {
  // Of an excess of 6 in a delay of 12 the cause was without a core for 1 and blocked for 5. The
  // delay costs 4, of which 2 are for this call path. Of the 2, 1/6 and 5/6 are 0 and 2. A cost of
  // a third of its length is charged for each value, and a ninth of the variance.
  const ExcessParts parts{.preempted = 1,
                          .blocked = 5,
                          .longer = 6,
                          .cause = {30, 60, 9, 12},
                          .waiter = {6, 0, 3, 3},
                          .variance = 90};
  ExcessParts sums;
  add_charged(sums, parts, 2, 4, 12);
  CHECK(sums.preempted == 0);
  CHECK(sums.blocked == 2);
  CHECK(sums.cause.user == 10);
  CHECK(sums.cause.kernel == 20);
  CHECK(sums.cause.instructions == 3);
  CHECK(sums.cause.ticks == 4);
  CHECK(sums.waiter.user == 2);
  CHECK(sums.waiter.ticks == 1);
  CHECK(sums.variance == 10);
  add(sums, sums);
  CHECK(sums.blocked == 4);
  CHECK(sums.cause.user == 20);
}

TEST_CASE("a place that was charged") {
  // A third of each time, and a ninth of the variances.
  ComparedPlace sums;
  add_charged(sums, {30, 6, 90, 18}, 4, 12);
  CHECK(sums.cause == 10);
  CHECK(sums.waiter == 2);
  CHECK(sums.cause_variance == 10);
  CHECK(sums.waiter_variance == 2);
  add(sums, sums);
  CHECK(sums.cause == 20);
  CHECK(sums.waiter_variance == 4);
}

TEST_CASE("parts are not negative, and no more than the whole") {
  std::mt19937_64 random(11);
  const auto any = [&] { return static_cast<std::int64_t>(random() >> (3 + random() % 61)); };
  for (int i = 0; i < 2000; ++i) {
    const auto excess = any() / 4 + 1, waited = any() / 4;
    const TimePart cause{.preempted = any(), .blocked = any()},
        waiter{.preempted = any(), .blocked = any()};
    const auto parts = parts_of_excess(excess, waited, cause, waiter);
    const auto charged = any();
    ExcessParts sums;
    add_charged(sums, parts, charged, 1, 1);
    REQUIRE(sums.preempted >= 0);
    REQUIRE(sums.blocked >= 0);
    REQUIRE(sums.preempted + sums.blocked <= charged);
  }
}
