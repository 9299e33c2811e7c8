// SPDX-License-Identifier: BSD-3-Clause
// A key is made once, and is used only if nobody else can read it.
#include "tracer/watch/gather/run_key.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer::watch;

TEST_CASE("the key of a run is made once, and only its owner can read it") {
  const latecomer::test::TemporaryDirectory directory;
  const std::string file = directory.file("key");
  CHECK(!read_run_key(file));
  REQUIRE(make_run_key(file));
  struct stat about {};
  REQUIRE(stat(file.c_str(), &about) == 0);
  CHECK((about.st_mode & 0777) == 0600);
  const auto key = read_run_key(file);
  REQUIRE(key);
  CHECK(key->public_key.size() == 40);
  CHECK(key->public_key != key->secret_key);
  REQUIRE(make_run_key(file));
  CHECK(read_run_key(file)->secret_key == key->secret_key);
  const auto names = std::distance(std::filesystem::directory_iterator(directory.file("")), {});
  CHECK(names == 1);
}

TEST_CASE("a file that is no key, or that others can read, is refused in words") {
  const latecomer::test::TemporaryDirectory directory;
  const std::string file = directory.file("key");
  REQUIRE(make_run_key(file));
  REQUIRE(chmod(file.c_str(), 0640) == 0);
  auto read = read_run_key(file);
  REQUIRE(!read);
  CHECK(read.problem().what.find("others may read") != std::string::npos);
  CHECK(read.problem().next.find("chmod 600") != std::string::npos);
  std::ofstream(file) << "latecomer watch key 1\nshort\nshort\n";
  REQUIRE(chmod(file.c_str(), 0600) == 0);
  read = read_run_key(file);
  REQUIRE(!read);
  CHECK(read.problem().what.find("holds no key") != std::string::npos);
  CHECK(!read_run_key(directory.file("none")));
  CHECK(!make_run_key(directory.file("none/key")));
}
