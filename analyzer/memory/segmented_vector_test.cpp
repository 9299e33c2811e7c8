// SPDX-License-Identifier: BSD-3-Clause
// Containers for the contents of a trace: the values put in come out again.
#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

#include "analyzer/memory/segmented_vector.hpp"
#include "analyzer/trace/events/core/path_timeline.hpp"

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
    const auto place = cursor.place();
    const auto change = cursor.next();
    const auto again = trace::Timeline::Cursor(line, place, before).next();
    same = same && again.time == change.time && again.node == change.node;
    before = change.time;
  }
  CHECK(same);
  // The changes are read chunk by chunk, and backwards from position to position.
  next = 0;
  before = 0;
  std::vector<trace::Timeline::Place> places;
  for (std::uint32_t chunk = 0; chunk < line.chunks(); ++chunk) {
    line.for_chunk(chunk, before, [&](std::int64_t t, std::uint32_t node, auto place) {
      same = same && changes[next++] == std::pair(t, node);
      before = t;
      places.push_back(place);
    });
  }
  CHECK(same);
  REQUIRE(next == changes.size());
  trace::Timeline::Backward back(line);
  CHECK(back.place() == trace::Timeline::Place{line.chunks(), 0});
  std::size_t at = changes.size();  // changes before the place
  while (at > 0) {
    const auto until = changes[at - 1].first - static_cast<std::int64_t>(random() % 1000);
    std::int64_t over = 0;
    const auto passed = back.back_to(until, [&](std::uint32_t node, std::int64_t stretch) {
      --at;
      over = changes[at].first - (at == 0 ? 0 : changes[at - 1].first);
      same = same && stretch == over && node == (at == 0 ? 0 : changes[at - 1].second);
    });
    same = same && passed == over && (at == 0 || changes[at - 1].first <= until);
    const auto last = back.last();
    if (at > 0) same = same && changes[at - 1] == std::pair(last.time, last.node);
    if (at < places.size()) same = same && back.place() == places[at];
  }
  CHECK(same);
  CHECK(back.last().time == 0);
  CHECK(back.back_to(INT64_MIN, [](std::uint32_t, std::int64_t) {}) == 0);
}

TEST_CASE("a time line takes over what another one has, some time later") {
  trace::Timeline line, later;
  std::mt19937_64 random(5);
  std::vector<std::pair<std::int64_t, std::uint32_t>> changes;
  std::int64_t time = 0;
  for (int i = 0; i < 100'000; ++i) {
    time += static_cast<std::int64_t>(random() % (random() % 500 == 0 ? 1ULL << 36 : 1000));
    changes.emplace_back(time,
                         static_cast<std::uint32_t>(random() % (random() % 99 == 0 ? 3000 : 9)));
    line.open(time, changes.back().second);
  }
  // All changes from a given one up to some time are moved and keep their distances.
  constexpr std::int64_t kLater = 123'456'789'012;
  std::size_t taken = 0, next = 0;
  bool same = true;
  for (trace::Timeline::Cursor cursor(line); !cursor.done();) {
    const auto change = cursor.next();
    same = same && std::pair(change.time, change.node) == changes[next++];
    later.open(change.time + kLater, change.node);
    const auto until = change.time + static_cast<std::int64_t>(random() % 300'000);
    const auto more = later.take(cursor, until);
    next += more.changes;
    taken += more.changes;
    if (more.changes == 0) continue;
    const auto& last = changes[next - 1];
    same = same && last == std::pair(more.last.time, more.last.node) && last.first < until;
    same = same && later.last_time() == last.first + kLater;
  }
  CHECK(same);
  CHECK(next == changes.size());
  CHECK(taken > changes.size() / 2);
  next = 0;
  later.for_each([&](std::int64_t t, std::uint32_t node) {
    same = same && changes[next++] == std::pair(t - kLater, node);
  });
  CHECK(same);
  CHECK(next == changes.size());
}

TEST_CASE("a time line that is short of bits") {
  // Times and nodes near the limits of a word. Nodes of 8 bits leave 24 for the time, later ones of
  // 20 bits leave 12. Larger nodes and longer times take four words, and so does a time before the
  // origin.
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
