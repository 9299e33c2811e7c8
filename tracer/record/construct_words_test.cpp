// SPDX-License-Identifier: BSD-3-Clause
// Constructs in one word read like their records one by one.
#include "tracer/record/construct_words.hpp"

#include <catch2/catch.hpp>
#include <vector>

#include "tests/support/random_constructs.hpp"
#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::RandomConstructs;
using latecomer::test::read_file;
using latecomer::test::read_header;
using latecomer::test::read_records;
using latecomer::test::TemporaryDirectory;

namespace {

constexpr RegionId kParallel = 4100, kBarrier = 4101;

void check_same(const std::vector<Record>& found, const std::vector<Record>& expected) {
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO("record " << i);
    REQUIRE(found[i].kind == expected[i].kind);
    REQUIRE(found[i].id == expected[i].id);
    REQUIRE(found[i].ticks == expected[i].ticks);
    if (found[i].kind != Kind::kExtended) continue;
    REQUIRE(found[i].length() == expected[i].length());
    REQUIRE(found[i].words == expected[i].words);
  }
}

// Words in the live chunk, without those of its time.
std::size_t live_words(const std::vector<std::byte>& file) {
  std::size_t words = 0;
  const auto* word = reinterpret_cast<const std::uint64_t*>(file.data() + kHeaderBytes);
  while (word[words] != 0) words += 1 + payload_words_after(word[words]);
  return words - 2;
}

// Words that `second` takes after `first`.
template <typename First, typename Second>
std::size_t words_of(First&& first, Second&& second) {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 0);
  first(w);
  REQUIRE(w.save_to(directory.file("first"), 0) == 0);
  second(w);
  REQUIRE(w.save_to(directory.file("second"), 0) == 0);
  return live_words(read_file(directory.file("second"))) -
         live_words(read_file(directory.file("first")));
}

// The part of the maker or of a member in a team. The maker waits so long at the end.
void make(ThreadWriter& w, std::uint32_t team, Ticks t, Ticks wait = 50) {
  const TeamPart part{kParallel, kBarrier, team, 4};
  w.team_begun(part, t, t + 1000);
  w.team_arrived(part, t + 3000);
  w.team_left(part, t + 3000 + wait);
}
void join(ThreadWriter& w, std::uint32_t team, Ticks t) {
  const TeamPart part{kParallel, kBarrier, team, 0};
  w.team_joined(part, t);
  w.team_arrived(part, t + 3000);
}

}  // namespace

TEST_CASE("constructs in words read like records one by one") {
  const auto seed = GENERATE(range(0U, 30U));
  const TemporaryDirectory directory;
  ThreadWriter words(0, 4096, 0), records(0, 4096, 0);
  RandomConstructs some(words, false, seed), same(records, true, seed);
  Ticks t = 1, u = 1;
  for (int i = 0; i < 3000; ++i) {
    some.step(t);
    same.step(u);
    if (i % 1000 == 500) {
      words.begin_thread(++t);
      records.begin_thread(++u);
    }
    if (i == 700) {
      REQUIRE(words.move_to(directory.file("words"), 0) == 0);
      REQUIRE(records.move_to(directory.file("records"), 0) == 0);
    }
  }
  words.close();
  records.close();
  const auto found = read_file(directory.file("words"));
  const auto expected = read_file(directory.file("records"));
  check_same(read_records(found), read_records(expected));
  CHECK(read_header(found).sealed < read_header(expected).sealed);
}

