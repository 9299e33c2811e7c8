// SPDX-License-Identifier: BSD-3-Clause
// What a follower delivers is what a reader finds in the complete file, in steps of any size.
#include "tracer/follow/record_follower.hpp"

#include <atomic>
#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "tests/support/random_constructs.hpp"
#include "tests/support/temporary_directory.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/record/writer.hpp"

using namespace latecomer;
using namespace latecomer::follow;
using namespace latecomer::record;
using latecomer::test::RandomConstructs;
using latecomer::test::read_file;
using latecomer::test::TemporaryDirectory;

namespace {

// A record that owns its payload.
struct Kept {
  Kind kind = Kind::kEnd;
  std::uint64_t id = 0, ticks = 0;
  std::array<std::uint64_t, 4> words{};
  std::vector<std::uint64_t> payload;
  friend bool operator==(const Kept&, const Kept&) = default;
};

Kept kept(const Record& r) {
  Kept k{r.kind, r.id, r.ticks, {}, {}};
  if (r.kind == Kind::kExtended) {
    for (std::size_t i = 0; i < r.length(); ++i) k.payload.push_back(r.word(i));
  } else {
    for (unsigned i = 0; i < payload_words(r.kind); ++i) k.words[i] = r.words[i];
  }
  return k;
}

std::vector<Kept> read_all(const std::string& path) {
  const auto bytes = read_file(path);
  auto reader = RecordReader::over(bytes);
  REQUIRE(reader);
  std::vector<Kept> all;
  for (Record r; reader->next(r);) all.push_back(kept(r));
  CHECK(reader->damages().empty());
  return all;
}

// Writes some of everything: repeats, joined records, visits, rows of polls, wide ids, late times,
// long pauses, records of families, constructs.
class Program {
 public:
  Program(ThreadWriter& writer, unsigned seed)
      : w_(writer), random_(seed), constructs_(writer, false, seed) {}

  void step() {
    const auto comm = static_cast<CommId>(random_() % 3);
    const Message m{comm, static_cast<std::int32_t>(random_() % 4), 1, 8};
    switch (random_() % 15) {
      case 0:
      case 1:
        w_.enter(1, later());
        w_.send(m, later());
        w_.leave(1, random_() % 2 == 0 ? t_ : later());
        break;
      case 2:
        w_.enter(2, later());
        w_.collective({comm, 1, 0, 8, 8}, t_, later());
        w_.leave(2, t_);
        break;
      case 3:
        w_.enter(3, later());
        w_.leave(3, later());
        break;
      case 4:
        for (auto polls = random_() % 5; polls-- > 0;) {
          w_.enter(4, later());
          w_.leave_unsuccessful(4, later());
        }
        break;
      case 5:
        w_.enter(5, later());
        w_.isend(m, ++request_, later());
        w_.leave(5, later());
        w_.isend_complete(request_, later());
        break;
      case 6:
        w_.irecv_request(++request_, later());
        w_.irecv(m, request_, later());
        break;
      case 7:
        w_.call_path(static_cast<FrameId>(1 + random_() % 5));
        break;
      case 8:
        w_.enter(static_cast<RegionId>(kMaxId + random_() % 3), later());
        break;
      case 9:
        t_ += std::uint64_t{random_() % 2} << 45;
        w_.leave(6, t_ > 5 ? t_ - 5 : t_);
        break;
      case 10: {
        const std::vector<std::uint64_t> words(random_() % 15, random_());
        w_.extended({Family::kMadeUp, 3}, later(), words);
        break;
      }
      case 11:
        w_.recv(m, later());
        break;
      default:
        constructs_.step(t_);
        break;
    }
  }

 private:
  Ticks later() { return t_ += random_() % 100; }

  ThreadWriter& w_;
  std::mt19937 random_;
  RandomConstructs constructs_;
  Ticks t_ = 1000;
  RequestId request_ = 0;
};

Ticks no_time() { return 7; }

}  // namespace

