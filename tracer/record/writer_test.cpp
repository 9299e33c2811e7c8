// SPDX-License-Identifier: BSD-3-Clause
// The words of records: the reader returns what was written, with its time and arguments.
#include "tracer/record/writer.hpp"

#include <catch2/catch.hpp>
#include <cerrno>

#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::read_header;
using latecomer::test::read_records;
using latecomer::test::TemporaryDirectory;

namespace {

// Writes one record of each kind, at times t+1, t+2, ...
void write_all(ThreadWriter& w, Ticks t) {
  const Message m{7, 3, 42, 1000};
  const Collective c{9, 11, kRootNone, 128, 256};
  w.program_begin(t + 1);
  w.enter(5, t + 2);
  w.send(m, t + 3);
  w.recv(m, t + 4);
  w.isend(m, 100, t + 5);
  w.isend_complete(100, t + 6);
  w.irecv_request(101, t + 7);
  w.irecv(m, 101, t + 8);
  w.request_test(102, t + 9);
  w.request_cancelled(102, t + 10);
  w.collective_begin(t + 11);
  w.collective_end(c, t + 12);
  w.nonblocking_request(103, t + 13);
  w.nonblocking_complete(c, 103, t + 14);
  w.comm_create(12, t + 15);
  w.comm_destroy(12, t + 16);
  w.measurement(true, t + 17);
  w.measurement(false, t + 18);
  w.leave(5, t + 19);
  w.program_end(t + 20);
}

}  // namespace

TEST_CASE("every kind of record comes back with its time and arguments") {
  const TemporaryDirectory directory;
  ThreadWriter w(2, 1 << 16, 1000);
  write_all(w, 1000);
  REQUIRE(w.move_to(directory.file("a"), 6) == 0);
  w.close();
  const auto bytes = read_file(directory.file("a"));
  CHECK(read_header(bytes).rank == 6);
  CHECK(read_header(bytes).thread == 2);
  const auto all = read_records(bytes);
  REQUIRE(all.size() == 20);
  for (std::size_t i = 0; i < all.size(); ++i) CHECK(all[i].ticks == 1001 + i);
  CHECK(all[1].kind == Kind::kEnter);
  CHECK(all[1].id == 5);
  for (const std::size_t i : {2U, 3U, 4U, 7U}) {
    CHECK(all[i].id == 7);
    CHECK(all[i].peer() == 3);
    CHECK(all[i].tag() == 42);
    CHECK(all[i].bytes() == 1000);
  }
  CHECK(all[4].request() == 100);
  CHECK(all[5].request() == 100);
  CHECK(all[7].request() == 101);
  for (const std::size_t i : {11U, 13U}) {
    CHECK(all[i].id == 9);
    CHECK(all[i].op() == 11);
    CHECK(all[i].root() == kRootNone);
    CHECK(all[i].sent() == 128);
    CHECK(all[i].received() == 256);
  }
  CHECK(all[13].request() == 103);
  CHECK(all[16].id == 1);
  CHECK(all[17].id == 0);
}

TEST_CASE("ids over 18 bits and distances over 40 bits") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 5);
  const Ticks far = Ticks{1} << 50;
  w.enter(kMaxId, 10);
  w.enter(kMaxId + 1, 20);
  w.leave(0xffffffff, far);
  w.leave(1, far + kMaxDistance);
  w.leave(2, far + 2 * kMaxDistance + 1);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  const auto all = read_records(read_file(directory.file("a")));
  REQUIRE(all.size() == 5);
  CHECK(all[0].id == kMaxId);
  CHECK(all[1].id == kMaxId + 1);
  CHECK(all[2].id == 0xffffffff);
  CHECK(all[2].ticks == far);
  CHECK(all[3].id == 1);
  CHECK(all[3].ticks == far + kMaxDistance);
  CHECK(all[4].ticks == far + 2 * kMaxDistance + 1);
}

TEST_CASE("a collective says whether all its counts are positive") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 0);
  w.collective_end({9, 9, kRootNone, 128, 256, true}, 1);
  w.nonblocking_complete({9, 10, kRootThisGroup, 128, 256, false, true}, 7, 2);
  w.nonblocking_complete({9, 16, kRootNone, 1, 2, true, false, kSeriesMask}, 8, 3);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  const auto all = read_records(read_file(directory.file("a")));
  REQUIRE(all.size() == 3);
  CHECK(all[0].series() == 0);
  CHECK(all[2].series() == kSeriesMask);
  CHECK(all[2].op() == 16);
  CHECK(all[2].root() == kRootNone);
  CHECK(all[2].all_positive());
  CHECK_FALSE(all[2].neighborhood());
  CHECK(all[0].op() == 9);
  CHECK(all[0].root() == kRootNone);
  CHECK(all[0].all_positive());
  CHECK(all[1].op() == 10);
  CHECK(all[1].root() == kRootThisGroup);
  CHECK_FALSE(all[1].all_positive());
  CHECK_FALSE(all[0].neighborhood());
  CHECK(all[1].neighborhood());
}