TEST_CASE("what a loop of parallel regions repeats takes one word") {
  const auto times = [](int n, auto&& turn, Ticks distance = 4000) {
    return [=](ThreadWriter& w) {
      static std::uint32_t team = 0;
      static Ticks t = 0;
      for (int i = 0; i < n; ++i) turn(w, ++team, t += distance);
    };
  };
  const auto maker = [](ThreadWriter& w, std::uint32_t team, Ticks t) { make(w, team, t); };
  CHECK(words_of(times(2, maker), times(10, maker)) == 10);
  const auto member = [](ThreadWriter& w, std::uint32_t team, Ticks t) { join(w, team, t); };
  CHECK(words_of(times(2, member), times(10, member)) == 10);
  // The wait is too long for the word: a second one has its end.
  const auto waits = [](ThreadWriter& w, std::uint32_t team, Ticks t) { make(w, team, t, 5000); };
  CHECK(words_of(times(2, waits, 10000), times(10, waits, 10000)) == 10 * 2);
  // Something is recorded inside.
  const auto full = [](ThreadWriter& w, std::uint32_t team, Ticks t) {
    const TeamPart part{kParallel, kBarrier, team, 4};
    w.team_begun(part, t, t + 1000);
    w.enter(3, t + 1500);
    w.leave(3, t + 2000);
    w.team_arrived(part, t + 3000);
    w.team_left(part, t + 3050);
  };
  CHECK(words_of(times(2, full), times(10, full)) ==
        10 * 3);  // the region, the visit inside, and the end
  const auto loop = [](ThreadWriter& w, std::uint32_t, Ticks t) {
    w.enter(kParallel, t);
    w.work_barrier(kParallel, kBarrier, t + 2000);
    w.work_barrier_left(kParallel, kBarrier, t + 3000);
    w.work_left(kParallel, kBarrier, t + 3000);
  };
  CHECK(words_of(times(2, loop), times(10, loop)) == 10);
  const auto critical = [](ThreadWriter& w, std::uint32_t number, Ticks t) {
    w.lock_wanted(kParallel, kBarrier, 9, number, t);
    w.lock_acquired(kParallel, kBarrier, 9, number, t + 100);
    w.lock_released(kParallel, kBarrier, 9, number, t + 200);
    w.lock_left(kParallel, 9, t + 300);
  };
  CHECK(words_of(times(2, critical), times(10, critical)) == 10);
}

TEST_CASE("parts of a construct are there before it is complete") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  make(w, 1, 100);
  const TeamPart part{kParallel, kBarrier, 2, 4};
  std::vector<std::size_t> counts;
  const auto count = [&] {
    const std::string file = directory.file(std::to_string(counts.size()));
    REQUIRE(w.save_to(file, 0) == 0);
    counts.push_back(read_records(read_file(file)).size());
  };
  count();
  w.team_begun(part, 4000, 4100);
  count();
  w.team_arrived(part, 4200);
  count();
  w.team_left(part, 4300);
  count();
  CHECK(counts == std::vector<std::size_t>{4, 5, 6, 8});
}

// Teams 5 and 6 are nested, and of the same place.
TEST_CASE("nested teams of one place are not mixed up") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  make(w, 4, 1000);
  const TeamPart outer{kParallel, kBarrier, 5, 4};
  w.team_begun(outer, 5000, 5001);
  make(w, 6, 5002);
  w.team_arrived(outer, 9000);
  w.team_left(outer, 9001);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  std::vector<std::uint64_t> arrived;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kExtended && r.extended() == kTeamArrived) arrived.push_back(r.words[0]);
  }
  CHECK(arrived == std::vector<std::uint64_t>{two_halves(kBarrier, 4), two_halves(kBarrier, 6),
                                              two_halves(kBarrier, 5)});
}

TEST_CASE("losses count the records of construct words") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  for (std::uint32_t team = 1; team <= 10; ++team) make(w, team, 5000 * team);
  CHECK(w.move_to(directory.file("no/such"), 0) != 0);
  CHECK(w.losses().records == 10 * 4);
}

TEST_CASE("a construct that is not there is damage") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  w.leave(5, 1);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  auto file = read_file(directory.file("a"));
  auto* const word = reinterpret_cast<std::uint64_t*>(file.data() + kHeaderBytes + 16);
  Record r;
  *word = construct_word(7, 1);
  auto reader = RecordReader::over(file);
  CHECK_FALSE(reader->next(r));
  CHECK(reader->damages().size() == 1);
}

TEST_CASE("regions whose numbers do not fit are written one by one") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  const TeamPart part{static_cast<RegionId>(kMaxId) + 1, static_cast<RegionId>(kMaxId) + 2, 3, 4};
  w.team_begun(part, 10, 11);
  w.team_arrived(part, 12);
  w.team_left(part, 13);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  const auto found = read_records(read_file(directory.file("a")));
  REQUIRE(found.size() == 4);
  CHECK(found[0].words[0] == two_halves(part.parallel, 3));
  CHECK(found[3].id == part.parallel);
}
