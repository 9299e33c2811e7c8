// SPDX-License-Identifier: BSD-3-Clause
// Reserving space changes no file, and fails in time if there is none.
#include "archive/otf2/room.hpp"

#include <sys/resource.h>
#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer;

namespace {

struct stat status_of(const std::string& path) {
  struct stat status {};
  REQUIRE(stat(path.c_str(), &status) == 0);
  return status;
}

}  // namespace

TEST_CASE("reserved room is not in the file, and is given back") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("x");
  std::ofstream(path) << "abc";
  const auto before = status_of(path).st_blocks;
  CHECK(otf2::reserve(path, 1 << 20) == 0);
  CHECK(status_of(path).st_size == 3);
  otf2::release(path);
  CHECK(status_of(path).st_size == 3);
  CHECK(status_of(path).st_blocks == before);
  CHECK(otf2::reserve(path, 2) == 0);
}

TEST_CASE("a limit of the process and a disk that is too small are known before") {
  const test::TemporaryDirectory directory;
  const std::string path = directory.file("x");
  std::ofstream(path) << "abc";
  CHECK(otf2::reserve(path, std::uint64_t{1} << 50) != 0);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{1000, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const int allowed = otf2::reserve(path, 1000), refused = otf2::reserve(path, 1001);
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK(allowed == 0);
  CHECK(refused == EFBIG);
  CHECK(otf2::reserve(directory.file("missing"), 1000) == 0);
}
