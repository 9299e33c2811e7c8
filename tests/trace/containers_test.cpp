// SPDX-License-Identifier: BSD-3-Clause
// Containers of what a trace is kept in: what was put in comes out again.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "analyzer/trace/segmented_vector.hpp"
#include "analyzer/trace/timeline.hpp"

using namespace latecomer;

TEST_CASE("a segmented vector by index and by iterator") {
  for (const std::uint32_t size : {0U, 1U, 63U, 64U, 65U, 959U, 960U, 961U, 1984U, 100'000U}) {
    trace::SegmentedVector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < size; ++i) numbers.push_back(i);
    REQUIRE(numbers.size() == size);
    std::uint32_t next = 0;
    bool same = true;
    for (const auto n : numbers) same = same && n == next++;
    CHECK(same);
    CHECK(next == size);
    for (std::uint32_t i = 0; i < size; ++i) same = same && numbers[i] == i;
    CHECK(same);
  }
}

TEST_CASE("a time line returns its changes") {
  trace::Timeline line;
  std::mt19937_64 random(2);
  std::vector<std::pair<std::int64_t, std::uint32_t>> changes;
  std::int64_t time = 0;
  for (int i = 0; i < 1'000'000; ++i) {  // more than 100 chunks
    time += static_cast<std::int64_t>(random() >> (20 + random() % 44)) >> 8;
    changes.emplace_back(time, static_cast<std::uint32_t>(random() >> (32 + random() % 32)));
    line.open(time, changes.back().second);
  }
  std::size_t next = 0;
  bool same = true;
  line.for_each([&](std::int64_t t, std::uint32_t node) {
    same = same && changes[next] == std::pair(t, node);
    ++next;
  });
  CHECK(same);
  CHECK(next == changes.size());
  for (int i = 0; i < 1000; ++i) {
    const std::size_t at = random() % changes.size();
    auto [cursor, last] = line.start_before(changes[at].first);
    same = same && last.time < changes[at].first;
    const auto first = cursor.next();
    const auto expected = std::ranges::find(changes, std::pair(first.time, first.node));
    same = same && (expected == changes.begin() ? last.time == 0 && last.node == 0
                                                : expected[-1] == std::pair(last.time, last.node));
  }
  std::int64_t before = 0;
  for (trace::Timeline::Cursor cursor(line); !cursor.done();) {
    const auto step = cursor.step();
    const auto change = cursor.next();
    const auto again = trace::Timeline::Cursor(line, cursor.place_of(step), before).next();
    same = same && again.time == change.time && again.node == change.node;
    before = change.time;
  }
  CHECK(same);
}

TEST_CASE("a time line that is short of bits") {
  // Times and nodes around what fits into a word: nodes of 8 bits leave 24 for the time, later ones
  // of 20 bits 12; larger ones and longer times take four words, so does a time before the origin.
  trace::Timeline line;
  std::vector<std::pair<std::int64_t, std::uint32_t>> changes;
  std::int64_t time = -5;
  const auto put = [&](std::int64_t passed, std::uint32_t node) {
    time += passed;
    changes.emplace_back(time, node);
    line.open(time, node);
  };
  put(0, 0);
  for (unsigned bits = 0; bits < 32; ++bits) {
    const std::uint32_t power = std::uint32_t{1} << bits;
    for (const std::uint32_t node : {power - 1, power, power + 1, 0U, 254U, 255U}) {
      for (unsigned of_time = 0; of_time < 40; ++of_time) {
        put((std::int64_t{1} << of_time) - 1, node);
        put(std::int64_t{1} << of_time, node);
      }
    }
  }
  put(0, UINT32_MAX);
  std::size_t next = 0, same = 0;
  line.for_each([&](std::int64_t t, std::uint32_t node) {
    same += changes[next++] == std::pair(t, node) ? 1 : 0;
  });
  CHECK(next == changes.size());
  CHECK(same == changes.size());
}
