// SPDX-License-Identifier: BSD-3-Clause
// A view in a small terminal, with what is left out.
#include "tracer/watch/view/fit_screen.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::watch;

namespace {

Block block(const std::string& head, std::size_t lines) {
  Block one;
  one.head = {head};
  for (std::size_t i = 0; i < lines; ++i) one.lines.push_back(head + std::to_string(i));
  return one;
}

}  // namespace

TEST_CASE("without limits all lines are there") {
  CHECK(fit({block("a", 2), block("b", 1)}, {}) == "a\na0\na1\nb\nb0\n");
}

TEST_CASE("blocks share the rows, and say how many lines they left out") {
  // 9 rows - 2 heads = 7: 4 for a and 3 for b, or for what b does not need.
  CHECK(fit({block("a", 10), block("b", 10)}, {0, 9}) ==
        "a\na0\na1\na2\n... 7 more\nb\nb0\nb1\n... 8 more\n");
  CHECK(fit({block("a", 10), block("b", 1)}, {0, 9}) ==
        "a\na0\na1\na2\na3\na4\n... 5 more\nb\nb0\n");
  CHECK(fit({block("a", 3), block("b", 4)}, {0, 9}) == "a\na0\na1\na2\nb\nb0\nb1\nb2\nb3\n");
}

TEST_CASE("the most important lines stay, in their order") {
  Block one = block("a", 5);
  one.importance = {3, 1, 0, 2, 4};
  CHECK(fit({one}, {0, 4}) == "a\na1\na3\n... 3 more\n");
}

TEST_CASE("a block may have a bound of its own") {
  Block one = block("a", 5);
  one.most = 2;
  CHECK(fit({one, block("b", 1)}, {0, 20}) == "a\na0\n... 4 more\nb\nb0\n");
  CHECK(fit({one}, {}) == "a\na0\na1\na2\na3\na4\n");
}

TEST_CASE("a terminal without room for the heads is not exceeded") {
  // a, a0, b, and 3 lines of b are 6 lines; the last of 3 rows counts 4 of them.
  CHECK(fit({block("a", 1), block("b", 3)}, {0, 3}) == "a\na0\n... 4 more\n");
  CHECK(fit({block("a", 1), block("b", 3)}, {0, 1}) == "... 6 more\n");
}

TEST_CASE("long lines end with dots") {
  CHECK(cut_line("abcdef", 0) == "abcdef");
  CHECK(cut_line("abcdef", 6) == "abcdef");
  CHECK(cut_line("abcdef", 5) == "ab...");
  CHECK(cut_line("▁▂▃▄▅▆", 5) == "▁▂...");
  CHECK(cut_line("▁▂▃▄▅▆", 6) == "▁▂▃▄▅▆");
  CHECK(cut_line("abcdef", 2) == "ab");
  CHECK(fit({{{"abcdef"}, {}, {}, 0}}, {5, 0}) == "ab...\n");
}

TEST_CASE("call paths lose their outermost functions first") {
  const std::string path = "main > solve > exchange > MPI_Wait (a.c:7)";  // 42 columns
  CHECK(cut_path(path, 0) == path);
  CHECK(cut_path(path, 42) == path);
  CHECK(cut_path(path, 41) == "... > solve > exchange > MPI_Wait (a.c:7)");  // 41 columns
  CHECK(cut_path(path, 40) == "... > exchange > MPI_Wait (a.c:7)");
  CHECK(cut_path(path, 22) == "... > MPI_Wait (a.c:7)");
  CHECK(cut_path(path, 12) == "... > MPI...");
  CHECK(cut_path("a_function_without_caller", 10) == "a_funct...");
}

TEST_CASE("parts of a line that do not fit are counted") {
  CHECK(join({"a 1", "b 2", "c 3"}, 0) == "a 1; b 2; c 3");
  CHECK(join({"a 1", "b 2", "c 3"}, 13) == "a 1; b 2; c 3");
  CHECK(join({"a 1", "b 20", "c 3"}, 13) == "... 3 more");
  CHECK(join({"a 1", "b 2", "c 3", "d 4"}, 16) == "a 1; ... 3 more");
  CHECK(join({}, 5).empty());
}

TEST_CASE("bytes that act on a terminal are shown as in C") {
  CHECK(fit({{{"a\x1b[31m"}, {"b\nc"}, {}, 0}}, {}) == "a\\x1b[31m\nb\\nc\n");
}
