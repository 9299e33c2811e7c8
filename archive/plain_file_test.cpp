// SPDX-License-Identifier: BSD-3-Clause
// Only regular files are read, no link is followed for writing, and nothing blocks.
#include "archive/plain_file.hpp"

#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
namespace fs = std::filesystem;

namespace {

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Creates one of each kind of special file.
void make_special(const test::TemporaryDirectory& directory) {
  REQUIRE(mkfifo(directory.file("fifo").c_str(), 0600) == 0);
  fs::create_directory(directory.file("folder"));
  fs::create_symlink("/dev/zero", directory.file("zero"));
  const int made = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = directory.file("socket");
  REQUIRE(path.size() < sizeof address.sun_path);
  path.copy(address.sun_path, path.size());
  REQUIRE(bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  close(made);
}

}  // namespace

TEST_CASE("a regular file is read, also behind a link") {
  const test::TemporaryDirectory directory;
  const std::string text(200'000, 'x');
  std::ofstream(directory.file("file")) << text;
  fs::create_symlink("file", directory.file("link"));
  CHECK(plain_content(directory.file("file")) == text);
  CHECK(plain_content(directory.file("link")) == text);
  CHECK(plain_content(directory.file("file"), text.size()) == text);
  CHECK_FALSE(plain_content(directory.file("file"), text.size() - 1));
  CHECK(errno == EFBIG);
  CHECK_FALSE(plain_content(directory.file("missing")));
  CHECK(errno == ENOENT);
}

TEST_CASE("anything else is neither read nor added to") {
  const test::TemporaryDirectory directory;
  make_special(directory);
  for (const char* name : {"fifo", "folder", "zero", "socket"}) {
    INFO(name);
    CHECK(open_plain(directory.file(name)) == -1);
    CHECK(errno == (name == std::string("folder") ? EISDIR : EINVAL));
    CHECK_FALSE(plain_content(directory.file(name)));
    CHECK(append_plain(directory.file(name), "text") != 0);
  }
  CHECK(file_error(EINVAL) == "not a regular file");
}

TEST_CASE("what is written replaces a link and leaves alone where it leads") {
  const test::TemporaryDirectory directory;
  make_special(directory);
  std::ofstream(directory.file("outside")) << "mine";
  fs::create_symlink("outside", directory.file("link"));
  for (const char* name : {"fifo", "zero", "socket", "link", "new", "new"}) {
    INFO(name);
    CHECK(write_plain(directory.file(name), "text") == 0);
    CHECK(fs::symlink_status(directory.file(name)).type() == fs::file_type::regular);
    CHECK(content(directory.file(name)) == "text");
  }
  CHECK(content(directory.file("outside")) == "mine");
  CHECK(write_plain(directory.file("folder"), "text") != 0);
}

TEST_CASE("what is added is added to a file, not to where a link leads") {
  const test::TemporaryDirectory directory;
  std::ofstream(directory.file("outside")) << "mine";
  fs::create_symlink("outside", directory.file("link"));
  CHECK(append_plain(directory.file("link"), "text") == EINVAL);
  CHECK(content(directory.file("outside")) == "mine");
  CHECK(append_plain(directory.file("log"), "a") == 0);
  CHECK(append_plain(directory.file("log"), "b") == 0);
  CHECK(content(directory.file("log")) == "ab");
}
