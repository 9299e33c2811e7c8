// SPDX-License-Identifier: BSD-3-Clause
// The last seconds with waits that have ended, and one that goes on.
#include "tracer/watch/view/last_seconds.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::watch;

namespace {

constexpr Nanoseconds kMs = 1'000'000;
constexpr Nanoseconds kSecond = 1000 * kMs;

// A call of rank 0 from 10 s on, all of it in MPI.
CallEvent call_of(Nanoseconds length) {
  CallEvent call;
  call.enter = 10 * kSecond;
  call.leave = call.enter + length;
  call.inside = length;
  return call;
}

}  // namespace

TEST_CASE("an open wait counts in the last seconds, and not in the sums") {
  // Calls at 10.0 to 10.1 s, with a wait of 60 ms; then from 10.2 s on one that has not ended.
  // Now it is 20.3 s: slice 81. The window has slices 42 to 81, so it begins at 10.5 s.
  //   wait so far in it  20.3 - 10.5 = 9.8 s of 9.8 s
  WaitSums sums(100);
  sums.add_call(call_of(100 * kMs));
  sums.add({WaitKind::kLateSender, 0, 1, 0, 10 * kSecond, 60 * kMs});
  const Nanoseconds entered = 10'200 * kMs, now = 20'300 * kMs;
  const OpenCall open{entered, entered, now};
  const Window window(now);
  CHECK(window.begin() == 10'500 * kMs);
  const LastSeconds last = last_seconds(sums.ranks()[0], &open, window);
  CHECK(last.waiting == 9'800 * kMs);
  CHECK(last.mpi == 9'800 * kMs);
  REQUIRE(last.slices.size() == 40);
  CHECK(last.slices[0] == 250 * kMs);
  CHECK(last.slices[38] == 250 * kMs);
  CHECK(last.slices[39] == 50 * kMs);  // from 20.25 to 20.3
  CHECK(sums.ranks()[0].waiting() == 60 * kMs);
}

TEST_CASE("an ended wait and an open one are added") {
  // Ended: 60 ms from 10.0 s on. Open: from 10.2 s, the partner came at 10.23 s; now it is 10.3 s.
  //   waiting 60 + 30 ms, in MPI 100 + 100 ms
  WaitSums sums(100);
  sums.add_call(call_of(100 * kMs));
  sums.add({WaitKind::kLateSender, 0, 1, 0, 10 * kSecond, 60 * kMs});
  const OpenCall open{10'200 * kMs, 10'200 * kMs, 10'230 * kMs};
  const LastSeconds last = last_seconds(sums.ranks()[0], &open, Window(10'300 * kMs));
  CHECK(last.waiting == 90 * kMs);
  CHECK(last.mpi == 200 * kMs);
  CHECK(last.slices[38] == 90 * kMs);  // 10.0 to 10.25 s
  CHECK(last.slices[39] == 0);
  CHECK(last_seconds(sums.ranks()[0], nullptr, Window(10'300 * kMs)).waiting == 60 * kMs);
}

TEST_CASE("slices after a loss stay unknown, though a wait is open") {
  WaitSums sums(100);
  sums.add_call(call_of(600 * kMs));
  sums.lose(0);
  const OpenCall open{11 * kSecond, 11 * kSecond, 12 * kSecond};
  const LastSeconds last = last_seconds(sums.ranks()[0], &open, Window(12 * kSecond));
  CHECK(last.slices[39] == LastSeconds::kNotKnown);
  CHECK(last.slices[0] == 0);  // 2.25 to 2.5 s
}
