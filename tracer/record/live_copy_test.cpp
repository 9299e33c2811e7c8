// SPDX-License-Identifier: BSD-3-Clause
// Copies of a chunk while its thread continues to write, and while streaks of unsuccessful tests
// grow.
#include "tracer/record/live_copy.hpp"

#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace latecomer::record;

namespace {

std::uint64_t head(Kind kind, std::uint64_t id, std::uint64_t distance = 0) {
  return static_cast<std::uint64_t>(kind) | id << kKindBits | distance << kTimeShift;
}

std::vector<std::uint64_t> copied(const std::vector<std::uint64_t>& chunk) {
  std::vector<std::uint64_t> copy(chunk.size(), 0);
  copy_live_chunk(reinterpret_cast<const std::byte*>(chunk.data()),
                  reinterpret_cast<std::byte*>(copy.data()), 8 * chunk.size());
  return copy;
}

// The single stores of a ThreadWriter, one after another.
class Owner {
 public:
  void put(Kind kind, std::uint64_t id, std::uint64_t distance,
           const std::vector<std::uint64_t>& payload = {}) {
    stores.emplace_back(next_ + 1 + payload.size(), 0);
    for (std::size_t i = 0; i < payload.size(); ++i) stores.emplace_back(next_ + 1 + i, payload[i]);
    stores.emplace_back(next_, head(kind, id, distance));
    next_ += 1 + payload.size();
  }
  // Two records in one word, at the end with the leave of region 2.
  void joined() {
    put(Kind::kEnter, 2, 7);
    stores.emplace_back(next_ - 1, join(Kind::kSendAgain, 7, 2, 7, 3));
    stores.emplace_back(next_ - 1, join(Kind::kSendAgain, 7, 2, 7, 3) | kLeaves);
  }
  // An unsuccessful test of region 1: it lasts 3 ticks and begins 7 after the previous one. `row`
  // is its number in the streak.
  void test(std::uint64_t row) {
    put(Kind::kEnter, 1, 7);
    if (row == 0) {
      put(Kind::kLeaveUnsuccessful, 1, 3, {calls(1)});
      return;
    }
    stores.emplace_back(next_ - 1, 0);
    stores.emplace_back(next_ - 3, head(Kind::kLeaveUnsuccessful, 1, 10 * row + 3));
    stores.emplace_back(next_ - 2, calls(row + 1));
    --next_;
  }
  static std::uint64_t calls(std::uint64_t n) { return 3 * n << kPollCountBits | n; }

  std::vector<std::pair<std::size_t, std::uint64_t>> stores;

