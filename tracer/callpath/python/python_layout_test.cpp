// SPDX-License-Identifier: BSD-3-Clause
// Layouts of known versions, and the one that describes itself.
#include "tracer/callpath/python/python_layout.hpp"

#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "tests/callpath/python_image.hpp"

using namespace latecomer;

TEST_CASE("Python layouts: versions that need a table") {
  for (const std::uint32_t minor : {8U, 9U, 10U, 11U, 12U}) {
    const auto layout = python::layout_of(minor);
    REQUIRE(layout);
    CHECK(layout->minor == minor);
  }
  for (const std::uint32_t minor : {0U, 7U, 13U, 14U}) CHECK_FALSE(python::layout_of(minor));
}

TEST_CASE("Python layouts: 3.13 describes itself") {
  std::array<std::uint64_t, 81> words{};  // 3.14 has more words
  std::ranges::copy(test::description_of_3_13(), words.begin());
  const auto layout = python::described_layout(words.data());
  REQUIRE(layout);
  CHECK(layout->minor == 13);
  CHECK(layout->thread_frame == 72);
  CHECK(layout->thread_id == 152);
  CHECK(layout->frame_code == 0);
  CHECK(layout->frame_previous == 8);
  CHECK(layout->frame_instruction == 56);
  CHECK(layout->frame_owner == 70);
  CHECK(layout->code_filename == 112);
  CHECK(layout->code_name == 128);
  CHECK(layout->code_lines == 136);
  CHECK(layout->code_first_line == 68);
  CHECK(layout->code_bytes == 200);
  CHECK(layout->text_hash == 24);
  CHECK(layout->text_ascii == 40);
  CHECK(layout->text_compact == 56);

  const auto refused = [&](std::size_t word, std::uint64_t value) {
    auto other = words;
    other[word] = value;
    CHECK_FALSE(python::described_layout(other.data()));
  };
  refused(0, 0);           // no description
  refused(1, 0x030f00f0);  // of another version
  refused(2, 1);           // without the global lock
  refused(31, 5000);       // an offset in no structure
}

TEST_CASE("Python layouts: 3.14 has other words, tagged addresses, and another state of strings") {
  auto words = test::description_of_3_14();
  const auto layout = python::described_layout(words.data());
  REQUIRE(layout);
  CHECK(layout->minor == 14);
  CHECK(layout->runtime_key == 0);
  CHECK(layout->thread_frame == 72);
  CHECK(layout->frame_owner == 74);
  CHECK(layout->frame_code_tags == 3);
  CHECK(layout->code_bytes == 208);
  CHECK(layout->text_kind == 16);
  CHECK(layout->text_compact == 56);
  words[2] = 1;  // without the global lock
  CHECK_FALSE(python::described_layout(words.data()));
}

TEST_CASE("Python layouts: sizes reach the last field that is read") {
  const auto layout = python::layout_of(11);
  REQUIRE(layout);
  CHECK(layout->thread_size() == 152 + 8);
  CHECK(layout->frame_size() == 69 + 8);
  CHECK(layout->code_size() == 184 + 8);
}