TEST_CASE("records are followed step by step, each is delivered once") {
  const TemporaryDirectory directory;
  for (unsigned seed = 0; seed < 20; ++seed) {
    const std::string path = directory.file(std::to_string(seed));
    ThreadWriter w(3, 4096, 1000);
    w.time_flushes(no_time);
    Program program(w, seed);
    // The first chunks are in memory until the file has a name.
    for (unsigned i = 0; i < seed * 50; ++i) program.step();
    REQUIRE(w.move_to(path, 9) == 0);
    auto follower = RecordFollower::open(path);
    REQUIRE(follower);
    CHECK(follower->header().rank == 9);
    std::vector<Kept> seen;
    const auto take = [&](const Record& r) { seen.push_back(kept(r)); };
    std::mt19937 random(seed);
    for (int i = 0; i < 3000; ++i) {
      program.step();
      if (random() % (1 + seed) == 0) (void)follower->poll(take, 1 + random() % 50);
      CHECK_FALSE(follower->ended());
    }
    w.program_end(Ticks{1} << 60);
    w.close();
    for (int i = 0; i < 100000 && !follower->ended(); ++i) (void)follower->poll(take, 7);
    CHECK(follower->ended());
    CHECK(follower->damages() == 0);
    const auto all = read_all(path);
    REQUIRE(seen.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) REQUIRE(seen[i] == all[i]);
  }
}

TEST_CASE("what a thread does last is delivered before anything follows it") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  auto follower = RecordFollower::open(directory.file("a"));
  REQUIRE(follower);
  std::vector<Kind> seen;
  const auto take = [&](const Record& r) { seen.push_back(r.kind); };
  const auto polled = [&] {
    seen.clear();
    const auto batch = follower->poll(take);
    CHECK(batch.records == seen.size());
    CHECK_FALSE(batch.more);
    return seen;
  };
  using Kinds = std::vector<Kind>;
  CHECK(polled().empty());
  w.enter(1, 10);
  CHECK(polled() == Kinds{Kind::kEnter});
  CHECK(polled().empty());
  w.send({0, 1, 2, 8}, 11);
  CHECK(polled() == Kinds{Kind::kSend});
  w.leave(1, 12);
  CHECK(polled() == Kinds{Kind::kLeave});
  // The second time all three share a word, which grows.
  w.enter(1, 13);
  CHECK(polled() == Kinds{Kind::kEnter});
  w.send({0, 1, 2, 8}, 14);
  CHECK(polled() == Kinds{Kind::kSend});
  CHECK(polled().empty());
  w.leave(1, 14);
  CHECK(polled() == Kinds{Kind::kLeave});
  w.enter(1, 15);
  w.collective({}, 15, 16);
  CHECK(polled() == Kinds{Kind::kEnter, Kind::kCollectiveBegin, Kind::kCollectiveEnd});
  w.leave(1, 17);
  // A row of polls is not known before it ends.
  w.enter(2, 20);
  w.leave_unsuccessful(2, 21);
  CHECK(polled() == Kinds{Kind::kLeave, Kind::kEnter});
  w.enter(2, 22);
  CHECK(polled().empty());
  w.leave_unsuccessful(2, 23);
  w.enter(3, 30);
  w.leave(3, 31);
  CHECK(polled() == Kinds{Kind::kLeaveUnsuccessful, Kind::kEnter, Kind::kLeave});
  // If the process is killed, everything is as it stays.
  w.enter(2, 40);
  w.leave_unsuccessful(2, 41);
  w.enter(2, 42);
  CHECK(polled() == Kinds{Kind::kEnter});
  follower->writer_is_gone();
  CHECK(polled() == Kinds{Kind::kLeaveUnsuccessful, Kind::kEnter});
  CHECK(follower->ended());
}

TEST_CASE("a thread at full speed is followed to its last record") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 8192, 1000);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  auto follower = RecordFollower::open(directory.file("a"));
  REQUIRE(follower);
  std::vector<Kept> seen;
  {
    const std::jthread owner([&w] {
      Program program(w, 5);
      for (int i = 0; i < 200000; ++i) program.step();
      w.program_end(Ticks{1} << 61);
    });
    while (!follower->ended())
      (void)follower->poll([&](const Record& r) { seen.push_back(kept(r)); });
  }
  w.close();
  CHECK(follower->damages() == 0);
  CHECK(follower->lost_records() == 0);
  const auto all = read_all(directory.file("a"));
  REQUIRE(seen.size() == all.size());
  CHECK(std::ranges::equal(seen, all));
}