 private:
  std::size_t next_ = 0;
};

// Streaks of tests, each followed by something else: a send in its region, a time and a region, a
// call path, or joined records.
Owner example() {
  Owner o;
  o.put(Kind::kTime, 0, 0, {1000});
  for (const int what : {0, 1, 2, 3}) {
    for (std::uint64_t row = 0; row < 3; ++row) o.test(row);
    if (what == 0) {
      o.put(Kind::kEnter, 2, 7);
      o.put(Kind::kSend, 7, 0, {40, 50});
      o.put(Kind::kLeave, 2, 1);
    } else if (what == 1) {
      // The word after the time looks like the header of a record.
      o.put(Kind::kTime, 0, 0, {(std::uint64_t{1} << 50) + head(Kind::kLeave, 9)});
      o.put(Kind::kEnter, 3, 0);
      o.put(Kind::kLeave, 3, 1);
    } else if (what == 2) {
      o.put(Kind::kCallPath, 5, 0);
    } else {
      o.joined();
      o.joined();
    }
  }
  return o;
}

// First error in a copy of the example; empty: none.
std::string wrong_in(const std::vector<std::uint64_t>& words) {
  std::uint64_t open = 0, distance = 0;
  for (std::size_t i = 0; words[i] != 0; i += 1 + payload_words_after(words[i])) {
    const std::uint64_t id = words[i] >> kKindBits & kMaxId, calls = words[i + 1] & kMostPolls;
    const std::string where = " at word " + std::to_string(i);
    distance = words[i] >> kTimeShift;
    switch (kind_of(words[i])) {
      case Kind::kTime:
        if (open != 0 || words[i + 1] < 1000) return "a time that is none" + where;
        break;
      case Kind::kEnter:
        if (open != 0) return "enter inside of a region" + where;
        open = id;
        break;
      case Kind::kSend:
        if (open != 2 || id != 7 || words[i + 1] != 40 || words[i + 2] != 50) return "send" + where;
        break;
      case Kind::kLeave:
        if (open != id) return "left what was not entered" + where;
        open = 0;
        break;
      case Kind::kLeaveUnsuccessful:
        if (open != 1 || id != 1) return "left what was not entered" + where;
        // A test takes three of every ten ticks. One more test may already have extended the
        // distance.
        if (words[i + 1] != Owner::calls(calls)) return "row with a wrong sum" + where;
        if (distance + 7 < 10 * calls) return "row shorter than its tests" + where;
        open = 0;
        break;
      case Kind::kEnterSendAgain:
        if (open != 0 || enter_in(words[i]) != head(Kind::kEnter, 2, 7)) return "joined" + where;
        if ((id & ~(kMaxId ^ kMaxId >> 1)) != 7) return "joined send" + where;
        if (!leaves(words[i])) open = 2;
        break;
      case Kind::kCallPath:
        if (open != 0 || id != 5) return "call path" + where;
        break;
      default:
        return "unexpected record" + where;
    }
  }
  return "";
}

}  // namespace

TEST_CASE("a copy ends with the last record") {
  const std::uint64_t enter = head(Kind::kEnter, 5), send = head(Kind::kSend, 6);
  // The words after the zero word are from an earlier use of the chunk.
  CHECK(copied({enter, send, 7, 8, enter, 0, 99, 99}) ==
        std::vector<std::uint64_t>{enter, send, 7, 8, enter, 0, 0, 0});
  CHECK(copied({0, enter, enter}) == std::vector<std::uint64_t>{0, 0, 0});
  CHECK(copied({enter, 0}) == std::vector<std::uint64_t>{enter, 0});
  CHECK(copied({}).empty());
}

TEST_CASE("copies are whole, whatever the owner does between two reads") {
  const Owner owner = example();
  const std::size_t words = 64, stores = owner.stores.size();
  std::uint64_t copies = 0, shorter = 0;
  // `before` stores are done when the copy begins. `more` stores happen after one of its reads, and
  // as many again after a later read.
  for (std::size_t before = 0; before <= stores; ++before) {
    for (std::size_t more = 1; before + more <= stores; ++more) {
      std::size_t reads = 1;
      for (std::size_t first = 1; first <= reads; ++first) {
        for (const std::size_t second : {first + 1, first + 2, first + 5}) {
          std::vector<std::uint64_t> chunk(words, head(Kind::kLeave, 77)), copy(words, 0);
          chunk[0] = 0;
          std::size_t done = 0, count = 0;
          const auto go_on = [&](std::size_t to) {
            for (; done < to && done < stores; ++done) {
              chunk[owner.stores[done].first] = owner.stores[done].second;
            }
          };
          go_on(before);
          detail::copy_live_words(
              [&](std::size_t i) {
                const std::uint64_t word = chunk[i];
                ++count;
                if (count == first || count == second) go_on(done + more);
                return word;
              },
              copy.data(), words);
          reads = count;
          ++copies;
          if (copy[0] == 0) ++shorter;
          const std::string wrong = wrong_in(copy);
          if (!wrong.empty()) {
            FAIL(wrong << ", begun behind store " << before << ", " << more << " more behind reads "
                       << first << " and " << second);
          }
        }
      }
    }
  }
  CHECK(copies > 100000);
  CHECK(shorter < copies / 10);
}
