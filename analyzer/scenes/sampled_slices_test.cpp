// SPDX-License-Identifier: BSD-3-Clause
// Parts of a location's time that samples describe.
#include "analyzer/scenes/sampled_slices.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <tuple>

using namespace latecomer;
using replay::sampled_slices;

namespace {

constexpr std::uint32_t kMain = 1, kCall = 2, kRelax = 3, kNorm = 4;  // nodes of the call tree

// A tick is a microsecond. Clock 0 has a period of 10 ticks, clock 1 one of 100, clock 2 none.
struct Fixture {
  trace::Definitions definitions;
  trace::LocationEvents events;

  Fixture() {
    definitions.ticks_per_second = 1'000'000;
    definitions.sample_clocks = {{10'000}, {100'000, true}, {0}};
    events.sampled = {{.node = kMain, .at = kRelax, .source = 7},
                      {.node = kMain, .at = kNorm, .source = 8},
                      {.node = kMain, .at = kRelax, .source = 9}};
  }
  void sample(trace::Ticks time, std::uint32_t place, std::uint32_t clock = 0) {
    events.sample_times.push_back({time, place, clock});
  }
  // (begin, end, call path, samples, line)
  using Slice = std::tuple<trace::Ticks, trace::Ticks, std::uint32_t, std::uint32_t, std::uint32_t>;
  [[nodiscard]] std::vector<Slice> slices() const {
    std::vector<Slice> out;
    for (const auto& one : sampled_slices(definitions, events)) {
      CHECK(one.node == kMain);
      out.emplace_back(one.begin, one.end, one.at, one.samples, one.source);
    }
    return out;
  }
};

using Slices = std::vector<Fixture::Slice>;

}  // namespace

TEST_CASE("successive samples at one call path are one slice") {
  Fixture f;
  f.events.timeline.open(100, kMain);
  f.sample(115, 0);  // describes 105 to 115
  f.sample(125, 2);  // another line of the same function
  f.sample(137, 0);  // 2 ticks late, up to half a period is no gap
  f.sample(147, 1);
  f.sample(157, 0);
  f.sample(190, 0);  // 23 ticks without a sample, so the thread was not on a core
  CHECK(f.slices() == Slices{{105, 137, kRelax, 3, 7},
                             {137, 147, kNorm, 1, 8},
                             {147, 157, kRelax, 1, 7},
                             {180, 190, kRelax, 1, 7}});
}

TEST_CASE("a call between two samples divides them") {
  Fixture f;
  f.events.timeline.open(100, kMain);
  f.sample(106, 0);  // main has been open for 6 ticks only
  f.events.timeline.open(110, kCall);
  f.events.timeline.open(112, kMain);
  f.sample(116, 0);
  f.events.timeline.open(120, kCall);
  f.events.timeline.open(150, kMain);
  f.sample(150, 0);  // no time has passed since
  CHECK(f.slices() == Slices{{100, 106, kRelax, 1, 7}, {112, 116, kRelax, 1, 7}});
}

// Changes before a sample count however many there are: a call up to 2 ticks before it.
TEST_CASE("many changes may lie between two samples") {
  Fixture f;
  trace::Ticks time = 0;
  Slices wanted;
  for (int sample = 0; sample < 5; ++sample) {
    for (int i = 0; i < 300; ++i) {  // several chunks of the timeline
      f.events.timeline.open(time += 20, kCall);
      f.events.timeline.open(time += 20, kMain);
    }
    f.sample(time + 2, 0);
    wanted.emplace_back(time, time + 2, kRelax, 1, 7);
  }
  CHECK(f.slices() == wanted);
}

TEST_CASE("periods may differ, and a sample without one describes nothing") {
  Fixture f;
  f.events.timeline.open(0, kMain);
  f.sample(10, 0);
  f.sample(15, 1, 2);
  f.sample(20, 1, trace::kNone);
  f.sample(110, 0, 1);
  f.sample(400, 1, 1);
  CHECK(f.slices() == Slices{{0, 110, kRelax, 2, 7}, {300, 400, kNorm, 1, 8}});
}

TEST_CASE("slices never overlap, whatever the samples are") {
  std::mt19937 random(3);
  for (int round = 0; round < 500; ++round) {
    Fixture f;
    trace::Ticks time = 0;
    std::size_t samples = 0;
    for (int i = 0; i < 100; ++i) {
      time += static_cast<trace::Ticks>(random() % 12);
      if (random() % 3 == 0) {
        f.events.timeline.open(time, random() % 2 == 0 ? kMain : kCall);
      } else {
        f.sample(time, random() % 3, random() % 2);
        ++samples;
      }
    }
    trace::Ticks before = 0;
    std::size_t counted = 0;
    for (const auto& one : sampled_slices(f.definitions, f.events)) {
      CHECK(before <= one.begin);
      CHECK(one.begin < one.end);
      counted += one.samples;
      before = one.end;
    }
    CHECK(before <= time);
    CHECK(counted <= samples);
  }
}
