// SPDX-License-Identifier: BSD-3-Clause
// Torn copies of a chunk: what counts as settled is what the chunk has in the end.
#include "tracer/follow/settled_words.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "tracer/record/construct_words.hpp"

using namespace latecomer::follow;
using namespace latecomer::record;

namespace {

using Words = std::vector<std::uint64_t>;

std::uint64_t head(Kind kind, std::uint64_t id, std::uint64_t distance = 0) {
  return static_cast<std::uint64_t>(kind) | id << kKindBits | distance << kTimeShift;
}

SettledWords settled(const Words& first, const Words& second, bool gone = false) {
  return settled_words(first, second, gone);
}

// The single stores of a ThreadWriter, one after another.
struct Owner {
  void put(Kind kind, std::uint64_t id, std::uint64_t distance, const Words& payload = {}) {
    stores.emplace_back(next + 1 + payload.size(), 0);
    for (std::size_t i = 0; i < payload.size(); ++i) stores.emplace_back(next + 1 + i, payload[i]);
    stores.emplace_back(next, head(kind, id, distance));
    next += 1 + payload.size();
  }
  void change_last(std::uint64_t word) { stores.emplace_back(next - 1, word); }
  // The enter of an unsuccessful test is taken back and the row before it gets longer.
  void lengthen(std::uint64_t calls) {
    change_last(0);
    stores.emplace_back(next - 3, head(Kind::kLeaveUnsuccessful, 1, 10 * calls));
    stores.emplace_back(next - 2, calls);
    --next;
  }

  std::vector<std::pair<std::size_t, std::uint64_t>> stores;
  std::size_t next = 0;
};

// A construct that has grown.
std::uint64_t construct(unsigned slot, unsigned stage, std::uint64_t times) {
  return construct_word(slot, stage) | times << kTimeShift;
}

// Something of everything that changes a word which was there before.
Owner example() {
  Owner o;
  o.put(Kind::kTime, 0, 0, {1000});
  for (std::uint64_t i = 1; i < 6; ++i) {
    o.put(Kind::kEnter, 2, i);
    o.put(Kind::kSend, 7, i, {i, 50});
    o.put(Kind::kLeave, 2, i);
    o.put(Kind::kEnter, 2, 7);
    o.change_last(join(Kind::kSendAgain, 7, 2, 7, 3));
    o.change_last(join(Kind::kSendAgain, 7, 2, 7, 3) | kLeaves);
    o.put(Kind::kEnter, 3, i);
    o.change_last(visit(3, i, 4));
    o.put(Kind::kConstruct, 3, 4);
    o.change_last(construct(3, 1, 4 | 5 << 12));
    o.change_last(construct(3, 2, 4 | 5 << 12 | 6 << 20));
    o.put(Kind::kEnter, kFirstOwnRegion, i);
    o.change_last(construct(5, 1, i | 3 << 12));
    o.change_last(construct(5, 2, i | 3 << 12 | 6 << 20));
    o.put(Kind::kEnter, 1, i);
    o.put(Kind::kLeaveUnsuccessful, 1, 9, {1});
    for (std::uint64_t calls = 2; calls < 2 + i; ++calls) {
      o.put(Kind::kEnter, 1, 7);
      o.lengthen(calls);
    }
    if (i % 2 == 0) o.put(Kind::kEnter, 4, 5);
    o.put(Kind::kWideId, 0, 0, {kMaxId + i});
    o.put(Kind::kEnter, 0, 2);
    o.put(Kind::kSendAgain, 7, i);
    o.change_last(head(Kind::kSendAgain, 7, i) | kLeaves);
  }
  return o;
}

// True if the last record may have begun as `part` of what it is in the end.
bool is_part(std::uint64_t part, std::uint64_t whole) {
  if (part == whole || (part | kLeaves) == whole) return true;
  if (kind_of(whole) == Kind::kConstruct) {
    return kind_of(part) == Kind::kEnter ||
           (slot_in(part) == slot_in(whole) && stage_in(part) < stage_in(whole));
  }
  if (!has_enter(whole)) return false;
  return part == enter_in(whole) || (part | kLeaves) == whole;
}

}  // namespace

