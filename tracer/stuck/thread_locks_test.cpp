// SPDX-License-Identifier: BSD-3-Clause
// Circles of threads and locks.
#include "tracer/stuck/thread_locks.hpp"

#include <catch2/catch.hpp>

using namespace latecomer::stuck;

namespace {

constexpr std::uint64_t kA = 0x1000, kB = 0x2000, kC = 0x3000;
using Stuck = std::vector<std::uint32_t>;

}  // namespace

TEST_CASE("locks: two threads that wait for each other") {
  const LockWaits found = find_lock_waits(
      {{0, kB, {kA}, "pthread_mutex_lock (a.c:1)"}, {3, kA, {kC, kB}, "omp_set_lock (a.c:2)"}});
  REQUIRE(found.sentences.size() == 1);
  CHECK(found.sentences[0].is_circle);
  CHECK(found.sentences[0].text ==
        "threads 0 and 3 wait for locks of each other: thread 0 is in pthread_mutex_lock (a.c:1), "
        "whose lock thread 3 holds; thread 3 is in omp_set_lock (a.c:2), whose lock thread 0 "
        "holds");
  CHECK(found.stuck == Stuck{0, 3});
}

TEST_CASE("locks: a thread that waits for itself, and one that waits for that") {
  const LockWaits found = find_lock_waits({{1, kA, {}, "x"}, {2, kA, {kA}, "y"}});
  REQUIRE(found.sentences.size() == 2);
  CHECK(found.sentences[0].text == "thread 2 waits for a lock that it holds itself: it is in y");
  CHECK(found.sentences[0].is_circle);
  CHECK(found.sentences[1].text == "thread 1 is in x, whose lock thread 2 holds, which is in y");
  CHECK_FALSE(found.sentences[1].is_circle);
  CHECK(found.stuck == Stuck{1, 2});
}

TEST_CASE("locks: three threads in a circle are told once") {
  const LockWaits found =
      find_lock_waits({{1, kB, {kA}, "x"}, {2, kC, {kB}, "y"}, {4, kA, {kC}, "z"}});
  REQUIRE(found.sentences.size() == 1);
  CHECK(found.sentences[0].text ==
        "threads 1, 2 and 4 wait for locks of each other: thread 1 is in x, whose lock thread 2 "
        "holds; thread 2 is in y, whose lock thread 4 holds; thread 4 is in z, whose lock thread 1 "
        "holds");
  CHECK(found.stuck == Stuck{1, 2, 4});
}

TEST_CASE("locks: a holder that may go on, and one that is not known") {
  const LockWaits found = find_lock_waits({{1, kA, {}, "x"}, {2, 0, {kA}, ""}, {3, kC, {}, "z"}});
  REQUIRE(found.sentences.size() == 1);
  CHECK(found.sentences[0].text ==
        "thread 1 is in x, whose lock thread 2 holds, which is in no recorded call");
  CHECK_FALSE(found.sentences[0].is_circle);
  CHECK(found.stuck.empty());
  CHECK(find_lock_waits({}).sentences.empty());
}
