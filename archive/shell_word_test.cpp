// SPDX-License-Identifier: BSD-3-Clause
// Quoting of words, so that a shell takes them as they are.
#include "archive/shell_word.hpp"

#include <catch2/catch.hpp>

#include "archive/printable.hpp"
#include "archive/shell_words.hpp"

using latecomer::shell_word;

TEST_CASE("what a shell would not take for one word is quoted") {
  CHECK(shell_word("runs/latecomer_heat2d_4_trace") == "runs/latecomer_heat2d_4_trace");
  CHECK(shell_word("my exp") == "'my exp'");
  CHECK(shell_word("it's") == R"('it'\''s')");
  CHECK(shell_word("~/$HOME;*") == "'~/$HOME;*'");
  CHECK(shell_word("") == "''");
}

TEST_CASE("what would act on a terminal is quoted with numbers") {
  CHECK(shell_word("r\x1b[31mx") == R"($'r\033[31mx')");
  CHECK(shell_word("a\nb'c\\d\te f") == R"($'a\nb\'c\\d\te f')");
  CHECK(shell_word("\xff\xc3(\xe2\x82") == R"($'\377\303(\342\202')");  // invalid UTF-8
  CHECK(shell_word("ä \xe2\x80\xae€\x01"
                   "1") == R"($'ä \342\200\256€\0011')");  // U+202E
  CHECK(shell_word(std::string("\0x", 2)) == R"($'\000x')");
}

TEST_CASE("quoted words are printable, and the same words after a shell") {
  for (int first = 1; first < 256; ++first) {
    for (const char* rest : {"", "1", "'\\", "\x80", "\x80\xae", "ä"}) {
      const std::string word = std::string(1, static_cast<char>(first)) + rest;
      const std::string quoted = shell_word(word);
      CHECK(latecomer::printable(quoted) == quoted);
      CHECK(latecomer::shell_words(quoted) == std::vector<std::string>{word});
    }
  }
}
