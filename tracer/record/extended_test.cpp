// SPDX-License-Identifier: BSD-3-Clause
// Extended records among usual ones: they come back whole, and readers know their length.
#include "tracer/record/extended.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tracer/record/live_copy.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::read_header;
using latecomer::test::read_records;
using latecomer::test::TemporaryDirectory;

namespace {

constexpr std::size_t kChunk = 4096;
using Words = std::vector<std::uint64_t>;

struct Expected {
  Kind kind = Kind::kEnd;
  std::uint64_t id = 0;
  Ticks ticks = 0;
  ExtendedKind extended{};
  Words words;
};

void check(const Record& found, const Expected& wanted) {
  REQUIRE(found.kind == wanted.kind);
  REQUIRE(found.ticks == wanted.ticks);
  if (wanted.kind != Kind::kExtended) {
    REQUIRE(found.id == wanted.id);
    return;
  }
  REQUIRE(found.extended() == wanted.extended);
  REQUIRE(found.length() == wanted.words.size());
  for (std::size_t i = 0; i < wanted.words.size(); ++i) REQUIRE(found.word(i) == wanted.words[i]);
  for (std::size_t i = 0; i < found.words.size(); ++i) {
    REQUIRE(found.words[i] == (i < wanted.words.size() ? wanted.words[i] : 0));
  }
}

}  // namespace

// Random records in random order; times now and then advance by more than a record can hold.
TEST_CASE("the word of a thread that makes a team") {
  const MakerWord word = maker_word(to_word(MakerWord{true, 65535, 123456789012}));
  CHECK(word.forks);
  CHECK(word.threads == 65535);
  CHECK(word.since_fork == 123456789012);
  CHECK(maker_word(to_word(MakerWord{true, 65536, 1})).threads == 0);  // does not fit: not known
  CHECK_FALSE(maker_word(1).forks);
  CHECK(to_word(MakerWord{}) == 1);
}

TEST_CASE("random extended records come back between others") {
  std::mt19937_64 random(GENERATE(1U, 2U, 3U, 4U));
  const TemporaryDirectory directory;
  ThreadWriter w(0, kChunk, 0);
  if (random() % 2 == 0) REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  std::vector<Expected> expected;
  Ticks t = 0;
  for (int i = 0; i < 20'000; ++i) {
    t += random() % 50 == 0 ? 2 * kMaxDistance : random() % 3;
    switch (random() % 4) {
      case 0: {
        const ExtendedKind kind{static_cast<Family>(random() % 64),
                                static_cast<std::uint8_t>(random())};
        // Readers do not return these as extended records.
        if (kind == kConstructDefined || kind == kNextThread) break;
        Words words(random() % (kMostExtendedWords + 1));
        for (auto& word : words) word = random() >> random() % 64;
        w.extended(kind, t, words);
        expected.push_back({Kind::kExtended, 0, t, kind, words});
        break;
      }
      case 1:
        w.send({7, 1, 2, 3}, t);
        expected.push_back({Kind::kSend, 7, t, {}, {}});
        break;
      case 2:
        w.enter(5, t);
        expected.push_back({Kind::kEnter, 5, t, {}, {}});
        break;
      default:
        w.leave(5, t);
        expected.push_back({Kind::kLeave, 5, t, {}, {}});
    }
  }
  if (w.in_memory()) REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  const auto bytes = read_file(directory.file("a"));
  const auto found = read_records(bytes);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("record " << i);
    check(found[i], expected[i]);
  }
  CHECK(read_header(bytes).lost_records == 0);
}

TEST_CASE("an extended record fits where its last word ends the chunk") {
  for (std::size_t before = 0; before < 40; ++before) {
    const TemporaryDirectory directory;
    ThreadWriter w(0, kChunk, 0);
    for (std::size_t i = 0; i < kChunk / 8 - before; ++i) w.leave(5, 1);
    const Words words(kMostExtendedWords, 77);
    w.extended({Family::kMadeUp, 1}, 2, words);
    w.leave(5, 3);
    REQUIRE(w.move_to(directory.file("a"), 0) == 0);
    w.close();
    const auto bytes = read_file(directory.file("a"));
    const auto found = read_records(bytes);
    REQUIRE(found.size() == kChunk / 8 - before + 2);
    check(found[found.size() - 2], {Kind::kExtended, 0, 2, {Family::kMadeUp, 1}, words});
  }
}

TEST_CASE("more words than fit are cut") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, kChunk, 0);
  w.extended({Family::kMadeUp, 2}, 1, Words(20, 3));
  w.leave(5, 3);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  const auto bytes = read_file(directory.file("a"));
  const auto found = read_records(bytes);
  REQUIRE(found.size() == 2);
  CHECK(found[0].length() == kMostExtendedWords);
}

TEST_CASE("extended records are dropped while recording is off") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, kChunk, 0);
  w.pause(1);
  w.extended({Family::kMadeUp, 2}, 2, Words(kMostExtendedWords, 3));
  w.resume(3);
  w.begin_left_out();
  w.extended({Family::kMadeUp, 2}, 4, Words(1, 3));
  w.end_left_out(true, 5);
  w.leave(5, 6);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  const auto bytes = read_file(directory.file("a"));
  for (const Record& r : read_records(bytes)) CHECK(r.kind != Kind::kExtended);
}

TEST_CASE("copies of a live chunk and counts of losses know the length of extended records") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, kChunk, 0);
  w.extended({Family::kMadeUp, 9}, 1, Words(kMostExtendedWords, 0xffff));
  w.enter(5, 2);
  REQUIRE(w.save_to(directory.file("a"), 0) == 0);
  const auto bytes = read_file(directory.file("a"));
  CHECK(read_records(bytes).size() == 2);

  CHECK(w.move_to(directory.file("no/such"), 0) != 0);
  CHECK(w.losses().records == 2);
  CHECK(w.losses().bytes == 8 * (1 + kMostExtendedWords + 1));
}

TEST_CASE("a file that is cut inside an extended record") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, kChunk, 0);
  w.enter(5, 1);
  w.extended({Family::kMadeUp, 9}, 1, Words(3, 1));
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  const auto bytes = read_file(directory.file("a"));
  auto reader = RecordReader::over(std::span(bytes).first(kHeaderBytes + 8 * 5));
  REQUIRE(reader.ok());
  Record r;
  CHECK(reader->next(r));
  CHECK_FALSE(reader->next(r));
  REQUIRE(reader->damages().size() == 1);
  CHECK(std::string(reader->damages()[0].what) == "file ends inside a record");
}
