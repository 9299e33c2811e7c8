// SPDX-License-Identifier: BSD-3-Clause
// Locks with a runtime that this test makes up: a thread that waits for a lock releases it first,
// as if it were the holder, too.
#include <catch2/catch.hpp>

#include "tests/openmp/recorded_teams.hpp"
#include "tracer/session/process/session.hpp"

using latecomer::openmp::LockTable;
using latecomer::openmp::Symbol;
using latecomer::test::recorded;
using latecomer::test::set_runtime_function;

namespace {

// How often the lock is set, and whether by the thread that asks.
struct FakeLock {
  int times = 0;
  bool is_own = true;
};
FakeLock& fake(void* lock) { return *static_cast<FakeLock*>(lock); }

void set_up() {
  latecomer::session::detail::thread_state.in_team = true;
  set_runtime_function(
      Symbol::k_test_lock,
      +[](void* lock) { return fake(lock).times == 0 ? fake(lock).times = 1 : 0; });
  set_runtime_function(
      Symbol::k_unset_lock, +[](void* lock) { fake(lock).times = 0; });
  set_runtime_function(
      Symbol::k_set_lock, +[](void* lock) {
        if (fake(lock).times != 0) omp_unset_lock(lock);
        fake(lock).times = 1;
      });
  set_runtime_function(
      Symbol::k_test_nest_lock, +[](void* lock) {
        return fake(lock).times == 0 || fake(lock).is_own ? ++fake(lock).times : 0;
      });
  set_runtime_function(
      Symbol::k_unset_nest_lock, +[](void* lock) { --fake(lock).times; });
  set_runtime_function(
      Symbol::k_set_nest_lock, +[](void* lock) {
        fake(lock).is_own = true;
        while (fake(lock).times > 0) omp_unset_nest_lock(lock);
        fake(lock).times = 1;
      });
}

}  // namespace

TEST_CASE("only threads that wait for a lock leave records, with those that they wait for") {
  static FakeLock lock;  // the tables know locks by their addresses
  const auto texts = recorded(1, {{0, [] {
                                     set_up();
                                     omp_set_lock(&lock);
                                     omp_unset_lock(&lock);
                                     omp_set_lock(&lock);
                                     omp_set_lock(&lock);               // waits
                                     omp_unset_lock(&lock);             // of the one that waited
                                     CHECK(omp_test_lock(&lock) == 1);  // number 2
                                     CHECK(omp_test_lock(&lock) == 0);
                                     omp_unset_lock(&lock);
                                     omp_set_lock(&lock);  // number 3
                                     omp_set_lock(&lock);  // waits
                                     CHECK(lock.times == 1);
                                   }}});
  CHECK(texts[0] ==
        "(omp_set_lock got:0 rel:0 got:1 omp_set_lock) rel:1 "
        "(omp_set_lock got:3 rel:3 got:4 omp_set_lock) ");
}

TEST_CASE("a nested lock is released when it is unset as often as it was set") {
  static FakeLock lock;  // the tables know locks by their addresses
  const auto texts = recorded(1, {{0, [] {
                                     set_up();
                                     omp_set_nest_lock(&lock);
                                     omp_set_nest_lock(&lock);
                                     CHECK(lock.times == 2);
                                     lock.is_own = false;
                                     omp_set_nest_lock(&lock);  // waits
                                     CHECK(lock.times == 1);
                                     omp_set_nest_lock(&lock);
                                     CHECK(omp_test_nest_lock(&lock) == 3);
                                     omp_unset_nest_lock(&lock);
                                     omp_unset_nest_lock(&lock);
                                     CHECK(lock.times == 1);
                                     omp_unset_nest_lock(&lock);
                                     CHECK(lock.times == 0);
                                   }}});
  CHECK(texts[0] == "(omp_set_nest_lock got:0 rel:0 got:1 omp_set_nest_lock) rel:1 ");
}

TEST_CASE("the table finds locks, and says which it has not seen") {
  static LockTable table;
  CHECK(table.known(4711) == nullptr);
  LockTable::Lock* const lock = table.find(4711);
  REQUIRE(lock != nullptr);
  CHECK(table.known(4711) == lock);
  CHECK(table.find(4711) == lock);
  CHECK(table.known(4712) == nullptr);
  // Very many locks: some find no room, the others stay.
  std::size_t found = 0;
  for (std::uintptr_t address = 8; address < 8 * 20'000; address += 8) {
    found += table.find(address) != nullptr ? 1U : 0U;
  }
  CHECK(found < 20'000);
  CHECK(found > LockTable::kMostLocks / 2);
  CHECK(table.find(4711) == lock);
}
