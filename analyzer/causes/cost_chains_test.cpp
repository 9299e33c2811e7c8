// SPDX-License-Identifier: BSD-3-Clause
// Costs that go from wait to wait, for waits whose shares are easy to see.
#include "analyzer/causes/cost_chains.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::causes;

namespace {

// A wait at point 0 of a location for another one, which explains it by `sum`: the time that it
// worked longer, and waited in its points from 0 on.
GraphWait wait(Ticks event, std::uint32_t location, Ticks length, std::uint32_t cause, Ticks sum) {
  GraphWait made;
  made.event = made.leave = event;
  made.location = location;
  made.wait = length;
  made.cause_location = cause;
  made.sum = sum;
  made.last = 1;
  return made;
}

}  // namespace

TEST_CASE("cost chains: a wait costs what it made others wait") {
  // Rank 1 waits 6 s for rank 0, which worked 2 s longer and waited 4 s: the factor is 6 / 6.
  CostChains chains(2, false);
  Chains found;
  chains.visit(wait(10, 1, 6, 0, 6), 0, found);
  CHECK(found.carried.empty());
  chains.visit(wait(5, 0, 4, 1, 0), 1, found);
  REQUIRE(found.carried.size() == 1);
  CHECK(found.carried[0].wait == 1);
  CHECK(found.carried[0].kind == WaitKind::kLateSender);
  CHECK(found.carried[0].cost == 4);
  REQUIRE(found.propagating.size() == 1);
  CHECK(found.propagating[0].wait == 1);
  CHECK(found.propagating[0].time == 4);
}

TEST_CASE("cost chains: costs are shared in proportion") {
  // Rank 1 waits 6 s. Rank 0 worked and waited 12 s longer, so each of its seconds costs half a
  // one.
  CostChains chains(2, false);
  Chains found;
  chains.visit(wait(10, 1, 6, 0, 12), 0, found);
  chains.visit(wait(5, 0, 4, 1, 0), 1, found);
  REQUIRE(found.carried.size() == 1);
  CHECK(found.carried[0].cost == 2);
}

TEST_CASE("cost chains: a wait passes on what it carries") {
  // Rank 2 waits 8 s for rank 1, whose wait of 4 s costs 4 of them (8 / 8). That wait was for rank
  // 0, of whose 8 s it needs half: 4 / 8 for itself and 4 / 8 for what it carries. So a wait of 2 s
  // of rank 0 costs 2 s, and made rank 1 wait for 1 s of them.
  CostChains chains(3, false);
  Chains found;
  chains.visit(wait(30, 2, 8, 1, 8), 0, found);
  chains.visit(wait(20, 1, 4, 0, 8), 1, found);
  chains.visit(wait(10, 0, 2, 1, 0), 2, found);
  REQUIRE(found.carried.size() == 2);
  CHECK(found.carried[0].cost == 4);
  CHECK(found.carried[1].wait == 2);
  CHECK(found.carried[1].cost == 2);
  REQUIRE(found.propagating.size() == 2);
  CHECK(found.propagating[1].time == 1);
}

TEST_CASE(
    "cost chains: waits before the interval, and after an event that was seen late, are free") {
  CostChains chains(2, false);
  Chains found;
  auto later = wait(10, 1, 6, 0, 6);
  later.first = 3;
  later.last = 5;
  chains.visit(later, 0, found);
  auto before = wait(5, 0, 4, 1, 0);
  before.point = 2;  // the interval begins at point 3
  chains.visit(before, 1, found);
  CHECK(found.carried.empty());

  CostChains others(2, false);
  auto late = wait(4, 1, 6, 0, 6);
  late.leave = 10;
  late.seen_late = true;
  others.visit(late, 0, found);
  others.visit(wait(7, 0, 4, 1, 0), 1, found);  // ended after the message was sent at 4
  CHECK(found.carried.empty());
  others.visit(wait(3, 0, 4, 1, 0), 2, found);
  REQUIRE(found.carried.size() == 1);
  CHECK(found.carried[0].wait == 2);
  CHECK(found.carried[0].cost == 4);
}

TEST_CASE("cost chains: a wait for a moment costs nothing at later points of its cause") {
  // Thread 1 waits 6 s for what thread 0 did up to point 5. The walk comes to its point 5 after
  // that, which has no part in it. The wait at point 4 has: 6 / 6.
  for (const auto kind : {WaitKind::kTaskStarvation, WaitKind::kTaskWait}) {
    CostChains chains(2, false);
    Chains found;
    auto later = wait(10, 1, 6, 0, 6);
    later.kind = kind;
    later.first = 3;
    later.last = 5;
    chains.visit(later, 0, found);
    auto after = wait(9, 0, 3, 1, 0);
    after.point = 5;
    chains.visit(after, 1, found);
    CHECK(found.carried.empty());
    CHECK(found.propagating.empty());
    auto within = wait(8, 0, 4, 1, 0);
    within.point = 4;
    chains.visit(within, 2, found);
    REQUIRE(found.carried.size() == 1);
    CHECK(found.carried[0].wait == 2);
    CHECK(found.carried[0].cost == 4);
    REQUIRE(found.propagating.size() == 1);
    CHECK(found.propagating[0].time == 4);
  }
}
