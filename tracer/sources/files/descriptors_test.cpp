// SPDX-License-Identifier: BSD-3-Clause
// Names of descriptors: paths of files, kinds of other things.
#include "tracer/sources/files/descriptors.hpp"

#include <fcntl.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>

#include "tests/files/probe.hpp"
#include "tests/files/recorded_files.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace latecomer::test;
using Lines = std::vector<std::string>;

namespace {

// The line that describes a descriptor; empty if it is left out.
std::string description(int descriptor) {
  char byte = 0;
  const Lines lines = recorded_files([&] { probe::read_bytes(descriptor, &byte, 0); });
  return lines.empty() ? "" : lines.front();
}

}  // namespace

TEST_CASE("things that are no files are named by their kind, or left out") {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  CHECK(description(ends[0]) == "described pipe POSIX 0 0x0 0x0 before");
  close(ends[0]);
  close(ends[1]);
  const int terminal = posix_openpt(O_RDWR);
  if (terminal >= 0 && grantpt(terminal) == 0 && unlockpt(terminal) == 0) {
    const int other = open(ptsname(terminal), O_RDWR | O_NOCTTY | O_NONBLOCK);
    CHECK(description(other).starts_with("described terminal POSIX 2"));
    close(other);
  }
  close(terminal);
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) == 0);
  CHECK(description(ends[0]).empty());
  close(ends[0]);
  close(ends[1]);
  const int event = eventfd(1, EFD_NONBLOCK);
  CHECK(description(event).empty());
  close(event);
  const int null = open("/dev/null", O_RDONLY);
  CHECK(description(null) == "described null POSIX 0 0x0 0x0 before");
  close(null);
  CHECK(description(-1).empty());
}

TEST_CASE("relative paths become absolute ones") {
  const TemporaryDirectory directory;
  const int folder = open(directory.file(".").c_str(), O_RDONLY | O_DIRECTORY);
  const Lines lines = recorded_files([&] {
    probe::close_file(probe::open_below(folder, "./one/../one", O_WRONLY | O_CREAT));
    mkdirat(folder, "one", 0700);
    probe::close_file(probe::open_below(folder, "./one/../two", O_WRONLY | O_CREAT));
  });
  close(folder);
  // The first one fails.
  CHECK(std::ranges::count(lines, "described two POSIX 1 0x1 0x0") == 1);
}

TEST_CASE("long names come in parts, and end with dots") {
  const TemporaryDirectory directory;
  std::string path = directory.file(".");
  for (int i = 0; i < 10; ++i) {
    path += "/" + std::string(100, static_cast<char>('a' + i));
    if (i % 5 != 4) REQUIRE(mkdir(path.c_str(), 0700) == 0);
    if (i % 5 != 4) continue;
    const Lines lines =
        recorded_files([&] { probe::close_file(probe::open_file(path, O_WRONLY | O_CREAT)); });
    const auto more = std::ranges::count(lines, "named");
    const auto most =
        static_cast<long>((std::min<std::size_t>(path.size(), 1003) - 104 + 111) / 112);
    CHECK(more == most);
    const std::string created = lines[lines.size() - 2];
    CHECK(created ==
          "destroyed " +
              (path.size() <= 1000
                   ? std::string(100, static_cast<char>('a' + i))
                   : path.substr(0, 1000).substr(path.substr(0, 1000).rfind('/') + 1) + "..."));
    REQUIRE(unlink(path.c_str()) == 0);
    REQUIRE(mkdir(path.c_str(), 0700) == 0);
  }
}
