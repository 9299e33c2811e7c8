// SPDX-License-Identifier: BSD-3-Clause
// What is written comes back, in memory and in files, across chunks, threads, full disks and kills.
#include "tracer/record/writer.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <thread>

#include "temporary_directory.hpp"
#include "tracer/record/reader.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::TemporaryDirectory;

namespace {

std::vector<Record> records(const std::vector<std::byte>& bytes) {
  auto reader = RecordReader::over(bytes);
  REQUIRE(reader.ok());
  std::vector<Record> all;
  for (Record r; reader->next(r);) all.push_back(r);
  CHECK(reader->damages().empty());
  return all;
}

FileHeader header(const std::vector<std::byte>& bytes) {
  return RecordReader::over(bytes)->header();
}

// One of each kind, at times t+1, t+2, ...
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
  CHECK(header(bytes).rank == 6);
  CHECK(header(bytes).thread == 2);
  const auto all = records(bytes);
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

TEST_CASE("a move in the middle and many chunks lose nothing") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  const int before = 2000, after = 5000;  // 4096 bytes hold about 500 records
  for (int i = 0; i < before; ++i) w.enter(static_cast<RegionId>(i), static_cast<Ticks>(i));
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  CHECK_FALSE(w.in_memory());
  for (int i = before; i < before + after; ++i) {
    w.enter(static_cast<RegionId>(i), static_cast<Ticks>(i));
  }
  w.close();
  const auto all = records(read_file(directory.file("a")));
  REQUIRE(all.size() == before + after);
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i].id == i);
    REQUIRE(all[i].ticks == i);
  }
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
  const auto all = records(read_file(directory.file("a")));
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
  const auto all = records(read_file(directory.file("a")));
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
  const auto all = records(read_file(directory.file("a")));
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
  const auto all = records(bytes);
  REQUIRE(all.size() == 3);
  CHECK(all[1].ticks == 100);
  CHECK(all[2].ticks == 101);
  CHECK(header(bytes).clamped_times == 1);
}

TEST_CASE("errno of the program survives the cold paths") {
  const TemporaryDirectory directory;
  errno = 77;
  ThreadWriter w(0, 4096, 0);
  for (Ticks i = 0; i < 2000; ++i) w.enter(1, i);
  CHECK(w.move_to("/nonexistent/directory/file", 0) == ENOENT);
  CHECK(errno == 77);
}

TEST_CASE("without a file everything is counted as lost") {
  ThreadWriter w(0, 4096, 0);
  for (Ticks i = 0; i < 1000; ++i) w.enter(1, i);
  CHECK(w.move_to("/nonexistent/directory/file", 0) == ENOENT);
  w.send(Message{}, 2000);
  // 1000 records of one word, one of three
  CHECK(w.losses().records == 1001);
  CHECK(w.losses().bytes == 1000 * 8 + 24);
  CHECK(w.losses().error == ENOENT);
}

TEST_CASE("a limit of the file size stops recording without a signal, losses are exact") {
  const TemporaryDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{kHeaderBytes + 3 * 4096 + 100, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    ThreadWriter w(0, 4096, 0);
    if (w.move_to(directory.file("a"), 0) != 0) _exit(10);
    for (Ticks i = 0; i < 10000; ++i) w.enter(1, i);
    w.close();
    _exit(w.losses().error == EFBIG ? 0 : 11);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  const auto bytes = read_file(directory.file("a"));
  const auto all = records(bytes);
  CHECK(all.size() > 1400);
  CHECK(all.size() + header(bytes).lost_records == 10000);
  CHECK(header(bytes).lost_bytes == 8 * header(bytes).lost_records);
}

TEST_CASE("a killed process leaves whole records") {
  const TemporaryDirectory directory;
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  if (child == 0) {
    ThreadWriter w(0, 8192, 0);
    if (w.move_to(directory.file("a"), 0) != 0) _exit(1);
    for (Ticks i = 0;; ++i) {
      w.send(Message{1, 2, 3, i}, i);
      if (i == 20000 && write(ready[1], "x", 1) != 1) _exit(2);
    }
  }
  char signal_byte = 0;
  REQUIRE(read(ready[0], &signal_byte, 1) == 1);
  kill(child, SIGKILL);
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFSIGNALED(status));
  const auto all = records(read_file(directory.file("a")));
  CHECK(all.size() > 20000);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].ticks != i || all[i].bytes() != i) FAIL("record " << i << " is damaged");
  }
}

TEST_CASE("memory before the directory is known is bounded") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 1 << 20, 0);
  const Ticks many = 2 * ThreadWriter::kMaxMemoryBytes / 8;
  for (Ticks i = 0; i < many; ++i) w.enter(1, i);
  CHECK(w.losses().error == ENOBUFS);
  CHECK(w.losses().records > 0);
  const std::uint64_t lost = w.losses().records;
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.close();
  auto file = read_file(directory.file("a"));
  auto reader = RecordReader::over(file);
  std::uint64_t found = 0;
  for (Record r; reader->next(r);) ++found;
  CHECK(found + lost == many);
}

