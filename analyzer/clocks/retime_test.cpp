// SPDX-License-Identifier: BSD-3-Clause
// Moving events in stretches gives the same result as moving each event by itself.
#include "analyzer/clocks/retime.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

#include "analyzer/trace/definitions/definitions.hpp"
#include "sync/shift.hpp"

using namespace latecomer;
using trace::Ticks;

namespace {

constexpr std::uint32_t kNodes = 400;

// Times of the call paths, computed from the changes of the timeline.
std::vector<Ticks> summed(const trace::LocationEvents& events) {
  std::vector<Ticks> sums(kNodes);
  Ticks before = events.first;
  std::uint32_t node = 0;
  events.timeline.for_each([&](Ticks time, std::uint32_t next) {
    sums[node] += time - before;
    before = time;
    node = next;
  });
  return sums;
}

std::vector<std::pair<Ticks, std::uint32_t>> changes(const trace::LocationEvents& events) {
  std::vector<std::pair<Ticks, std::uint32_t>> all;
  events.timeline.for_each([&](Ticks time, std::uint32_t node) { all.emplace_back(time, node); });
  return all;
}

class Random {
 public:
  explicit Random(unsigned seed) : engine_(seed) {}
  Ticks upto(Ticks most) { return std::uniform_int_distribution<Ticks>(0, most)(engine_); }
  bool one_of(int n) { return upto(n - 1) == 0; }

  // Most steps are short, some need more than a word. Most events use only a few call paths.
  trace::LocationEvents events() {
    trace::LocationEvents out;
    Ticks time = upto(100'000);
    out.first = time;
    const auto number = upto(3000);
    for (Ticks i = 0; i < number; ++i) {
      time += one_of(200) ? upto(Ticks{1} << 34) : upto(60);
      out.timeline.open(time, static_cast<std::uint32_t>(upto(one_of(50) ? kNodes - 1 : 4)));
      const Ticks enter = time - upto(40), size = one_of(300) ? Ticks{1} << 33 : upto(80);
      out.calls.push_back({enter, enter + size, 1, one_of(3)});
      const auto call = static_cast<std::uint32_t>(out.calls.size() - 1);
      trace::Message message{.peer = one_of(10) ? trace::kNone : 3, .call = call, .time = time};
      if (one_of(200)) message.time = Ticks{1} << 50;  // too large to be packed
      (one_of(2) ? out.sends : out.receives).push_back(message);
      if (one_of(5))
        out.collectives.push_back({.kind = 0, .call = call, .begin = enter, .end = time});
    }
    out.last = time;
    out.events = static_cast<std::uint64_t>(number) + 1;
    out.time = summed(out);
    return out;
  }
  std::vector<sync::PiecewiseLinear> drift() {
    if (one_of(4)) return {};
    std::vector<sync::PiecewiseLinear::Knot> knots;
    for (Ticks at = 0; at < 400'000; at += 1 + upto(100'000)) {
      knots.push_back({at, at + upto(one_of(3) ? 3000 : 20)});
    }
    return {sync::PiecewiseLinear(knots)};
  }
  std::vector<sync::TimeMap> maps() {
    if (one_of(4)) return {};
    sync::Shift shift(one_of(2) ? 1000 : 10);
    for (auto i = upto(4); i > 0; --i) shift.raise(upto(300'000), upto(500));
    std::vector<sync::Advance::Line> lines;
    if (one_of(2)) lines.push_back({50'000, 60'000, 0, upto(500)});
    return {sync::TimeMap(shift, lines)};
  }

 private:
  std::mt19937 engine_;
};

}  // namespace

TEST_CASE("events that are moved together go where each of them would go") {
  std::int64_t moved = 0;
  for (unsigned seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    auto events = random.events();
    const auto drift = random.drift();
    const auto maps = random.maps();
    replay::CorrectedTimes times(drift, {0}, maps), one_by_one(drift, {0}, maps);
    const auto corrected = [&](Ticks t) { return one_by_one(0, t); };

    const trace::LocationEvents before = [&] {
      Random same(seed);
      return same.events();
    }();
    const auto out = replay::retime(events, times, 0);
    moved += out.moved;

    // The expected values are computed event by event; retime() moves stretches of events.
    auto expected = changes(before);
    replay::Retimed counted;
    const auto count = [&](Ticks time) {
      const Ticks by = corrected(time) - time;
      ++counted.events;
      counted.moved += by != 0 ? 1 : 0;
      counted.largest_shift = std::max(counted.largest_shift, std::abs(by));
    };
    Ticks last = before.first;
    for (auto& [time, node] : expected) {
      count(time);
      const Ticks now = corrected(time);
      counted.grown((now - corrected(last)) - (time - last), std::max<Ticks>(1, time - last));
      last = std::exchange(time, now);
    }
    REQUIRE(changes(events) == expected);
    REQUIRE(events.time == summed(events));
    for (std::size_t i = 0; i < before.calls.size(); ++i) {
      REQUIRE(events.calls[i].enter == corrected(before.calls[i].enter));
      REQUIRE(events.calls[i].leave == corrected(before.calls[i].leave));
      REQUIRE(events.calls[i].crosses_metahosts == before.calls[i].crosses_metahosts);
    }
    for (std::size_t i = 0; i < before.sends.size(); ++i) {
      auto send = before.sends[i];
      count(send.time);
      send.time = corrected(send.time);
      REQUIRE(events.sends[i] == send);
    }
    for (std::size_t i = 0; i < before.collectives.size(); ++i) {
      count(before.collectives[i].begin);
      count(before.collectives[i].end);
      REQUIRE(events.collectives[i].begin == corrected(before.collectives[i].begin));
      REQUIRE(events.collectives[i].end == corrected(before.collectives[i].end));
    }
    for (std::size_t i = 0; i < before.receives.size(); ++i) {
      auto receive = before.receives[i];
      if (receive.peer != trace::kNone) {
        count(receive.time);
        receive.time = corrected(receive.time);
      }
      REQUIRE(events.receives[i] == receive);
    }
    REQUIRE(events.first == corrected(before.first));
    REQUIRE(events.last == corrected(before.last));
    REQUIRE(out.events == counted.events);
    REQUIRE(out.moved == counted.moved);
    REQUIRE(out.largest_shift == counted.largest_shift);
    REQUIRE(out.largest_growth == counted.largest_growth);
    REQUIRE(out.distortion_ppm == counted.distortion_ppm);
  }
  CHECK(moved > 100'000);  // so that enough events were moved for a meaningful test
}
