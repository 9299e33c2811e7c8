// SPDX-License-Identifier: BSD-3-Clause
// Containers of what a trace is kept in: what was put in comes out again.
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
}
