// SPDX-License-Identifier: BSD-3-Clause
// The set of late senders from which a message takes those that were sent after it.
#include "analyzer/waits/late_senders.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using latecomer::replay::LateSenders;

TEST_CASE("property: late senders that were sent after a message, each once, in any order") {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    LateSenders late(false);
    std::vector<LateSenders::Waited> all;  // not taken yet
    for (std::uint32_t i = 0; i < 60; ++i) {
      if (random() % 3 != 0) {
        // Sending times increase roughly with i.
        const auto sent = static_cast<std::int64_t>(i * 10 + random() % 30);
        all.push_back(
            {.call = i, .wait = 1 + static_cast<std::int64_t>(random() % 5), .sent = sent});
        late.add(all.back());
        continue;
      }
      const auto sent = static_cast<std::int64_t>(random() % 700);
      if (sent >= late.latest()) {
        for (const auto& waited : all) CHECK(waited.sent <= sent);
        continue;
      }
      std::vector<std::uint32_t> taken, expected;
      late.take_after(sent, [&](const auto& waited) { taken.push_back(waited.call); });
      std::erase_if(all, [&](const auto& waited) {
        if (waited.sent > sent) expected.push_back(waited.call);
        return waited.sent > sent;
      });
      std::ranges::sort(taken);
      CHECK(taken == expected);
    }
  }
}

TEST_CASE("the base remembers a hundred late senders") {
  LateSenders late(true);
  for (std::uint32_t i = 0; i < 102; ++i) late.add({.call = i, .wait = 1, .sent = 10});
  std::vector<std::uint32_t> taken;
  late.take_after(5, [&](const auto& waited) { taken.push_back(waited.call); });
  REQUIRE(taken.size() == 100);
  CHECK(taken.front() == 2);
  CHECK(taken.back() == 101);
}
