// SPDX-License-Identifier: BSD-3-Clause
// Clock models: the time that they show, the true time at which they show it, and their text.
#include "sync/clock_model.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace latecomer;
using namespace latecomer::sync;

namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

ClockModel model(const char* text) { return ClockModel(parse_clock(text).value()); }

std::string problem(const char* text) {
  const auto spec = parse_clock(text);
  return spec ? "" : spec.problem().what;
}

// The definition of true_time(): at that time the clock shows at least `local`, a tick before it
// did not.
void check_first(const ClockModel& clock, Nanoseconds local) {
  const Nanoseconds t = clock.true_time(local);
  CHECK(clock.local(t) >= local);
  CHECK(clock.local(t - 1) < local);
}

}  // namespace

TEST_CASE("offset and drift") {
  const ClockModel clock = model("offset=-1.5ms drift=12.5ppm");
  CHECK(clock.local(0) == -1'500'000);
  CHECK(clock.local(kSecond) == kSecond - 1'500'000 + 12'500);
  CHECK(clock.local(-kSecond) == -kSecond - 1'500'000 - 12'500);
  CHECK(clock.true_time(kSecond - 1'500'000 + 12'500) == kSecond);
  CHECK(model("").local(123) == 123);
}

TEST_CASE("shares of a tick are rounded down") {
  const ClockModel slow = model("drift=-100000ppm");  // a tenth
  CHECK(slow.local(1) == 0);
  CHECK(slow.local(10) == 9);
  CHECK(slow.local(11) == 9);
  CHECK(slow.true_time(9) == 10);
  CHECK(slow.true_time(10) == 12);
}

TEST_CASE("a jump forward leaves out times, one back shows them again") {
  const ClockModel clock = model("jump=-2us@20us jump=5us@10us");
  CHECK(clock.local(9'999) == 9'999);
  CHECK(clock.local(10'000) == 15'000);
  CHECK(clock.true_time(12'000) == 10'000);  // never shown: the time at which it was passed
  CHECK(clock.local(19'999) == 24'999);
  CHECK(clock.local(20'000) == 23'000);
  CHECK(clock.true_time(23'000) == 18'000);  // shown twice: the first time
  CHECK(clock.true_time(24'999) == 19'999);
  CHECK(clock.true_time(25'000) == 22'000);
}

TEST_CASE("the rate wanders slowly, the same way every time") {
  const ClockModel clock = model("drift=1ppm wander=20ppb/1s seed=7");
  const ClockModel again = model("drift=1ppm wander=20ppb/1s seed=7");
  const ClockModel other = model("drift=1ppm wander=20ppb/1s seed=8");
  const auto rate = [](const ClockModel& c, int second) {
    return c.local((second + 1) * kSecond) - c.local(second * kSecond) - kSecond;
  };
  CHECK(rate(clock, 0) == 1000);
  int differences = 0, changes = 0;
  for (int second = 0; second < 1000; ++second) {
    CHECK(rate(clock, second) == rate(again, second));
    CHECK(std::abs(rate(clock, second + 1) - rate(clock, second)) <= 21);
    if (rate(clock, second) != rate(other, second)) ++differences;
    if (rate(clock, second + 1) != rate(clock, second)) ++changes;
  }
  CHECK(differences > 900);
  CHECK(changes > 900);
  // The result is the same on every machine.
  CHECK(clock.local(1000 * kSecond) == 1'000'000'876'238);
}

TEST_CASE("property: clocks without negative jumps increase, and true_time() is the inverse") {
  std::mt19937_64 random(5);
  const auto number = [&](std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(high - low + 1));
  };
  for (int round = 0; round < 200; ++round) {
    ClockSpec spec;
    spec.offset = number(-kSecond, kSecond);
    spec.drift = number(-100'000'000'000, 100'000'000'000);
    if (round % 2 == 0) {
      spec.wander = number(0, 1'000'000);
      spec.interval = number(1, kSecond);
      spec.seed = random();
    }
    const bool back = round % 4 == 3;
    for (int jumps = round % 5; jumps > 0; --jumps) {
      spec.jumps.push_back({jumps * number(1, kSecond), number(back ? -1'000'000 : 0, 1'000'000)});
    }
    const ClockModel clock(parse_clock(to_text(spec)).value());
    for (int i = 0; i < 100; ++i) {
      const Nanoseconds t = number(-kSecond, 8 * kSecond);
      const Nanoseconds shown = clock.local(t);
      if (!back) {
        CHECK(clock.local(t + 2) > shown);
        CHECK(clock.local(t + 1) >= shown);
      }
      CHECK(clock.true_time(shown) <= t);
      check_first(clock, shown);
      check_first(clock, shown + number(-kSecond, kSecond));
    }
  }
}

TEST_CASE("a clock model survives its text") {
  const char* text =
      "offset=-1500000ns drift=-0.500ppb wander=20.000ppb/1000000000ns seed=7 "
      "jump=5000ns@10000000000ns";
  CHECK(to_text(parse_clock(text).value()) == text);
  const auto spec = parse_clock("drift=-0.0005ppm offset=0 jump=+5us@10s").value();
  CHECK(spec.drift == -500);
  CHECK(spec.jumps.at(0).size == 5000);
}

TEST_CASE("what is no clock model is named") {
  for (const char* text : {"offset", "offset=5", "offset=1.5ns", "offset=x", "drift=20", "drift=-",
                           "drift=20%", "drift=200000ppm", "wander=5ppb", "wander=-5ppb/1s",
                           "wander=5ppb/0", "wander=5ppb/2000000s", "seed=-1", "jump=5us",
                           "jump=5us@0", "speed=3ppm", "offset=99999999999999s", "offset=1.2.3s"}) {
    CHECK(problem(text) == "clock model: '" + std::string(text) + "' is not understood");
  }
}

TEST_CASE("the file of clocks") {
  const char* file =
      "# four nodes\n"
      "\n"
      "n0\n"
      "n1  offset=5us   # fast\n"
      "*   offset=7us\n"
      "n2  offset=8us";
  CHECK(clock_of_node(file, "n0").value()->offset == 0);
  CHECK(clock_of_node(file, "n1").value()->offset == 5000);
  CHECK(clock_of_node(file, "n2").value()->offset == 8000);
  CHECK(clock_of_node(file, "n3").value()->offset == 7000);
  CHECK_FALSE(clock_of_node("n1 offset=5us\n", "n0").value().has_value());
  const auto wrong = clock_of_node("n1 offset=5us\nn2 offset=5\n", "n1");
  REQUIRE_FALSE(wrong.ok());
  CHECK(wrong.problem().what == "line 2: clock model: 'offset=5' is not understood");
}
