// SPDX-License-Identifier: BSD-3-Clause
// Files as bytes in memory: what is no regular file is refused.
#include "tracer/convert/file_view.hpp"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer;

TEST_CASE("the bytes of a file") {
  const test::TemporaryDirectory directory;
  std::ofstream(directory.file("a")) << "records";
  auto view = convert::FileView::open(directory.file("a"));
  REQUIRE(view);
  CHECK(view->text() == "records");
  auto moved = std::move(*view);
  CHECK(moved.text() == "records");
  CHECK(view->bytes().empty());
  std::ofstream(directory.file("empty")).flush();
  const auto empty = convert::FileView::open(directory.file("empty"));
  REQUIRE(empty);
  CHECK(empty->bytes().empty());
}

TEST_CASE("what is no file, or not there, is named") {
  const test::TemporaryDirectory directory;
  REQUIRE(mkfifo(directory.file("pipe").c_str(), 0600) == 0);
  for (const char* name : {"missing", "pipe", "."}) {
    const auto view = convert::FileView::open(directory.file(name));
    REQUIRE_FALSE(view);
    CHECK(view.problem().what.starts_with("cannot read " + directory.file(name) + ": "));
  }
}