TEST_CASE("memory can be saved by another thread while the owner goes on") {
  const TemporaryDirectory directory;
  ThreadWriter w(1, 4096, 0);
  for (Ticks i = 0; i < 3000; ++i) w.enter(1, i);
  std::thread([&] { CHECK(w.save_to(directory.file("a"), 0) == 0); }).join();
  w.enter(1, 3000);
  CHECK(records(read_file(directory.file("a"))).size() == 3000);
  CHECK(w.in_memory());
}

TEST_CASE("nothing is recorded or counted after close") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  w.enter(1, 1);
  w.close();
  for (Ticks i = 0; i < 1000; ++i) w.enter(1, 2 + i);
  CHECK(w.losses().records == 0);
  CHECK(records(read_file(directory.file("a"))).size() == 1);
  // header + (time, time record) + enter
  CHECK(std::filesystem::file_size(directory.file("a")) == kHeaderBytes + 3 * 8);
}

namespace {
ThreadWriter* interrupted = nullptr;
volatile Ticks program_time = 0;
volatile sig_atomic_t handled = 0;

void record_in_handler(int) {
  // Time runs on in the handler.
  interrupted->send(Message{}, program_time);
  handled = handled + 1;
}
}  // namespace

TEST_CASE("signal handlers that record leave the records of the program whole") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  interrupted = &w;
  struct sigaction action {};
  action.sa_handler = record_in_handler;
  REQUIRE(sigaction(SIGALRM, &action, nullptr) == 0);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const Ticks many = 3'000'000;
  for (Ticks i = 0; i < many; ++i) {
    program_time = i;
    w.leave(static_cast<RegionId>(i & 1023), i);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  w.close();
  std::uint64_t program = 0, handlers = 0;
  for (const Record& r : records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kLeave) {
      if (r.ticks != program || r.id != (program & 1023)) FAIL("record " << program);
      ++program;
    } else {
      ++handlers;
    }
  }
  CHECK(program == many);
  CHECK(handled > 0);
  CHECK(handlers + w.losses().records == static_cast<std::uint64_t>(handled));
  CHECK(w.losses().clamped_times == 0);
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
  const auto all = records(read_file(path));
  REQUIRE(all.size() > 1900);
  CHECK(all[1].kind == Kind::kCallPath);
  CHECK(all[1].id == 7);
  CHECK(all[1].ticks == 20);  // the time of the record before
  CHECK(all[2].kind == Kind::kLeave);
  CHECK(all[2].ticks == 30);
  std::size_t repeated = 0;
  for (std::size_t i = 3; i + 2 < all.size(); ++i) {
    if (all[i].kind != Kind::kCallPath) continue;
    CHECK(all[i].id == wide);
    ++repeated;
  }
  CHECK(repeated == 1 + header(read_file(path)).sealed);
  CHECK(all[all.size() - 2].kind == Kind::kCallPath);
  CHECK(all[all.size() - 2].id == 0);
}

namespace {

std::uint64_t calls_of(const Record& r) { return r.words[0] & kMostInVain; }
std::uint64_t time_of(const Record& r) { return r.words[0] >> kInVainBits; }

struct Polling {
  void test(RegionId region, Ticks begin, Ticks end) {
    w.enter(region, begin);
    w.leave_in_vain(region, end);
  }
  ThreadWriter& w;
};

}  // namespace

TEST_CASE("tests in vain in a row are one visit with their number and time") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  Polling p{w};
  // 3 + 4 + 1
  p.test(5, 100, 103);
  p.test(5, 110, 114);
  p.test(5, 120, 121);
  // another function; the one before again; one that completes something
  p.test(6, 130, 132);
  p.test(5, 140, 141);
  w.enter(5, 150);
  w.leave(5, 155);
  // two rows apart by a call path, and by a user region
  p.test(5, 160, 161);
  w.call_path(3);
  p.test(5, 170, 172);
  p.test(5, 180, 182);
  w.enter(5000, 190);
  w.leave(5000, 191);
  p.test(5, 200, 203);
  w.close();
  std::string text;
  for (const Record& r : records(read_file(directory.file("a")))) {
    const auto number = std::to_string(r.ticks);
    if (r.kind == Kind::kEnter) text += number + "-";
    if (r.kind == Kind::kLeave) text += number + " ";
    if (r.kind == Kind::kCallPath) text += "path ";
    if (r.kind != Kind::kLeaveInVain) continue;
    text += number + "x" + std::to_string(calls_of(r)) + "=" + std::to_string(time_of(r)) + " ";
  }
  CHECK(text ==
        "100-121x3=8 130-132x1=2 140-141x1=1 150-155 160-161x1=1 path 170-182x2=4 190-191 "
        "200-203x1=3 ");
  CHECK(w.losses().records == 0);
}

