// SPDX-License-Identifier: BSD-3-Clause
// Blocked calls of a thread, and of a child that has none.
#include "tracer/state/blocked_calls.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using latecomer::blocking::BlockedCalls;

TEST_CASE("calls at one place that follow each other are one") {
  BlockedCalls* const calls = BlockedCalls::make();
  REQUIRE(calls != nullptr);
  calls->add({.begin = 10, .end = 20, .function = 1, .caller = 5});
  calls->add({.begin = 20, .end = 30, .function = 1, .caller = 5});
  calls->add({.begin = 30, .end = 40, .function = 1, .caller = 6});  // another place
  calls->add({.begin = 50, .end = 60, .function = 1, .caller = 6});  // something in between
  REQUIRE(calls->size() == 3);
  CHECK((*calls)[0].begin == 10);
  CHECK((*calls)[0].end == 30);
  CHECK((*calls)[2].begin == 50);
  for (std::size_t i = 0; i < 2 * BlockedCalls::kMost; ++i) {
    calls->add({.begin = 100 * i, .end = 100 * i + 1, .function = 2, .caller = 7});
  }
  CHECK(calls->size() == BlockedCalls::kMost);
  calls->clear();
  CHECK(calls->size() == 0);
  BlockedCalls::destroy(calls);
}

TEST_CASE("a child that was forked without handlers has none") {
  BlockedCalls* const calls = BlockedCalls::make();
  REQUIRE(calls != nullptr);
  CHECK(calls->is_alive());
  const auto child = static_cast<pid_t>(syscall(SYS_fork));
  if (child == 0) _exit(calls->is_alive() ? 1 : 0);
  int status = -1;
  REQUIRE(waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  CHECK(calls->is_alive());
  BlockedCalls::destroy(calls);
}
