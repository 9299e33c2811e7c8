// SPDX-License-Identifier: BSD-3-Clause
// The sentence about files that made others wait.
#include "analyzer/view/words/file_text.hpp"

#include <catch2/catch.hpp>
#include <vector>

using latecomer::report::FileUse;
using latecomer::view::file_text;

namespace {

FileUse use(const char* file, double reading, double writing, double storing) {
  return {.file = file,
          .bytes_read = reading > 0 ? 2'000'000 : 0,
          .bytes_written = writing > 0 ? 131'000'000 : 0,
          .reading = reading,
          .writing = writing,
          .storing = storing};
}

}  // namespace

TEST_CASE("a file that is written and stored at different call paths") {
  const std::vector<FileUse> uses = {use("/tmp/out.bin", 0, 0.1, 0),
                                     use("/tmp/out.bin", 0, 0, 0.7)};
  CHECK(file_text(uses, 0) == "it writes out.bin: 131.0 MB in 100.0 ms, fsync 700.0 ms");
}

TEST_CASE("files that are read, or only stored") {
  const std::vector<FileUse> read = {use("/tmp/in", 0.5, 0, 0)},
                             both = {use("/tmp/x", 0.5, 0.25, 0)},
                             stored = {use("stdout", 0, 0, 0.5)};
  CHECK(file_text(read, 0) == "it reads in: 2.000 MB in 500.0 ms");
  CHECK(file_text(both, 0) ==
        "it reads and writes x: 2.000 MB in 500.0 ms read, 131.0 MB in 250.0 ms written");
  CHECK(file_text(stored, 0) == "it stores stdout: fsync 500.0 ms");
}

TEST_CASE("time of opening and closing, if it matters") {
  FileUse slow = use("/a", 0, 0.2, 0), quick = slow, opened = use("/b", 0, 0, 0);
  slow.opening = 0.1;
  quick.opening = 0.01;
  opened.opening = 0.5;
  const auto text = [](const FileUse& one) { return file_text(std::vector<FileUse>{one}, 0); };
  CHECK(text(slow) == "it writes a: 131.0 MB in 200.0 ms, open and close 100.0 ms");
  CHECK(text(quick) == "it writes a: 131.0 MB in 200.0 ms");
  CHECK(text(opened) == "it opens and closes b: 500.0 ms");
}

TEST_CASE("other files are counted") {
  const std::vector<FileUse> uses = {use("/a", 0, 0.2, 0)};
  CHECK(file_text(uses, 1) == "it writes a: 131.0 MB in 200.0 ms; and another file");
  CHECK(file_text(uses, 2) == "it writes a: 131.0 MB in 200.0 ms; and 2 other files");
  CHECK(file_text({}, 0).empty());
}
