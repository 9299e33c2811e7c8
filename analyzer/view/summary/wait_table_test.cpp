// SPDX-License-Identifier: BSD-3-Clause
// Rows that fit the table.
#include "analyzer/view/summary/wait_table.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::view;

namespace {

Summary waits(std::size_t count) {
  Summary s;
  s.program = "app";
  s.time = 100;
  for (std::size_t i = 0; i < count; ++i) {
    s.wait_states.push_back({"m", "Wait", 10, {{{"app", "main", "call"}, 10}}, {{3, 10}}, ""});
  }
  return s;
}

}  // namespace

TEST_CASE("a table of wait states has one line for each, and one is free for those left out") {
  const auto s = waits(7);
  const WaitTable table{"Waits", "ranks", s.wait_states};
  CHECK(draw(s, table, 7, 7).left_out == 0);
  CHECK(draw(s, table, 9, 5).left_out == 2);  // there is room for the line about them
  CHECK(draw(s, table, 5, 5).left_out == 3);
  CHECK(draw(s, table, 1, 5).left_out == 6);
  CHECK(draw(s, table, 2, 5).text ==
        "Waits   seconds  % time  call path (share)  ranks\n"
        "  Wait    10.00    10.0  main > call        3: 100%\n");
}

TEST_CASE("the program itself is left out of call paths, unless it is all there is") {
  const auto s = waits(0);
  CHECK(without_program(s, {"app", "main"}) == std::vector<std::string>{"main"});
  CHECK(without_program(s, {"app"}) == std::vector<std::string>{"app"});
  CHECK(without_program(s, {"other", "main"}) == std::vector<std::string>{"other", "main"});
}

TEST_CASE("less than 0.1 % of the time is negligible, if the time is known") {
  auto s = waits(0);
  CHECK(is_negligible(s, 0.09));
  CHECK_FALSE(is_negligible(s, 0.1));
  s.knows_time = false;
  CHECK_FALSE(is_negligible(s, 0.01));
}

TEST_CASE("shares of threads, those of less than 0.5 % left out") {
  auto s = waits(0);
  s.ranks = 1;
  CHECK(shares_of_threads(s, {{0, 4, 6}, {0, 2, 4}, {0, 1, 0.04}}, 10.04, 3) == "4: 60%, 2: 40%");
  s.ranks = 2;
  CHECK(shares_of_threads(s, {{1, 4, 6}, {0, 2, 4}}, 10, 1) == "1.4: 60%");
}
