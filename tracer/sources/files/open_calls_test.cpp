// SPDX-License-Identifier: BSD-3-Clause
// Descriptors that are opened, closed and replaced are the files that they are at that time.
#include <fcntl.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/files/probe.hpp"
#include "tests/files/recorded_files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer::test;
using Lines = std::vector<std::string>;

namespace {

Lines without_regions(Lines lines) {
  std::erase_if(lines, [](const std::string& line) {
    return line.starts_with("enter ") || line.starts_with("leave ");
  });
  return lines;
}

}  // namespace

TEST_CASE("a file that is opened again with the same descriptor keeps its id") {
  const TemporaryDirectory directory;
  const Lines lines = recorded_files([&] {
    for (int i = 0; i < 3; ++i) {
      const int file = probe::open_file(directory.file("a"), O_CREAT | O_WRONLY);
      probe::close_file(file);
    }
    probe::close_file(probe::open_file(directory.file("a"), O_RDONLY));
  });
  CHECK(without_regions(lines) == Lines{"described a POSIX 1 0x1 0x0", "created a", "destroyed a",
                                        "created a", "destroyed a", "created a", "destroyed a",
                                        "described a POSIX 0 0x0 0x0", "created a", "destroyed a"});
}

TEST_CASE("what was open before is described at its first use") {
  const TemporaryDirectory directory;
  const int file = open(directory.file("a").c_str(), O_RDWR | O_CREAT | O_APPEND, 0600);
  CHECK(without_regions(recorded_files([&] {
          probe::write_bytes(file, "abc", 3);
          probe::close_file(file);
        })) == Lines{"described a POSIX 2 0x0 0x2 before", "wrote a 3 of 3", "destroyed a"});
}

TEST_CASE("a descriptor that another one replaces is that file from then on") {
  const TemporaryDirectory directory;
  const Lines lines = recorded_files([&] {
    const int a = probe::open_file(directory.file("a"), O_CREAT | O_WRONLY);
    const int b = probe::open_file(directory.file("b"), O_CREAT | O_WRONLY);
    probe::put_in_place(b, a);
    probe::write_bytes(a, "abc", 3);
    probe::close_file(b);
    probe::close_file(a);
  });
  CHECK(without_regions(lines) == Lines{"described a POSIX 1 0x1 0x0", "created a",
                                        "described b POSIX 1 0x1 0x0", "created b",
                                        "described b POSIX 1 0x0 0x0 before", "wrote b 3 of 3",
                                        "destroyed b", "destroyed b"});
}

TEST_CASE("closing all descriptors records those that were used") {
  const TemporaryDirectory directory;
  const Lines lines = recorded_calls([&] {
    const int a = probe::open_file(directory.file("a"), O_CREAT | O_WRONLY);
    probe::close_from_to(a, 1023);
  });
  CHECK(lines == Lines{"enter open", "created a", "leave open", "enter close", "destroyed a",
                       "leave close"});
}

TEST_CASE("a child of vfork() does not change what its parent knows") {
  const TemporaryDirectory directory;
  const Lines lines = recorded_calls([&] {
    const int a = probe::open_file(directory.file("a"), O_CREAT | O_WRONLY);
    if (vfork() == 0) {
      probe::close_file(a);
      _exit(0);
    }
    probe::write_bytes(a, "abc", 3);
    probe::close_file(a);
  });
  CHECK(lines == Lines{"enter open", "created a", "leave open", "enter write", "wrote a 3 of 3",
                       "leave write", "enter close", "destroyed a", "leave close"});
}
