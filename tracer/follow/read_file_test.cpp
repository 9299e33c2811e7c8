// SPDX-License-Identifier: BSD-3-Clause
// Files that are not there, end early, or were removed.
#include "tracer/follow/read_file.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer::follow;
using latecomer::test::TemporaryDirectory;

TEST_CASE("bytes at an offset, fewer at the end") {
  const TemporaryDirectory directory;
  std::ofstream(directory.file("a")) << "abcdef";
  const ReadFile file(directory.file("a"));
  REQUIRE(file.ok());
  std::filesystem::remove(directory.file("a"));
  std::array<std::byte, 4> bytes{};
  CHECK(file.read(bytes, 1) == 4);
  CHECK(bytes[0] == std::byte{'b'});
  CHECK(file.read(bytes, 4) == 2);
  CHECK(file.read(bytes, 100) == 0);
  CHECK(file.read(bytes, ~std::size_t{0} - 2) == 0);
}

TEST_CASE("a file that is not there has an errno") {
  const TemporaryDirectory directory;
  const ReadFile file(directory.file("a"));
  CHECK(errno == ENOENT);
  CHECK_FALSE(file.ok());
  CHECK_FALSE(ReadFile(directory.file("")).ok());  // a directory
}
