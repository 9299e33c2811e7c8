// SPDX-License-Identifier: BSD-3-Clause
// Tables of lines in the three formats, and any bytes.
#include "tracer/callpath/python/python_lines.hpp"

#include <catch2/catch.hpp>
#include <random>
#include <vector>

using namespace latecomer;
using python::LineFormat;

namespace {

// Lines of the offsets 0, 2, 4, ...
std::vector<std::uint32_t> lines(LineFormat format, const std::vector<int>& table,
                                 std::uint32_t first, std::size_t count) {
  std::vector<std::byte> bytes;
  for (const int b : table) bytes.push_back(static_cast<std::byte>(b));
  std::vector<std::uint32_t> found;
  for (std::size_t i = 0; i < count; ++i) {
    found.push_back(python::line_at(format, bytes, first, static_cast<std::int64_t>(2 * i)));
  }
  return found;
}

using Lines = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("Python lines: increments") {
  // Line 10 to offset 4, 12 to 8, 11 to 10, then 311: an increment of 300 takes three steps.
  CHECK(lines(LineFormat::kIncrements, {4, 2, 4, 255, 2, 127, 0, 127, 0, 46}, 10, 6) ==
        Lines{10, 10, 12, 12, 11, 311});
}

TEST_CASE("Python lines: ranges") {
  // Four bytes of line 10 + 1, two without a line, two of line 9; nothing is known of the rest.
  CHECK(lines(LineFormat::kRanges, {4, 1, 2, 128, 2, 254}, 10, 5) == Lines{11, 11, 0, 9, 0});
}

TEST_CASE("Python lines: locations") {
  // First bytes of entries: 128 + 8 * kind + units - 1.
  const std::vector<int> table = {
      128 + 8 * 11 + 0, 4,       9,           // one unit, one line further, columns 4 to 9
      128 + 8 * 3 + 1,  17,                   // two units of the same line, short form
      128 + 8 * 15 + 0,                       // one unit without a place
      128 + 8 * 13 + 0, 1 << 1,               // one unit, a line further, without columns
      128 + 8 * 14 + 0, 3 | 64,  1, 1, 1, 1,  // long form, -(3 | 1 << 6) >> 1: 33 lines back
      128 + 8 * 14 + 0, 40 | 64, 1, 1, 1, 1   // (40 | 1 << 6) >> 1: 52 lines further
  };
  CHECK(lines(LineFormat::kLocations, table, 100, 8) == Lines{101, 101, 101, 0, 102, 69, 121, 0});
}

TEST_CASE("Python lines: a function that has not begun is at its first line") {
  for (const auto format : {LineFormat::kIncrements, LineFormat::kRanges, LineFormat::kLocations}) {
    CHECK(python::line_at(format, {}, 7, -2) == 7);
  }
}

TEST_CASE("Python lines: any bytes are a table") {
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::vector<std::byte> table(random() % 40);
    for (auto& b : table) b = static_cast<std::byte>(random() % 256);
    const auto format = static_cast<LineFormat>(i % 3);
    const auto line = python::line_at(format, table, static_cast<std::uint32_t>(random()),
                                      static_cast<std::int64_t>(random() % 500));
    CHECK(line < 1'000'000'000);
  }
}
