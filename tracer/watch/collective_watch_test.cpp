// SPDX-License-Identifier: BSD-3-Clause
// Collective operations: waits, orders of arrival and departure, and what is left out.
#include "tracer/watch/collective_watch.hpp"

#include <catch2/catch.hpp>

#include "tests/support/watched_calls.hpp"

using namespace latecomer::watch;
using latecomer::patterns::CallKind;
using latecomer::patterns::CollectiveOperation;
using latecomer::test::tell;
using latecomer::test::wait_of;
using latecomer::test::WatchedCall;
using enum CollectiveOperation;

namespace {

// Participations are in exactly one of the counts.
void check_counts(const CollectiveCounts& c) {
  CHECK(c.seen == c.finished + c.pending + c.left_out());
}

}  // namespace

TEST_CASE("watched barrier: waits, orders and spreads") {
  // rank    0   1   2
  // enter   3   9   4     latest 9
  // leave  10  12  11     first departure 10
  // wait    6   0   5
  Watcher watcher;
  watcher.define(0, {0, 1, 2});
  tell(watcher,
       {WatchedCall(0, 3, 10).collective(kBarrier), WatchedCall(1, 9, 12).collective(kBarrier),
        WatchedCall(2, 4, 11).collective(kBarrier)});
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 0, WaitKind::kBarrier) == 6);
  CHECK(wait_of(sums, 1, WaitKind::kBarrier) == 0);
  CHECK(wait_of(sums, 2, WaitKind::kBarrier) == 5);
  CHECK(sums.ranks()[1].caused == 11);
  const auto& site = watcher.collectives().sites().at({0, 0, 0});
  CHECK(site.operations == 1);
  CHECK(site.ranks.at(0).first == 1);
  CHECK(site.ranks.at(1).last == 1);
  CHECK(site.ranks.at(2).arrivals[1] == 1);  // second of three
  CHECK(site.ranks.at(0).arrival.sum() == 6);
  CHECK(site.ranks.at(2).arrival.sum() == 5);
  CHECK(site.ranks.at(0).departure.sum() == 0);
  CHECK(site.ranks.at(1).departure.sum() == 2);
  CHECK(site.ranks.at(0).left_first == 1);
  CHECK(site.ranks.at(1).left_last == 1);
  CHECK(site.ranks.at(2).departures[1] == 1);
  check_counts(watcher.collectives().counts());
}

TEST_CASE("watched N x N: only ranks that contribute are waited for") {
  // rank    0   1   2 (contributes nothing)
  // enter   3   5   9     latest contributor 5
  // leave  10  10  10
  // wait    2   0   0
  Watcher watcher;
  watcher.define(0, {0, 1, 2});
  WatchedCall quiet = WatchedCall(2, 9, 10).collective(kAllgatherv);
  quiet.operations.front().sends = false;
  tell(watcher, {WatchedCall(0, 3, 10).collective(kAllgatherv),
                 WatchedCall(1, 5, 10).collective(kAllgatherv), quiet});
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 0, WaitKind::kNxN) == 2);
  CHECK(wait_of(sums, 1, WaitKind::kNxN) == 0);
  CHECK(wait_of(sums, 2, WaitKind::kNxN) == 0);
  CHECK(sums.ranks()[1].caused == 2);
}

TEST_CASE("watched broadcast and reduction: the root is waited for, or waits") {
  // broadcast, root 0: enters 8; rank 1 enters 3, leaves 11: 8 - 3 = 5; rank 2 enters 9: 0
  // reduction, root 0: enters 20, leaves 40; ranks 1 and 2 enter at 25 and 31:
  //   Early Reduce 25 - 20 = 5, Late Contributor 31 - 25 = 6
  Watcher watcher;
  watcher.define(0, {0, 1, 2});
  tell(watcher,
       {WatchedCall(0, 8, 10).collective(kBcast, 0), WatchedCall(1, 3, 11).collective(kBcast, 0),
        WatchedCall(2, 9, 12).collective(kBcast, 0), WatchedCall(0, 20, 40).collective(kReduce, 0),
        WatchedCall(1, 25, 26).collective(kReduce, 0),
        WatchedCall(2, 31, 32).collective(kReduce, 0)});
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 1, WaitKind::kLateBroadcast) == 5);
  CHECK(wait_of(sums, 2, WaitKind::kLateBroadcast) == 0);
  CHECK(wait_of(sums, 0, WaitKind::kEarlyReduce) == 5);
  CHECK(wait_of(sums, 0, WaitKind::kLateContributor) == 6);
  CHECK(sums.ranks()[0].caused == 5);
  CHECK(sums.ranks()[1].caused == 5);
  CHECK(sums.ranks()[2].caused == 6);
}

TEST_CASE("Alltoallv counts only if all send something to all") {
  Watcher watcher;
  watcher.define(0, {0, 1});
  for (const bool all : {false, true}) {
    WatchedCall early = WatchedCall(0, 10, 30).collective(kAlltoallv);
    WatchedCall late = WatchedCall(1, 20, 30).collective(kAlltoallv);
    early.operations.front().all_positive = true;
    late.operations.front().all_positive = all;
    tell(watcher, {early, late});
    CHECK(wait_of(watcher.waits(), 0, WaitKind::kNxN) == (all ? 10 : 0));
  }
  CHECK(watcher.collectives().counts().without_formula == 2);
}

