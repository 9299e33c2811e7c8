// SPDX-License-Identifier: BSD-3-Clause
// Splitting and joining of command lines as a shell does it.
#include "archive/shell_words.hpp"

#include <catch2/catch.hpp>

using latecomer::command_line;
using latecomer::shell_words;
using Words = std::vector<std::string>;

TEST_CASE("words come back from the command line they were put into") {
  const std::vector<Words> all = {{},
                                  {"/bin/app"},
                                  {"my dir/my app", "7"},
                                  {"app", "a  b", "it's", ""},
                                  {"", "", " "},
                                  {"$'x'", "\"", "\\", "a\\nb", "#", "--x=1 2"},
                                  {"a\nb", "\t", "\x1b[31m", "\xff\xfe", "ä", "'\n\\'"}};
  for (const auto& words : all) CHECK(shell_words(command_line(words)) == words);
  CHECK(command_line({"my app", "7", ""}) == "'my app' 7 ''");
}

TEST_CASE("what a shell makes of quotes") {
  CHECK(shell_words(R"(a'b c'd "e f"g h\ i)") == Words{"ab cd", "e fg", "h i"});
  CHECK(shell_words(R"("a\"b\\c\d" '\')") == Words{"a\"b\\c\\d", "\\"});
  CHECK(shell_words(R"($'a\'b\\\n\t\x1b\377\101z\q' $a)") == Words{"a'b\\\n\t\x1b\xff"
                                                                   "Azq",
                                                                   "$a"});
  CHECK(shell_words("  a\t b \n") == Words{"a", "b"});
}

TEST_CASE("a text with a quote that does not end is split at its blanks") {
  CHECK(shell_words("/bin/it's  me") == Words{"/bin/it's", "me"});
  CHECK(shell_words("a \"b c") == Words{"a", "\"b", "c"});
  CHECK(shell_words("a $'b\\") == Words{"a", "$'b\\"});
  CHECK(shell_words("a\\") == Words{"a\\"});
}
