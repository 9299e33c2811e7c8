// SPDX-License-Identifier: BSD-3-Clause
// Settings of the processes that rank 0 accepts and refuses.
#include "tracer/session/agreement/introduction.hpp"

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

TEST_CASE("a global clock belongs to a whole metahost") {
  auto with = process("a", 4);
  with.global_clock = 1;
  CHECK(refusal({with, with, process("b", 5)}).empty());
  CHECK(refusal({process("b", 5), with, process("c", 4), with}) ==
        "LATECOMER_METAHOST_GLOBAL_CLOCK is set on ranks 1, 3 but not on rank 2 of the same "
        "metahost");
}

TEST_CASE("a wrong setting is reported once, with all its ranks") {
  auto wrong = process("a");
  wrong.problem = BoundedText<256>("LATECOMER_TIMER=x is not understood");
  CHECK(refusal({process("a"), wrong, wrong}) ==
        "LATECOMER_TIMER=x is not understood (ranks 1, 2)");
}

TEST_CASE("processes of one node share a clock, whatever metahost they are said to be on") {
  CHECK(places(std::vector{process("b", 7), process("a", 7), process("b", 2), process("a", 7)}) ==
        std::vector<Place>{{0, 0}, {1, 0}, {0, 1}, {1, 0}});
}

TEST_CASE("different timers of one node are different clocks") {
  auto other = process("a");
  other.timer = 1;
  CHECK(places(std::vector{process("a"), process("a"), other, other}) ==
        std::vector<Place>{{0, 0}, {0, 0}, {2, 0}, {2, 0}});
}

TEST_CASE("nodes of a metahost with a global clock share it") {
  auto a = process("a", 1), b = process("b", 1);
  a.global_clock = b.global_clock = 1;
  // A node whose name equals the metahost's number is a different place.
  CHECK(places(std::vector{process("c", 2), a, b, process("1", 2)}) ==
        std::vector<Place>{{0, 0}, {1, 1}, {1, 1}, {3, 0}});
}

TEST_CASE("long texts are cut, not overrun") {
  const BoundedText<8> text("123456789");
  CHECK(text.str() == "1234567");
}
