// SPDX-License-Identifier: BSD-3-Clause
// Records in memory and in files: chunks, moves, full disks, kills, and the end.
#include "tracer/record/writer.hpp"

#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <thread>

#include "tests/support/read_records.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::read_header;
using latecomer::test::read_records;
using latecomer::test::TemporaryDirectory;

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
  const auto all = read_records(read_file(directory.file("a")));
  REQUIRE(all.size() == before + after);
  for (std::size_t i = 0; i < all.size(); ++i) {
    REQUIRE(all[i].id == i);
    REQUIRE(all[i].ticks == i);
  }
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

TEST_CASE("what was in memory and cannot be stored is counted as lost") {
  const TemporaryDirectory directory;
  ThreadWriter w(0, 4096, 0);
  // Each record takes one word, except the first one.
  for (Ticks i = 0; i < 2000; ++i) {
    w.enter(1, 10 * i);
    w.recv({0, 1, 2, 8}, 10 * i + 5);
    w.leave(1, 10 * i + 5);
    w.enter(2, 10 * i + 6);
    w.collective({}, 10 * i + 6, 10 * i + 7);
    w.leave(2, 10 * i + 7);
  }
  CHECK(w.move_to(directory.file("missing/a"), 0) == ENOENT);
  CHECK(w.losses().records == 7 * 2000);
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
  const auto all = read_records(bytes);
  CHECK(all.size() > 1400);
  CHECK(all.size() + read_header(bytes).lost_records == 10000);
  CHECK(read_header(bytes).lost_bytes == 8 * read_header(bytes).lost_records);
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
  const auto all = read_records(read_file(directory.file("a")));
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
  CHECK(read_records(read_file(directory.file("a"))).size() == 3000);
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
  CHECK(read_records(read_file(directory.file("a"))).size() == 1);
}

TEST_CASE("a closed file ends with its last record, unless that saves little") {
  const TemporaryDirectory directory;
  for (const std::size_t chunk : {std::size_t{16} << 10, std::size_t{256} << 10}) {
    const std::string path = directory.file(std::to_string(chunk));
    ThreadWriter w(0, chunk, 0);
    REQUIRE(w.move_to(path, 0) == 0);
    w.enter(1, 1);
    w.close();
    CHECK(read_records(read_file(path)).size() == 1);
    // header + (time, time record) + enter; 16 KiB stay as they are
    CHECK(std::filesystem::file_size(path) == kHeaderBytes + (chunk > 32U << 10 ? 3 * 8 : chunk));
  }
}
