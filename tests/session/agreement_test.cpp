// SPDX-License-Identifier: BSD-3-Clause
// What rank 0 accepts and refuses of what the processes say.
#include "tracer/session/agreement.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::session;

namespace {

Introduction process(const char* node, int id = -1, const char* name = "") {
  Introduction i;
  i.node = BoundedText<160>(node);
  i.metahost_id = id;
  i.metahost_id_given = id >= 0 ? 1 : 0;
  i.metahost_name = BoundedText<96>(name);
  i.metahost_name_given = *name != '\0' ? 1 : 0;
  return i;
}

std::string refusal(const std::vector<Introduction>& everybody) {
  const Status status = check(everybody);
  return status ? "" : status.problem().what;
}

}  // namespace

TEST_CASE("ranks are listed in ranges") {
  CHECK(rank_list({3}) == "rank 3");
  CHECK(rank_list({0, 1}) == "ranks 0, 1");
  CHECK(rank_list({0, 1, 2, 5, 7, 8, 9}) == "ranks 0-2, 5, 7-9");
}

TEST_CASE("processes without metahosts are fine") {
  CHECK(refusal({process("a"), process("a"), process("b")}).empty());
}

TEST_CASE("metahosts with numbers and names are fine, names may be missing") {
  CHECK(refusal({process("a", 0, "X"), process("b", 1, "Y"), process("c", 1, "Y")}).empty());
  CHECK(refusal({process("a", 0), process("b", 1)}).empty());
}

TEST_CASE("metahosts that are not set everywhere are refused by name of the ranks") {
  CHECK(refusal({process("a", 0), process("b"), process("c"), process("d")}) ==
        "LATECOMER_METAHOST_ID is set on rank 0 but not on ranks 1-3");
  CHECK(refusal({process("a", 0, "X"), process("b", 1)}) ==
        "LATECOMER_METAHOST_NAME is set on rank 0 but not on rank 1");
  CHECK(refusal({process("a", -1, "X")}) ==
        "LATECOMER_METAHOST_NAME is set but LATECOMER_METAHOST_ID is not");
}

TEST_CASE("one number with two names and one name with two numbers are refused") {
  CHECK(refusal({process("a", 0, "X"), process("b", 1, "Y"), process("c", 0, "Z")}) ==
        "LATECOMER_METAHOST_ID 0 has two names: 'X' on rank 0, 'Z' on rank 2");
  CHECK(refusal({process("a", 0, "X"), process("b", 1, "X")}) ==
        "LATECOMER_METAHOST_NAME 'X' has two numbers: 0 on rank 0, 1 on rank 1");
}

TEST_CASE("processes that share a clock must read the same one") {
  auto other = process("a");
  other.timer = 1;
  CHECK(refusal({process("a"), process("b"), other}) ==
        "ranks 0 and 2 run on one node with different timers");
}

TEST_CASE("a wrong setting is reported once, with all its ranks") {
  auto wrong = process("a");
  wrong.problem = BoundedText<256>("LATECOMER_TIMER=x is not understood");
  CHECK(refusal({process("a"), wrong, wrong}) ==
        "LATECOMER_TIMER=x is not understood (ranks 1, 2)");
}

TEST_CASE("the leader of a node is its lowest rank") {
  const std::vector<Introduction> everybody = {process("b"), process("a"), process("b"),
                                               process("a")};
  CHECK(node_leaders(everybody) == std::vector<int>{0, 1, 0, 1});
}

TEST_CASE("long texts are cut, not overrun") {
  const BoundedText<8> text("123456789");
  CHECK(text.str() == "1234567");
}
