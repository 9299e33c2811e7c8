// SPDX-License-Identifier: BSD-3-Clause
// Calls of POSIX do the same whether they are recorded or not, and their records say what they did.
#include <fcntl.h>

#include <catch2/catch.hpp>

#include "tests/files/probe.hpp"
#include "tests/files/recorded_files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer::test;
using Lines = std::vector<std::string>;

namespace {

// Lines of records that begin with a word.
Lines with(const Lines& all, const std::string& word) {
  Lines found;
  for (const std::string& line : all) {
    if (line.starts_with(word + " ")) found.push_back(line);
  }
  return found;
}

}  // namespace

TEST_CASE("POSIX: results, errno and files are the same with and without records") {
  const TemporaryDirectory plain, recorded;
  const probe::Outcomes expected = probe::call_posix(plain.file("."));
  probe::Outcomes found;
  const Lines lines = recorded_calls([&] { found = probe::call_posix(recorded.file(".")); });
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(found[i].call);
    CHECK(found[i] == expected[i]);
  }
  CHECK(with(lines, "wrote") == Lines{"wrote posix 10 of 10", "wrote posix 5 of 5",
                                      "wrote posix 5 of 5", "wrote posix 7 of 7",
                                      "wrote posix 7 of 7", "wrote posix 7 of 7"});
  CHECK(with(lines, "read") == Lines{"read posix 4 of 4", "read posix 4 of 4", "read posix 4 of 4",
                                     "read posix 4 of 4", "read posix 4 of 4", "read posix 4 of 4",
                                     "read posix 7 of 7", "read posix 7 of 7", "read posix 7 of 7",
                                     "read posix 5 of 64", "read posix 0 of 64"});
  CHECK(with(lines, "flushed") == Lines{"flushed posix 0 of 0", "flushed posix 0 of 0"});
  CHECK(with(lines, "moved") == Lines{"moved posix 2 from 0 to 2", "moved posix -5 from 2 to 52"});
  CHECK(with(lines, "created").size() == with(lines, "destroyed").size());
  CHECK(with(lines, "enter").size() == with(lines, "leave").size());
  CHECK(last_uncounted().left_out == 0);
}

TEST_CASE("calls that fail fail in the same way") {
  const TemporaryDirectory plain, recorded;
  const probe::Outcomes expected = probe::call_wrongly(plain.file("."));
  probe::Outcomes found;
  const Lines lines = recorded_calls([&] { found = probe::call_wrongly(recorded.file(".")); });
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    INFO(found[i].call);
    CHECK(found[i] == expected[i]);
  }
  // A file that was opened to be written is read; a pipe; nothing of sockets.
  CHECK(with(lines, "read") ==
        Lines{"read wrong 0 of 8", with(lines, "read")[1], "read pipe 8 of 8", "read pipe 0 of 8"});
  CHECK(with(lines, "enter").size() == with(lines, "leave").size());
}

TEST_CASE("the records of a call are between its enter and its leave") {
  const TemporaryDirectory directory;
  const Lines lines = recorded_files([&] {
    const int file = probe::open_file(directory.file("a"), O_CREAT | O_WRONLY | O_APPEND);
    probe::write_bytes(file, "12345", 5);
    probe::close_file(file);
  });
  CHECK(lines == Lines{"enter open", "described a POSIX 1 0x1 0x2", "created a", "leave open",
                       "enter write", "wrote a 5 of 5", "leave write", "enter close", "destroyed a",
                       "leave close"});
}