TEST_CASE("a nonblocking operation waits in the call that completes it") {
  // rank 0 begins at 2 and waits from 10 to 30; rank 1 begins at 15: 15 - 10 = 5
  Watcher watcher;
  watcher.define(0, {0, 1});
  using enum Operation::Kind;
  tell(watcher, {WatchedCall(0, 1, 2).about(kCollectiveBegins, 7),
                 WatchedCall(0, 10, 30).collective(kAllreduce, kNone, 0, 7),
                 WatchedCall(1, 14, 15).about(kCollectiveBegins, 3),
                 WatchedCall(1, 15, 30).collective(kAllreduce, kNone, 0, 3)});
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kNxN) == 5);
  CHECK(watcher.collectives().sites().begin()->second.ranks.at(0).arrival.sum() == 13);  // 15 - 2
}

TEST_CASE("an operation that some member did not record is left out, and the next one matches") {
  // Rank 1 did not record the first of two barriers.
  Watcher watcher;
  watcher.define(0, {0, 1});
  WatchedCall second = WatchedCall(1, 14, 20).missing(Operation::Kind::kCollectivesMissing, 0, 1);
  tell(watcher,
       {WatchedCall(0, 1, 5).collective(kBarrier), WatchedCall(0, 11, 20).collective(kBarrier),
        std::move(second).collective(kBarrier)});
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kBarrier) == 3);  // 14 - 11
  CHECK(watcher.collectives().counts().not_recorded == 1);
  check_counts(watcher.collectives().counts());
}

TEST_CASE("members that name different operations are left out") {
  Watcher watcher;
  watcher.define(0, {0, 1});
  tell(watcher,
       {WatchedCall(0, 1, 5).collective(kBarrier), WatchedCall(1, 2, 5).collective(kBcast, 0)});
  CHECK(watcher.collectives().counts().inconsistent == 2);
  check_counts(watcher.collectives().counts());
}

TEST_CASE("operations without members, or with one, are not watched") {
  Watcher watcher;
  watcher.define(1, {0});
  tell(watcher, {WatchedCall(0, 1, 5).collective(kBarrier, kNone, 1),
                 WatchedCall(0, 6, 7).collective(kBarrier, kNone, 2)});
  CHECK(watcher.collectives().counts().not_watched == 2);
  check_counts(watcher.collectives().counts());
}

TEST_CASE("incomplete operations are bounded, the oldest is left out") {
  Limits limits;
  limits.parts = 3;
  Watcher watcher(limits);
  watcher.define(0, {0, 1});
  for (int i = 0; i < 5; ++i)
    tell(watcher, {WatchedCall(0, 10 * i, 10 * i + 5).collective(kBarrier)});
  CHECK(watcher.collectives().counts().pending == 3);
  CHECK(watcher.collectives().counts().no_room == 2);
  // Rank 1 comes: its first two participations belong to operations that were left out.
  for (int i = 0; i < 5; ++i)
    tell(watcher, {WatchedCall(1, 10 * i + 1, 10 * i + 5).collective(kBarrier)});
  CHECK(watcher.collectives().counts().no_room == 4);
  CHECK(watcher.collectives().counts().finished == 6);
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kBarrier) == 3);  // one each
  check_counts(watcher.collectives().counts());
}

TEST_CASE("after a loss the operations of a communicator are left out, and waits are not known") {
  // Before the loss rank 0 waited from 1 to 3. It is known from its first call at 1 until it enters
  // the barrier at 11, whose end on rank 1 is lost: 11 - 1 = 10.
  Watcher watcher;
  watcher.define(0, {0, 1});
  tell(watcher,
       {WatchedCall(0, 1, 5).collective(kBarrier), WatchedCall(1, 3, 5).collective(kBarrier),
        WatchedCall(0, 11, 15).collective(kBarrier)});
  watcher.lose(1);
  tell(watcher,
       {WatchedCall(0, 21, 25).collective(kBarrier), WatchedCall(1, 22, 25).collective(kBarrier)});
  CHECK(watcher.collectives().counts().after_loss == 3);
  CHECK(watcher.collectives().counts().finished == 2);
  check_counts(watcher.collectives().counts());
  const WaitSums sums = watcher.waits();
  CHECK(wait_of(sums, 0, WaitKind::kBarrier) == 2);
  CHECK(sums.ranks()[0].known() == 10);
  CHECK(sums.ranks()[1].known() == 2);  // 5 - 3
}

TEST_CASE("operations with ranks whose calls are not told are left out, those of others are not") {
  Watcher watcher;
  watcher.define(0, {0, 1, 2});
  tell(watcher, {WatchedCall(0, 1, 5).collective(kBarrier)});
  watcher.leave_out(2);
  watcher.define(1, {0, 1});
  watcher.define(2, {1, 2});
  tell(watcher, {WatchedCall(1, 2, 5).collective(kBarrier),
                 WatchedCall(1, 6, 7).collective(kBarrier, kNone, 2),
                 WatchedCall(0, 11, 15).collective(kBarrier, kNone, 1),
                 WatchedCall(1, 13, 15).collective(kBarrier, kNone, 1)});
  CHECK(watcher.collectives().counts().elsewhere == 3);
  CHECK(watcher.collectives().counts().pending == 0);
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kBarrier) == 2);  // 13 - 11
  check_counts(watcher.collectives().counts());
}

TEST_CASE("statistics are bounded; waits are not") {
  Limits limits;
  limits.participants = 2;
  Watcher watcher(limits);
  watcher.define(0, {0, 1});
  for (PathId path = 0; path < 3; ++path) {
    tell(watcher, {WatchedCall(0, 1, 5, path).collective(kBarrier),
                   WatchedCall(1, 2, 5, path).collective(kBarrier)});
  }
  CHECK(watcher.collectives().sites().size() == 1);
  CHECK(watcher.collectives().counts().without_statistics == 4);
  CHECK(wait_of(watcher.waits(), 0, WaitKind::kBarrier) == 3);
}
