// SPDX-License-Identifier: BSD-3-Clause
// Quoting of words, so that a shell takes them as they are.
#include "archive/shell_word.hpp"

#include <catch2/catch.hpp>

using latecomer::shell_word;

TEST_CASE("what a shell would not take for one word is quoted") {
  CHECK(shell_word("runs/latecomer_heat2d_4_trace") == "runs/latecomer_heat2d_4_trace");
  CHECK(shell_word("my exp") == "'my exp'");
  CHECK(shell_word("it's") == R"('it'\''s')");
  CHECK(shell_word("~/$HOME;*") == "'~/$HOME;*'");
  CHECK(shell_word("") == "''");
}
