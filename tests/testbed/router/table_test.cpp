// SPDX-License-Identifier: BSD-3-Clause
// The router's table: lines that are accepted, lines that are refused.
#include "tests/testbed/router/table.hpp"

#include <catch2/catch.hpp>
#include <sstream>
#include <string>

using namespace latecomer::testbed;

namespace {

latecomer::Result<Table> read(const std::string& text) {
  std::istringstream in(text);
  return read_table(in);
}

const std::string kSpaces = "space 12 10.77.1.1 10.77.1.2\nspace 13 10.77.2.1\n";

}  // namespace

TEST_CASE("a table of two spaces") {
  const auto table = read("seed 7\n" + kSpaces +
                          "link 0 1 500000 5000 1000000000\n"
                          "link 1 0 600000 0 0\n");
  REQUIRE(table);
  CHECK(table->seed == 7);
  REQUIRE(table->spaces.size() == 2);
  CHECK(table->spaces[0].process == 12);
  CHECK(table->spaces[0].addresses == std::vector<Address>{{10, 77, 1, 1}, {10, 77, 1, 2}});
  CHECK(table->links.at({0, 1}).latency == 500'000);
  CHECK(table->links.at({0, 1}).bits_per_second == 1'000'000'000);
  CHECK(table->links.at({1, 0}).latency == 600'000);
}

TEST_CASE("wrong tables are refused with the line") {
  for (const char* line :
       {"space", "space x 10.77.1.1", "space -3 10.77.1.1", "space 3", "space 3 10.77.1",
        "link 0 1 5", "link 0 1 -5 0 0", "link 0 1 5 -1 0", "link 0 1 5 0 -1", "seed", "host 1"}) {
    const auto table = read(kSpaces + line + "\n");
    REQUIRE_FALSE(table);
    CHECK(table.problem().what.find("line 3") != std::string::npos);
    CHECK(table.problem().what.find(line) != std::string::npos);
  }
}

TEST_CASE("links must fit the spaces") {
  const std::string both = "link 0 1 5 0 0\nlink 1 0 5 0 0\n";
  CHECK(read(kSpaces + both));
  CHECK_FALSE(read(kSpaces + "link 0 1 5 0 0\n"));         // no way back
  CHECK_FALSE(read(kSpaces + both + "link 0 1 6 0 0\n"));  // twice
  CHECK_FALSE(read(kSpaces + both + "link 0 2 5 0 0\n"));  // no such space
  CHECK_FALSE(read(kSpaces + both + "link 1 1 5 0 0\n"));  // to itself
}
