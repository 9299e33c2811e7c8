// SPDX-License-Identifier: BSD-3-Clause
// A streak of tests that complete nothing is one visit with their number and time.
#include "tracer/record/writer.hpp"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <string>

#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::calls_of;
using latecomer::test::Polling;
using latecomer::test::read_file;
using latecomer::test::read_records;
using latecomer::test::TemporaryDirectory;
using latecomer::test::time_of;

TEST_CASE("unsuccessful tests in a row are one visit with their number and time") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  Polling p{w};
  // The time is 3 + 4 + 1.
  p.test(5, 100, 103);
  p.test(5, 110, 114);
  p.test(5, 120, 121);
  // Another function, then the previous one again, then a test that completes something.
  p.test(6, 130, 132);
  p.test(5, 140, 141);
  w.enter(5, 150);
  w.leave(5, 155);
  // A call path separates two streaks, and so does a user region.
  p.test(5, 160, 161);
  w.call_path(3);
  p.test(5, 170, 172);
  p.test(5, 180, 182);
  w.enter(5000, 190);
  w.leave(5000, 191);
  p.test(5, 200, 203);
  w.close();
  std::string text;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    const auto number = std::to_string(r.ticks);
    if (r.kind == Kind::kEnter) text += number + "-";
    if (r.kind == Kind::kLeave) text += number + " ";
    if (r.kind == Kind::kCallPath) text += "path ";
    if (r.kind != Kind::kLeaveUnsuccessful) continue;
    text += number + "x" + std::to_string(calls_of(r)) + "=" + std::to_string(time_of(r)) + " ";
  }
  CHECK(text ==
        "100-121x3=8 130-132x1=2 140-141x1=1 150-155 160-161x1=1 path 170-182x2=4 190-191 "
        "200-203x1=3 ");
  CHECK(w.losses().records == 0);
}

TEST_CASE("what a signal handler records in unsuccessful tests, or after them") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(directory.file("a"), 0) == 0);
  Polling p{w};
  w.send({}, 10);
  p.test(5, 20, 21);
  w.enter(5, 30);
  w.send({}, 31);  // in the word of the enter
  w.leave_unsuccessful(5, 32);
  p.test(5, 40, 41);
  // The enter of the last test is no longer there.
  w.send({}, 50);
  w.send({}, 51);
  w.close();
  std::string text;
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kEnter) text += "(";
    if (r.kind == Kind::kSend) text += "send";
    if (r.kind == Kind::kLeaveUnsuccessful) text += std::to_string(calls_of(r)) + ")";
  }
  // The third test continues the streak that the second one began after the send.
  CHECK(text == "send(1)(send2)sendsend");
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
  // Distances that exceed their field, then a test that does so alone.
  test(7, 1, Ticks{1} << 39);
  test(7, 1, Ticks{1} << 39);
  test(7, 1, Ticks{1} << 39);
  test(7, 1, Ticks{1} << 41);
  test(7, 1, 1);
  p.test(8, t, t + (Ticks{1} << 41));  // written like any other call
  t += (Ticks{1} << 41) + 1;
  // More calls than the field holds.
  for (std::uint64_t i = 0; i < kMostPolls + 5; ++i) test(9, 1, 0);
  // Tests of a pause are not recorded.
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
  for (const Record& r : read_records(read_file(directory.file("a")))) {
    if (r.kind == Kind::kEnter) entered = r.ticks;
    if (r.kind == Kind::kLeave) ++plain;
    if (r.kind != Kind::kLeaveUnsuccessful) continue;
    ++rows;
    found_calls += calls_of(r);
    found_time += time_of(r);
    CHECK(time_of(r) <= r.ticks - entered);
  }
  CHECK(found_calls == calls);
  CHECK(found_time == time);
  CHECK(plain == 1);
  // 2000 streaks, more where chunks end; then those ended by distance, by number, and by the pause.
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
    for (const Record& r : read_records(read_file(path))) {
      if (r.kind == Kind::kEnter) entered = r.ticks, open = true;
      if (r.kind == Kind::kLeaveUnsuccessful) {
        // Calls take 3 of every 10 ticks. The last call of the last streak may be missing.
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