TEST_CASE("a record is taken when both copies have it") {
  const std::uint64_t time = head(Kind::kTime, 0), leave = head(Kind::kLeave, 5);
  CHECK(settled({time, 9, leave, 0}, {time, 9, leave, leave}).settled == 3);
  // Its header came after the first copy had read its payload.
  CHECK(settled({time, 0, 0, 0}, {time, 9, leave, 0}).settled == 2);
  CHECK(settled({0, 0}, {time, 9}).settled == 0);
  CHECK(settled({}, {}).settled == 0);
}

TEST_CASE("the last record is taken apart while it may get more parts") {
  const std::uint64_t leave = head(Kind::kLeave, 5), enter = head(Kind::kEnter, 5),
                      again = head(Kind::kSendAgain, 5);
  const Words open{leave, enter, 0};
  CHECK(settled(open, open).settled == 1);
  CHECK(settled(open, open).end == 2);
  CHECK(settled(open, open, true).settled == 2);  // nobody will add anything
  const Words repeated{leave, again, 0};
  CHECK(settled(repeated, repeated).settled == 1);
  CHECK(settled(repeated, repeated).end == 2);
  const Words left{leave, again | kLeaves, 0};
  CHECK(settled(left, left).settled == 2);
  // The enter is being joined with a send.
  CHECK(settled(open, {leave, join(Kind::kSendAgain, 5, 5, 0, 1), 0}).end == 1);
}

TEST_CASE("a row of polls is not taken before another record follows") {
  const std::uint64_t row = head(Kind::kLeaveUnsuccessful, 1), enter = head(Kind::kEnter, 1),
                      leave = head(Kind::kLeave, 1);
  const Words alone{enter, row, 3, 0}, next{enter, row, 3, enter, 0},
      after{enter, row, 3, enter, leave, 0};
  CHECK(settled(alone, alone).end == 1);
  CHECK(settled(next, next).end == 1);
  CHECK(settled(after, after).settled == 5);
  CHECK(settled(next, next, true).settled == 4);
}

TEST_CASE("an id that does not fit waits for its record") {
  const std::uint64_t leave = head(Kind::kLeave, 1), wide = head(Kind::kWideId, 0),
                      enter = head(Kind::kEnter, 0);
  const Words alone{leave, wide, 1 << 20, 0}, both{leave, wide, 1 << 20, enter, 0};
  CHECK(settled(alone, alone).end == 1);
  CHECK(settled(alone, alone, true).end == 1);
  CHECK(settled(both, both).settled == 1);
  CHECK(settled(both, both).end == 4);
}

TEST_CASE("a copy that is too short says so") {
  const std::uint64_t send = head(Kind::kSend, 1), leave = head(Kind::kLeave, 1);
  CHECK(settled({leave, send, 1}, {leave, send, 1}).goes_on);
  CHECK(settled({leave, send, 1}, {leave, send, 1}).settled == 1);
  CHECK(settled({leave, leave}, {leave, leave}).goes_on);
  CHECK_FALSE(settled({leave, 0}, {leave, 0}).goes_on);
}

TEST_CASE("torn copies never show what is not there") {
  const Owner owner = example();
  const std::size_t words = owner.next + 8;
  Words whole(words, 0);
  for (const auto& [at, word] : owner.stores) whole[at] = word;
  std::mt19937 random(11);
  std::uint64_t taken = 0, parts = 0;
  for (int round = 0; round < 20000; ++round) {
    Words chunk(words, 0);
    std::size_t done = random() % owner.stores.size();
    for (std::size_t i = 0; i < done; ++i) chunk[owner.stores[i].first] = owner.stores[i].second;
    // Both copies read their words in any order, while the owner goes on.
    const auto torn = [&] {
      Words copy(words);
      std::vector<std::size_t> order(words);
      std::iota(order.begin(), order.end(), 0);
      if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
      const unsigned pace = 1 + random() % 40;
      for (const std::size_t at : order) {
        while (random() % pace == 0 && done < owner.stores.size()) {
          chunk[owner.stores[done].first] = owner.stores[done].second;
          ++done;
        }
        copy[at] = chunk[at];
      }
      return copy;
    };
    const Words first = torn();
    const Words second = torn();
    const SettledWords found = settled(first, second);
    for (std::size_t i = 0; i < found.settled; ++i) REQUIRE(second[i] == whole[i]);
    if (found.end != found.settled) {
      const std::size_t last = found.end - 1;  // of one word, perhaps after a wide id
      REQUIRE(is_part(second[last], whole[last]));
      ++parts;
    }
    if (found.settled != 0) ++taken;
  }
  CHECK(taken > 19000);
  CHECK(parts > 1000);
}