TEST_CASE("rows of tests end where their record is full, with the chunk, and in pauses") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  Polling p{w};
  Ticks t = 0;
  std::uint64_t calls = 0, time = 0;
  const auto test = [&](RegionId region, Ticks length, Ticks pause) {
    p.test(region, t, t + length);
    t += length + pause;
    time += length;
    ++calls;
  };
  // Rows of three, over many chunks.
  for (int i = 0; i < 6000; ++i) test(static_cast<RegionId>(i / 3 % 2), 2, 1);
  // Longer than the field of the distance, and a test that is.
  test(7, 1, Ticks{1} << 39);
  test(7, 1, Ticks{1} << 39);
  test(7, 1, Ticks{1} << 39);
  test(7, 1, Ticks{1} << 41);
  test(7, 1, 1);
  p.test(8, t, t + (Ticks{1} << 41));  // written as any other call
  t += (Ticks{1} << 41) + 1;
  // More calls than the field holds.
  for (std::uint64_t i = 0; i < kMostInVain + 5; ++i) test(9, 1, 0);
  // Nothing of a pause.
  w.pause(t);
  p.test(9, t, t + 1);
  p.test(9, t + 1, t + 2);
  w.resume(t + 2);
  t += 2;
  test(9, 1, 1);
  test(9, 1, 1);
  w.close();
  std::uint64_t found_calls = 0, found_time = 0, rows = 0, plain = 0;
  Ticks entered = 0;
  for (const Record& r : records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kEnter) entered = r.ticks;
    if (r.kind == Kind::kLeave) ++plain;
    if (r.kind != Kind::kLeaveInVain) continue;
    ++rows;
    found_calls += calls_of(r);
    found_time += time_of(r);
    CHECK(time_of(r) <= r.ticks - entered);
  }
  CHECK(found_calls == calls);
  CHECK(found_time == time);
  CHECK(plain == 1);
  // 2000 rows, more where chunks end; then by distance, by number, by the pause.
  CHECK(rows >= 2000 + 3 + 2 + 1);
  CHECK(rows < 2100);
  CHECK(w.losses().records == 0);
}

TEST_CASE("a process that is killed while it tests leaves whole rows") {
  const TemporaryDirectory directory;
  for (int round = 0; round < 20; ++round) {
    const std::string path = directory.file(std::to_string(round));
    int ready[2];
    REQUIRE(pipe(ready) == 0);
    const pid_t child = fork();
    if (child == 0) {
      ThreadWriter w(0, 8192, 0);
      if (w.move_to(path, 0) != 0) _exit(1);
      Polling p{w};
      for (Ticks i = 0;; ++i) {
        p.test(i % 1000 < 900 ? 1 : 2, 10 * i, 10 * i + 3);
        if (i == 20000 && write(ready[1], "x", 1) != 1) _exit(2);
      }
    }
    close(ready[1]);
    char byte = 0;
    REQUIRE(read(ready[0], &byte, 1) == 1);
    usleep(static_cast<useconds_t>(round * 37));
    kill(child, SIGKILL);
    int status = 0;
    waitpid(child, &status, 0);
    REQUIRE(WIFSIGNALED(status));
    close(ready[0]);
    Ticks entered = 0, last = 0;
    std::uint64_t calls = 0;
    bool open = false, good = true;
    for (const Record& r : records(read_file(path))) {
      if (r.kind == Kind::kEnter) entered = r.ticks, open = true;
      if (r.kind == Kind::kLeaveInVain) {
        // Calls of 3 ticks every 10; of the last row the last call may be missing.
        const std::uint64_t n = calls_of(r);
        calls += n;
        last = r.ticks;
        good = good && time_of(r) == 3 * n && r.ticks - entered >= 10 * n - 7 &&
               r.ticks - entered <= 10 * n + 3;
        open = false;
      }
    }
    CHECK(good);
    CHECK(calls >= 20000);
    CHECK(calls + 1 >= last / 10);
    if (open) CHECK(entered + 13 >= last);
  }
}

TEST_CASE("signal handlers that record leave rows of tests whole") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  interrupted = &w;
  handled = 0;
  struct sigaction action {};
  action.sa_handler = record_in_handler;
  REQUIRE(sigaction(SIGALRM, &action, nullptr) == 0);
  const itimerval often{{0, 50}, {0, 50}};
  setitimer(ITIMER_REAL, &often, nullptr);
  const Ticks many = 5'000'000;
  for (Ticks i = 0; i < many; ++i) {
    program_time = 2 * i;
    w.enter(3, 2 * i);
    program_time = 2 * i + 1;
    w.leave_in_vain(3, 2 * i + 1);
  }
  const itimerval never{};
  setitimer(ITIMER_REAL, &never, nullptr);
  w.close();
  std::uint64_t program = 0, handlers = 0;
  for (const Record& r : records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kLeaveInVain) program += calls_of(r);
    if (r.kind == Kind::kSend) ++handlers;
  }
  CHECK(program == many);
  CHECK(handled > 0);
  CHECK(handlers + w.losses().records == static_cast<std::uint64_t>(handled));
}