TEST_CASE("a file that another thread goes on with is followed on") {
  const TemporaryDirectory directory;
  ThreadWriter w(1, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  auto follower = RecordFollower::open(directory.file("a"));
  REQUIRE(follower);
  Kind last = Kind::kEnd;
  const auto poll = [&] { (void)follower->poll([&](const Record& r) { last = r.kind; }); };
  w.enter(1, 1);
  poll();
  CHECK_FALSE(follower->ended());
  w.leave(1, 2);
  w.live_state().begin().awaited = Awaited::kThreadEnded;
  w.live_state().end();
  poll();
  poll();
  CHECK(last == Kind::kLeave);
  CHECK(follower->ended());
  w.begin_thread(5);
  w.live_state().begin().awaited = Awaited::kNothing;
  w.live_state().end();
  poll();
  CHECK(last == Kind::kThreadBegin);
  CHECK_FALSE(follower->ended());
}

TEST_CASE("a file that disappears or is cut is followed as far as it goes") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a");
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(path, 0) == 0);
  auto follower = RecordFollower::open(path), cut = RecordFollower::open(path);
  REQUIRE(follower);
  REQUIRE(cut);
  const auto count = [](RecordFollower& f) {
    std::uint64_t records = 0;
    for (int i = 0; i < 1000; ++i) records += f.poll([](const Record&) {}).records;
    return records;
  };
  for (Ticks t = 0; t < 5000; ++t) w.recv({0, 0, static_cast<std::int32_t>(t), 8}, t);
  std::filesystem::resize_file(path, kHeaderBytes + 3 * 4096);
  const std::uint64_t left = count(*cut);
  CHECK(left > 100);
  CHECK(left < 1000);  // two sealed chunks and the live one
  CHECK(cut->damages() == 1);
  CHECK(std::string(cut->first_damage()) == "file ends before its last chunk");
  std::filesystem::remove(path);
  w.recv({}, 9999);
  CHECK(count(*follower) == left + 1);
  std::filesystem::remove(path);
  CHECK_FALSE(RecordFollower::open(path));
}

TEST_CASE("nothing in a file makes a follower crash or hang") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("a"), broken = directory.file("b");
  {
    ThreadWriter w(0, 4096, 1000);
    Program program(w, 1);
    REQUIRE(w.move_to(path, 0) == 0);
    for (int i = 0; i < 2000; ++i) program.step();
  }
  const auto whole = read_file(path);
  const auto limit = 4 * whole.size();
  std::mt19937 random(1);
  std::uint64_t followed = 0, damages = 0;
  for (int round = 0; round < 2000; ++round) {
    auto bytes = whole;
    for (auto errors = 1 + random() % 8; errors-- > 0;) {
      // Often in the header, whose words lead to everything else.
      const std::size_t at = random() % 3 == 0 ? random() % 96 : random() % bytes.size();
      bytes[at] = static_cast<std::byte>(random() % 3 == 0 ? 0 : random());
    }
    if (random() % 4 == 0) bytes.resize(random() % bytes.size());
    std::ofstream(broken, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    auto follower = RecordFollower::open(broken);
    if (!follower) continue;
    std::uint64_t records = 0;
    const auto take = [&](const Record& r) { records += r.kind != Kind::kEnd ? 1 : 0; };
    for (int i = 0; i < 20; ++i) {
      (void)follower->poll(take, 1000);
      if (i == 10) follower->writer_is_gone();
    }
    CHECK(records <= limit);
    ++followed;
    damages += follower->damages() != 0 ? 1 : 0;
  }
  CHECK(followed > 500);
  CHECK(damages > 200);
}

