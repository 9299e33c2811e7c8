// SPDX-License-Identifier: BSD-3-Clause
// Offset measurement on simulated links, quiet and disturbed.
#include "sync/offset.hpp"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <random>
#include <vector>

using namespace latecomer::sync;

namespace {

// A link with given one-way times; the remote clock is `ahead` of ours.
class Link {
 public:
  explicit Link(Nanoseconds ahead) : ahead_(ahead) {}

  Round round(Nanoseconds there, Nanoseconds back) {
    Round r;
    r.sent = now_;
    r.remote = now_ + there + ahead_;
    r.received = now_ + there + back;
    now_ = r.received + 100;
    ++rounds_;
    return r;
  }
  [[nodiscard]] int rounds() const { return rounds_; }

 private:
  Nanoseconds ahead_;
  Nanoseconds now_ = 1'000'000;
  int rounds_ = 0;
};

}  // namespace

TEST_CASE("a symmetric link gives the exact offset with the fewest rounds") {
  // The remote clock is 5000 ahead, so 5000 have to be subtracted.
  Link link(5000);
  const Offset o = measure_offset([&] { return link.round(200, 200); }, Limits{});
  CHECK(o.offset == -5000);
  CHECK(o.error == 200);
  CHECK(o.round_trip == 400);
  CHECK(o.rounds == Limits{}.fewest);
  CHECK(o.settled);
  CHECK(o.mean == 200);
  CHECK(o.deviation == 0);
}

TEST_CASE("latencies are halves of the round trips that nothing disturbed") {
  // There are nine round trips of 400, and one of 600: mean 210, deviation sqrt(0.9 * 10^2 + 0.1 *
  // 90^2) = 30
  Link link(0);
  Limits limits;
  limits.fewest = 11;
  const Offset o = measure_offset(
      [&] {
        if (link.rounds() == 5) return link.round(40'000, 200);
        return link.rounds() == 3 ? link.round(300, 300) : link.round(200, 200);
      },
      limits);
  CHECK(o.rounds == 11);
  CHECK(o.mean == 210);
  CHECK(o.deviation == 30);
}

TEST_CASE("an asymmetric round is wrong by half the difference, within its bound") {
  // There 300, back 100: the middle of the round is 100 before the true time of the remote stamp.
  Link link(0);
  const Offset o = measure_offset([&] { return link.round(300, 100); }, Limits{});
  CHECK(o.offset == -100);
  CHECK(std::abs(o.offset) <= o.error);
}

TEST_CASE("rounds go on until the best one is confirmed") {
  // Two of three rounds contain a scheduling quantum of 1 to 4 ms, in one direction only.
  std::mt19937 random(7);
  std::uniform_int_distribution<int> quantum(1'000'000, 4'000'000);
  Link link(123'456);
  Limits limits;
  limits.time = 10'000'000'000;
  const Offset o = measure_offset(
      [&] {
        const int kind = static_cast<int>(random() % 20);
        if (kind == 0) return link.round(1000, 1000);
        return kind % 2 == 0 ? link.round(1000 + quantum(random), 1000)
                             : link.round(1000, 1000 + quantum(random));
      },
      limits);
  CHECK(o.settled);
  CHECK(o.offset == -123'456);
  CHECK(o.rounds > limits.fewest);
}

TEST_CASE("a round trip that is much longer than one seen before is not believed") {
  Link link(0);
  Limits limits;
  limits.smallest_seen = 2000;
  limits.most = 50;
  const Offset o = measure_offset([&] { return link.round(90'000, 10'000); }, limits);
  CHECK_FALSE(o.settled);
  CHECK(o.rounds == 50);
  CHECK(o.error == 50'000);  // and the bound says how bad it is
}

TEST_CASE("limits of count and time end the measurement") {
  std::mt19937 random(3);
  Link link(0);
  Limits limits;
  SECTION("count") {
    limits.most = 33;
    limits.time = 1'000'000'000'000;
  }
  SECTION("time") {
    limits.most = 1'000'000;
    limits.time = 40'000'000;
  }
  // Every round trip is shorter than the one before, so none is ever confirmed.
  Nanoseconds trip = 2'000'000'000;
  const Offset o = measure_offset(
      [&] {
        trip = trip * 2 / 3 + 1;
        return link.round(trip / 2, trip / 2);
      },
      limits);
  CHECK_FALSE(o.settled);
  CHECK(o.rounds == link.rounds());
  CHECK(o.rounds <= 33);
}
