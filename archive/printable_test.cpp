// SPDX-License-Identifier: BSD-3-Clause
// Text of other sources, shown without effects on a terminal.
#include "archive/printable.hpp"

#include <catch2/catch.hpp>

using latecomer::printable;
using latecomer::printable_lines;

TEST_CASE("usual names are shown as they are") {
  for (const char* name : {"", "MPI_Send", "my app", "C:\\dir", "a\\nb", "Grüße €", "\U0001F600"}) {
    CHECK(printable(name) == name);
    CHECK(printable_lines(name) == name);
  }
}

TEST_CASE("what acts on a terminal is shown as in C") {
  CHECK(printable("a\nb\r\tc") == "a\\nb\\r\\tc");
  CHECK(printable("\x1b[31mred\x1b[0m\a") == "\\x1b[31mred\\x1b[0m\\x07");
  CHECK(printable(std::string_view("a\0b\x7f", 4)) == "a\\x00b\\x7f");
  CHECK(printable("\u009b31m \u2028 \u202e \u2066") == "\\u009b31m \\u2028 \\u202e \\u2066");
  CHECK(printable("\u00a0\u2027") == "\u00a0\u2027");  // just after, just before a range
}

TEST_CASE("bytes that are no UTF-8 are shown one by one") {
  CHECK(printable("a\xff"
                  "b\xe4") == "a\\xffb\\xe4");
  CHECK(printable("\xc3") == "\\xc3");                             // cut
  CHECK(printable("\xe2\x82z") == "\\xe2\\x82z");                  // cut off by another character
  CHECK(printable("\xc0\xaf") == "\\xc0\\xaf");                    // longer than necessary
  CHECK(printable("\xe0\x80\xaf") == "\\xe0\\x80\\xaf");           // longer than necessary
  CHECK(printable("\xed\xa0\x80") == "\\xed\\xa0\\x80");           // half of a UTF-16 pair
  CHECK(printable("\xf4\x90\x80\x80") == "\\xf4\\x90\\x80\\x80");  // beyond the last character
  CHECK(printable("\x9b") == "\\x9b");
}

TEST_CASE("line feeds stay in text of several lines") {
  CHECK(printable_lines("a\n\x1b[2Jb\r\n") == "a\n\\x1b[2Jb\\r\n");
}