TEST_CASE("records of one-sided communication") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 0);
  w.rma_collective_end(3, 21, kLevelProcess | kLevelMemory, 1);
  w.rma_request_lock(3, kEverybody, true, 2);
  w.rma_put({3, 9, std::uint64_t{1} << 40}, 77, 3);
  w.rma_atomic({3, 9, 8}, 7, 16, 78, 4);
  w.rma_complete(3, 77, 5);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  const auto all = read_records(read_file(directory.file("a")));
  REQUIRE(all.size() == 5);
  for (const auto& r : all) CHECK(r.id == 3);
  CHECK(all[0].lower() == 21);
  CHECK(all[0].upper() == 3);
  CHECK(all[1].lower() == 0xffffffff);
  CHECK(all[1].upper() == 1);
  CHECK(all[2].kind == Kind::kRmaPut);
  CHECK(all[2].lower() == 9);
  CHECK(all[2].words[1] == std::uint64_t{1} << 40);
  CHECK(all[2].words[2] == 77);
  CHECK(all[3].upper() == 7);
  CHECK(all[3].words[2] == 16);
  CHECK(all[3].words[3] == 78);
  CHECK(all[4].words[0] == 77);
}

TEST_CASE("time that steps back is clamped and counted") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 16, 0);
  w.enter(1, 100);
  w.enter(2, 90);
  w.enter(3, 101);
  CHECK(w.losses().clamped_times == 1);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  const auto bytes = read_file(directory.file("a"));
  const auto all = read_records(bytes);
  REQUIRE(all.size() == 3);
  CHECK(all[1].ticks == 100);
  CHECK(all[2].ticks == 101);
  CHECK(read_header(bytes).clamped_times == 1);
}

TEST_CASE("errno of the program survives the cold paths") {
  const TemporaryDirectory directory;
  errno = 77;
  ThreadWriter w(0, 4096, 0);
  for (Ticks i = 0; i < 2000; ++i) w.enter(1, i);
  CHECK(w.move_to("/nonexistent/directory/file", 0) == ENOENT);
  CHECK(errno == 77);
}

TEST_CASE("the time in which a full chunk is stored is recorded behind it") {
  static Ticks clock = 0;
  const TemporaryDirectory directory;
  const std::string path = directory.file("0.0.rec");
  ThreadWriter w(0, 4096, 10);
  static int stored = 0;
  w.time_flushes([] { return clock += 5; }, [] { ++stored; });
  REQUIRE(w.move_to(path, 0) == 0);
  for (Ticks t = 10; t < 2000; ++t) w.enter(2, t);
  w.close();
  std::vector<Record> flushes;
  for (const Record& r : read_records(read_file(path))) {
    if (r.kind == Kind::kFlush) flushes.push_back(r);
  }
  REQUIRE(flushes.size() == read_header(read_file(path)).sealed);
  REQUIRE(flushes.size() > 2);
  CHECK(stored == static_cast<int>(flushes.size()));
  for (std::size_t i = 0; i < flushes.size(); ++i) {
    CHECK(flushes[i].words[0] == 10 * i + 5);
    CHECK(flushes[i].words[1] == 5);
  }
}

TEST_CASE("a call path is written where it changes and at the beginning of each chunk") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("0.0.rec");
  ThreadWriter w(0, 4096, 10);
  REQUIRE(w.move_to(path, 0) == 0);
  w.call_path(0);  // nothing new
  w.enter(1, 20);
  w.call_path(7);
  w.call_path(7);
  w.leave(1, 30);
  const FrameId wide = (1U << 18) + 5;
  w.call_path(wide);
  for (Ticks t = 40; t < 2000; ++t) w.enter(2, t);
  w.call_path(0);
  w.leave(2, 3000);
  w.close();
  const auto all = read_records(read_file(path));
  REQUIRE(all.size() > 1900);
  CHECK(all[1].kind == Kind::kCallPath);
  CHECK(all[1].id == 7);
  CHECK(all[1].ticks == 20);  // the time of the previous record
  CHECK(all[2].kind == Kind::kLeave);
  CHECK(all[2].ticks == 30);
  std::size_t repeated = 0;
  for (std::size_t i = 3; i + 2 < all.size(); ++i) {
    if (all[i].kind != Kind::kCallPath) continue;
    CHECK(all[i].id == wide);
    ++repeated;
  }
  CHECK(repeated == 1 + read_header(read_file(path)).sealed);
  CHECK(all[all.size() - 2].kind == Kind::kCallPath);
  CHECK(all[all.size() - 2].id == 0);
}

TEST_CASE("another thread goes on in a file without the call path of the one before") {
  const TemporaryDirectory directory;
  const std::string path = directory.file("0.1.rec");
  ThreadWriter w(1, 4096, 10);
  REQUIRE(w.move_to(path, 0) == 0);
  w.call_path(7);
  w.enter(1, 20);
  CHECK(w.can_go_on());
  w.begin_thread(30);
  CHECK(w.call_path() == 0);
  for (Ticks t = 40; t < 2000; ++t) w.enter(2, t);
  w.call_path(7);  // the same as that of the thread before
  w.enter(1, 3000);
  w.close();
  CHECK_FALSE(w.can_go_on());
  const auto all = read_records(read_file(path));
  REQUIRE(all.size() == 2 + 1 + 1960 + 2);
  CHECK(all[2].kind == Kind::kThreadBegin);
  CHECK(all[2].ticks == 30);
  for (std::size_t i = 3; i < 1963; ++i) CHECK(all[i].kind == Kind::kEnter);
  CHECK(all[1963].kind == Kind::kCallPath);
  CHECK(read_header(read_file(path)).sealed > 1);
}
