// SPDX-License-Identifier: BSD-3-Clause
// Walks along a timeline: many changes at once against one by one.
#include "analyzer/trace/events/core/path_timeline.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <utility>
#include <vector>

using latecomer::trace::Timeline;
using Ticks = Timeline::Ticks;

TEST_CASE("a cursor that passes changes finds those that it finds one by one") {
  std::mt19937 random(5);
  for (int round = 0; round < 200; ++round) {
    Timeline timeline;
    Ticks time = 0;
    for (unsigned i = 0, changes = random() % 300; i < changes; ++i) {
      time += random() % 40 == 0 ? Ticks{1} << 33 : static_cast<Ticks>(random() % 3);
      timeline.open(time, random() % 40 == 0 ? 1000 : random() % 5);
    }
    using Changes = std::vector<std::pair<Ticks, std::uint32_t>>;
    Timeline::Cursor one(timeline), many(timeline);
    Changes by_one, by_many;
    for (Ticks until = 0; until <= time;
         until += 1 + static_cast<Ticks>(random() % (time / 9 + 2))) {
      many.pass(until, [&](Ticks at, std::uint32_t node) { by_many.emplace_back(at, node); });
      while (!one.done() && (by_one.empty() || by_one.back().first <= until)) {
        const auto change = one.next();
        by_one.emplace_back(change.time, change.node);
      }
      Changes passed;  // the last one that next() gave may be later
      for (const auto& change : by_one) {
        if (change.first <= until) passed.push_back(change);
      }
      REQUIRE(by_many == passed);
    }
  }
}