TEST_CASE("a ring keeps the last chunks, and what is lost is counted to the last record") {
  const TemporaryDirectory directory;
  for (unsigned seed = 0; seed < 12; ++seed) {
    // The same program with a file that grows says what the records are.
    const std::string ring = directory.file("ring" + std::to_string(seed)),
                      grows = directory.file("grows" + std::to_string(seed));
    ThreadWriter w(0, 4096, 1000, 2 + seed), all_of_it(0, 4096, 1000);
    Program program(w, seed), same(all_of_it, seed);
    for (unsigned i = 0; i < 200 * seed; ++i) {  // in memory
      program.step();
      same.step();
    }
    REQUIRE(w.move_to(ring, 0) == 0);
    REQUIRE(all_of_it.move_to(grows, 0) == 0);
    const auto size = std::filesystem::file_size(ring);
    auto follower = RecordFollower::open(ring);
    REQUIRE(follower);
    std::vector<std::pair<std::uint64_t, Kept>> seen;  // with the number of the record
    std::uint64_t number = 0;
    const auto poll = [&] {
      std::vector<Kept> now;
      const auto batch =
          follower->poll([&](const Record& r) { now.push_back(kept(r)); }, 1 + seed * 40);
      number += batch.lost;
      for (Kept& k : now) {
        if (!is_event(k.kind)) continue;
        seen.emplace_back(number++, std::move(k));
      }
      return batch.more;
    };
    std::mt19937 random(seed);
    for (int i = 0; i < 20000; ++i) {
      program.step();
      if (random() % 500 == 0) poll();
    }
    w.program_end(Ticks{1} << 61);
    w.close();
    for (int i = 0; i < 100000 && !follower->ended(); ++i) poll();
    CHECK(std::filesystem::file_size(ring) == size);
    for (unsigned i = 0; i < 20000; ++i) same.step();
    all_of_it.program_end(Ticks{1} << 61);
    all_of_it.close();
    auto records = read_all(grows);
    std::erase_if(records, [](const Kept& k) { return !is_event(k.kind); });
    CHECK(follower->damages() == 0);
    CHECK(follower->lost_records() > 1000);
    CHECK(follower->seen_records() == seen.size());
    REQUIRE(follower->lost_records() + seen.size() == records.size());
    for (const auto& [at, record] : seen) REQUIRE(record == records[at]);
  }
}

TEST_CASE("a ring at full speed is followed, and every record is seen or counted") {
  const TemporaryDirectory directory;
  constexpr std::uint64_t kRecords = 20'000'000;
  ThreadWriter w(0, 4096, 0, 15);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  auto follower = RecordFollower::open(directory.file("a"));
  REQUIRE(follower);
  std::uint64_t number = 0, wrong = 0;
  {
    const std::jthread owner([&w] {
      for (Ticks t = 0; t < kRecords; ++t) w.enter(static_cast<RegionId>(t % 1000), t);
      w.program_end(kRecords);
    });
    while (!follower->ended()) {
      std::uint64_t at = 0;
      std::vector<Ticks> ticks;
      const auto batch = follower->poll([&](const Record& r) { ticks.push_back(r.ticks); }, 300);
      number += batch.lost;
      for (; at < ticks.size(); ++at, ++number) wrong += ticks[at] != number ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(number == kRecords + 1);
  CHECK(follower->seen_records() + follower->lost_records() == kRecords + 1);
}

TEST_CASE("a ring that moves where there is no room stays where it was") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0, 3);
  for (Ticks t = 0; t < 5000; ++t) w.enter(1, t);
  CHECK(w.try_move_to(directory.file("missing/a"), 0) == ENOENT);
  CHECK(w.in_memory());
  CHECK(w.losses().records == 0);
  REQUIRE(w.try_move_to(directory.file("a"), 0) == 0);
  w.program_end(5000);
  auto follower = RecordFollower::open(directory.file("a"));
  REQUIRE(follower);
  while (!follower->ended()) (void)follower->poll([](const Record&) {});
  CHECK(follower->seen_records() + follower->lost_records() == 5001);
  // A reader of the whole file finds the same: three chunks are sealed, one of them may be cut.
  const auto records = read_all(directory.file("a"));
  CHECK(records.size() > 1000);
  CHECK(records.back().kind == Kind::kProgramEnd);
}

TEST_CASE("the header changes while it is followed") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.enter(1, 1);
  auto follower = RecordFollower::open(directory.file("a"));
  REQUIRE(follower);
  const auto poll = [&] { return follower->poll([](const Record&) {}).records; };
  CHECK(poll() == 1);
  std::fstream file(directory.file("a"), std::ios::binary | std::ios::in | std::ios::out);
  file << "garbage!" << std::flush;
  w.leave(1, 5);
  CHECK(poll() == 0);
  CHECK(follower->damages() == 1);
  CHECK_FALSE(follower->ended());
  follower->writer_is_gone();
  CHECK(poll() == 0);
  CHECK(follower->ended());
}
