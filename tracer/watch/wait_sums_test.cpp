// SPDX-License-Identifier: BSD-3-Clause
// Sums of waits by rank, call path, cause and node, and the times of the last seconds.
#include "tracer/watch/wait_sums.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::watch;

TEST_CASE("a wait is added to its rank, its cause, its call path and its pair of nodes") {
  WaitSums sums(100);
  sums.set_node(0, 0);
  sums.set_node(1, 5);
  sums.add({WaitKind::kLateSender, 1, 0, 9, 100, 40});
  sums.add({WaitKind::kLateSender, 1, 0, 9, 200, 2});
  sums.add({WaitKind::kLateSender, 1, 0, 9, 200, 0});  // no wait
  CHECK(sums.ranks()[1].waiting() == 42);
  CHECK(sums.ranks()[1].waits[static_cast<std::size_t>(WaitKind::kLateSender)].count == 2);
  CHECK(sums.ranks()[0].caused == 42);
  CHECK(sums.places().at({9, WaitKind::kLateSender, 1}).time == 42);
  CHECK(sums.causes().at({9, WaitKind::kLateSender, 0}).time == 42);
  CHECK(sums.node_pairs().at({WaitKind::kLateSender, 5, 0}).time == 42);
}

TEST_CASE("a rank that stays longer than its calls has a longer run") {
  // One call from 100 to 150, then nothing until 400: 300 in all, of which 50 in MPI.
  WaitSums sums(100);
  sums.stay(0, 300);  // nothing is known of it before its first call
  CHECK(sums.ranks()[0].run() == 0);
  sums.add_call({0, 1, latecomer::patterns::CallKind::kOther, 100, 150, 50, {}});
  sums.stay(0, 400);
  sums.stay(0, 350);
  CHECK(sums.ranks()[0].run() == 300);
  CHECK(sums.ranks()[0].known() == 300);
  CHECK(sums.ranks()[0].mpi == 50);
  CHECK(sums.last() == 400);
  // If records were lost since then, it is not known what it did.
  sums.lose(0);
  sums.stay(0, 500);
  CHECK(sums.ranks()[0].run() == 300);
}

TEST_CASE("waits without room are in the sums of their rank, and counted") {
  WaitSums sums(1);
  sums.add({WaitKind::kNxN, 0, 0, 1, 0, 10});
  sums.add({WaitKind::kNxN, 0, 0, 2, 0, 10});
  CHECK(sums.ranks()[0].waiting() == 20);
  CHECK(sums.places().size() == 1);
  CHECK(sums.without_place() == 2);  // by rank and by cause
}

TEST_CASE("waits and time of a rank count until they are not known any more") {
  // Calls 100-110 and 150-200, then a loss, then a call 300-320. A wait of 20 before the loss.
  //   run without the gap: (200 - 100) + (320 - 300) = 120; known: 200 - 100 = 100
  WaitSums sums(100);
  using latecomer::patterns::CallKind;
  sums.add_call({0, 0, CallKind::kOther, 100, 110, 10, {}});
  sums.add_call({0, 0, CallKind::kOther, 150, 200, 50, {}});
  sums.add({WaitKind::kNxN, 0, 1, 0, 150, 20});
  CHECK(sums.ranks()[0].known() == 100);
  CHECK(sums.ranks()[0].all_known());
  sums.lose(0);
  sums.add_call({0, 0, CallKind::kOther, 300, 320, 20, {}});
  sums.add({WaitKind::kNxN, 0, 1, 0, 300, 7});
  const RankSums& rank = sums.ranks()[0];
  CHECK_FALSE(rank.all_known());
  CHECK(rank.run() == 120);
  CHECK(rank.known() == 100);
  CHECK(rank.waiting() == 20);
  CHECK(sums.after_loss() == 1);
}

TEST_CASE("nothing is known of the waits of a rank that lost its first records") {
  WaitSums sums(100);
  using latecomer::patterns::CallKind;
  sums.lose(0);
  sums.add_call({0, 0, CallKind::kOther, 300, 320, 20, {}});
  sums.add({WaitKind::kNxN, 0, 1, 0, 300, 7});
  CHECK(sums.ranks()[0].run() == 20);
  CHECK(sums.ranks()[0].known() == 0);
  CHECK(sums.ranks()[0].waiting() == 0);
}

TEST_CASE("waits that were counted before a cut was noticed have their time") {
  // The wait from 40 to 60 was counted, then it turns out that one at 30 is not known: waits count
  // until 60, so a share of them is never more than all.
  WaitSums sums(100);
  using latecomer::patterns::CallKind;
  sums.add_call({0, 0, CallKind::kOther, 10, 90, 80, {}});
  sums.add({WaitKind::kNxN, 0, 1, 0, 40, 20});
  sums.cut(0, 30);
  CHECK(sums.ranks()[0].known() == 50);
  CHECK(sums.ranks()[0].waiting() == 20);
}

TEST_CASE("a time is divided among the slices that it lies in") {
  // slices of 250 ms; from 200 ms to 600 ms: 50 ms in the first, 250 ms, 100 ms
  constexpr Nanoseconds kMs = 1'000'000;
  RecentTime recent;
  recent.add(200 * kMs, 600 * kMs);
  CHECK(recent.between(0, 1) == 50 * kMs);
  CHECK(recent.between(1, 2) == 250 * kMs);
  CHECK(recent.between(2, 3) == 100 * kMs);
  CHECK(recent.between(0, 3) == 400 * kMs);
}

TEST_CASE("slices that are too old have no place any more") {
  RecentTime recent;
  const auto kept = static_cast<std::int64_t>(RecentTime::kSlices);
  recent.add(0, 10);
  recent.add(kept * RecentTime::kSlice, kept * RecentTime::kSlice + 7);
  recent.add(0, 10);  // comes late: its slice is gone
  CHECK(recent.between(0, 1) == 0);
  CHECK(recent.between(kept, kept + 1) == 7);
}

TEST_CASE("time in MPI leaves out the begin and the end of the program") {
  WaitSums sums(1);
  using latecomer::patterns::CallKind;
  sums.add_call({0, 0, CallKind::kInit, 0, 100, 100, {}});
  sums.add_call({0, 0, CallKind::kOther, 150, 170, 20, {}});
  CHECK(sums.ranks()[0].begin_end == 100);
  CHECK(sums.ranks()[0].mpi == 20);
  CHECK(sums.ranks()[0].first == 0);
  CHECK(sums.ranks()[0].last == 170);
}

TEST_CASE("calls and their time by call path and rank") {
  // Call path 3: a call of 10 and a row of 4 polls that were in MPI for 8 of 20; rank 1: 5. A call
  // in a call adds nothing. The third pair of call path and rank has no room.
  WaitSums sums(2);
  using latecomer::patterns::CallKind;
  sums.add_call({0, 3, CallKind::kOther, 0, 10, 10, {}});
  sums.add_call({0, 3, CallKind::kTest, 20, 40, 8, {}, 4});
  sums.add_call({0, 9, CallKind::kOther, 45, 50, 0, {}, 0});
  sums.add_call({1, 3, CallKind::kOther, 0, 5, 5, {}});
  sums.add_call({0, 4, CallKind::kOther, 60, 67, 7, {}});
  const auto calls = sums.calls();
  REQUIRE(calls.size() == 3);
  CHECK(calls.at({3, 0}).count == 5);
  CHECK(calls.at({3, 0}).time == 18);
  CHECK(calls.at({3, 1}).time == 5);
  CHECK(calls.at({0, 0}).time == 7);
}
