// SPDX-License-Identifier: BSD-3-Clause
// Times of parts of a run: the walk from the end back against queries one by one.
#include "analyzer/causes/call_path_times.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace latecomer;
using trace::Ticks;

namespace {

constexpr std::uint32_t kNodes = 5;

std::vector<Ticks> whole(const causes::CallPathTimes& times, Ticks from, Ticks to) {
  causes::NodeTimes all(kNodes);
  times.add_all(from, to, all);
  std::vector<Ticks> out;
  for (std::uint32_t node = 0; node < kNodes; ++node) out.push_back(all[node]);
  return out;
}

}  // namespace

// Node 1 from 10 to 14, node 2 to 20, node 1 to 25; the last change ends what is known.
TEST_CASE("parts of a run are cut at both ends, and end with the last change") {
  trace::LocationEvents events;
  events.first = 10;
  events.timeline.open(10, 1);
  events.timeline.open(14, 2);
  events.timeline.open(20, 1);
  events.timeline.open(25, 0);
  const causes::CallPathTimes times(events, {});
  causes::CallPathTimes::Parts parts(times);
  std::vector<Ticks> sum(kNodes);
  CHECK(parts.add(22, 100, sum.data()));  // 22 to 25
  CHECK(sum == std::vector<Ticks>{0, 3, 0, 0, 0});
  CHECK(parts.add(16, 18, sum.data()));
  CHECK(sum == std::vector<Ticks>{0, 3, 2, 0, 0});
  CHECK_FALSE(parts.add(17, 20, sum.data()));  // not before the last one
  CHECK(parts.add(-5, 15, sum.data()));        // 10 to 14, and 14 to 15
  CHECK(sum == std::vector<Ticks>{0, 7, 3, 0, 0});
}

TEST_CASE("parts of a run have the times that single queries give") {
  std::mt19937 random(4);
  for (int round = 0; round < 300; ++round) {
    trace::LocationEvents events;
    Ticks time = events.first = random() % 100;
    const auto changes = random() % 400;  // several chunks
    for (unsigned i = 0; i < changes; ++i) {
      const bool is_long = random() % 50 == 0;
      events.timeline.open(time, random() % kNodes);
      time += is_long ? Ticks{1} << 33 : static_cast<Ticks>(random() % 4);
    }
    const causes::CallPathTimes times(events, {});
    causes::CallPathTimes::Parts parts(times);
    std::vector<Ticks> ends;
    for (int i = 0; i < 20; ++i) {
      const Ticks back = static_cast<Ticks>(random() % (random() % 8 == 0 ? 900 : 300));
      ends.push_back(std::max(events.first, time - back));
    }
    std::ranges::sort(ends, std::greater());
    for (std::size_t i = 0; i + 1 < ends.size(); ++i) {
      std::vector<Ticks> walked(kNodes);
      REQUIRE(parts.add(ends[i + 1], ends[i], walked.data()));
      REQUIRE(walked == whole(times, ends[i + 1], ends[i]));
    }
  }
}
