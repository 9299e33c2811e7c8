// SPDX-License-Identifier: BSD-3-Clause
// Locks of a thread, as another process reads them. Calls of MPI are in tests/stuck.
#include "tracer/record/live_state.hpp"

#include <catch2/catch.hpp>
#include <cstring>
#include <vector>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/writer.hpp"

using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::TemporaryDirectory;

namespace {

using Addresses = std::vector<std::uint64_t>;

HeldLocks locks_in(const std::string& path) {
  HeldLocks locks;
  std::memcpy(&locks, read_file(path).data() + kHeldOffset, sizeof locks);
  return locks;
}
Addresses held_in(const std::string& path) {
  const HeldLocks locks = locks_in(path);
  return {locks.addresses.begin(), locks.addresses.begin() + static_cast<long>(locks.count)};
}

}  // namespace

TEST_CASE("locks are released in any order") {
  const TemporaryDirectory dir;
  const std::string path = dir.file("f");
  ThreadWriter w(0, 4096, 0);
  LiveState& live = w.live_state();
  live.hold(1);
  REQUIRE(w.move_to(path, 0) == 0);
  live.hold(2);
  live.hold(3);
  live.hold(2);
  CHECK(held_in(path) == Addresses{1, 2, 3, 2});
  live.release(2);  // the last one
  live.release(1);
  live.release(7);  // not held
  CHECK(held_in(path) == Addresses{2, 3});
  live.want(9);
  CHECK(locks_in(path).wanted == 9);
  live.forget_locks();
  CHECK(locks_in(path).wanted == 0);
  CHECK(held_in(path).empty());
  live.release(2);
  CHECK(held_in(path).empty());
}

TEST_CASE("locks beyond the first ones are not known") {
  const TemporaryDirectory dir;
  ThreadWriter w(0, 4096, 0);
  REQUIRE(w.move_to(dir.file("f"), 0) == 0);
  for (std::uint64_t lock = 1; lock <= HeldLocks::kMost + 2; ++lock) w.live_state().hold(lock);
  CHECK(held_in(dir.file("f")).size() == HeldLocks::kMost);
  w.live_state().release(HeldLocks::kMost + 1);
  CHECK(held_in(dir.file("f")).size() == HeldLocks::kMost);
  w.live_state().release(HeldLocks::kMost);
  CHECK(held_in(dir.file("f")).back() == HeldLocks::kMost - 1);
}
