// SPDX-License-Identifier: BSD-3-Clause
// The umask with which the process began, and the modes of files made with it.
#include "archive/first_umask.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>

#include "archive/plain_file.hpp"

namespace {

using namespace latecomer;  // NOLINT: a test

mode_t mode_of(const std::string& path) {
  struct stat status {};
  return stat(path.c_str(), &status) == 0 ? status.st_mode & 07777 : 0;
}

}  // namespace

TEST_CASE("modes are those of the first umask") {
  std::string place = "/tmp/umask_test_XXXXXX";
  REQUIRE(mkdtemp(place.data()) != nullptr);
  const mode_t before = umask(027);
  note_first_umask();
  for (const mode_t changed : {mode_t{0777}, mode_t{0}, mode_t{077}, mode_t{027}}) {
    umask(changed);
    const std::string top = place + "/a" + std::to_string(changed), below = top + "/b/c";
    std::error_code error;
    CHECK(make_directories(below, error));
    CHECK(!error);
    CHECK(!make_directory(below, error));
    for (const auto& path : {top, top + "/b", below}) CHECK(mode_of(path) == 0750);
    const std::string file = below + "/file", other = below + "/other";
    CHECK(write_plain(file, "x") == 0);
    CHECK(append_plain(other, "x") == 0);
    CHECK(mode_of(file) == 0640);
    CHECK(mode_of(other) == 0640);
    CHECK(umask(changed) == changed);  // the umask of the program is unchanged
  }
  SECTION("what has another mode for another reason keeps it") {
    umask(027);
    const std::string file = place + "/shared";
    REQUIRE(write_plain(file, "") == 0);
    REQUIRE(chmod(file.c_str(), 0600) == 0);
    mend_mode(file);
    CHECK(mode_of(file) == 0600);
  }
  umask(before);
  note_first_umask();
  std::filesystem::remove_all(place);
}
