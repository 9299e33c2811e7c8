// SPDX-License-Identifier: BSD-3-Clause
// The table of what threads wait for.
#include "tracer/state/posix_state.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <set>
#include <thread>
#include <vector>

using latecomer::posix::WaitTable;

TEST_CASE("an object has one entry, which is there once somebody has waited") {
  const auto table = std::make_unique<WaitTable>();
  CHECK(table->find_known(0x1000) == nullptr);
  WaitTable::Object* const object = table->find(0x1000);
  REQUIRE(object != nullptr);
  CHECK(table->find(0x1000) == object);
  CHECK(table->find_known(0x1000) == object);
  CHECK(table->find_known(0x1008) == nullptr);
  CHECK(table->number(object) != 0);
  CHECK(object->number == 0);
}

TEST_CASE("objects are watched until as many have ended that as have begun it") {
  const auto table = std::make_unique<WaitTable>();
  CHECK_FALSE(table->is_watched(0x2000));
  table->watch(0x2000);
  table->watch(0x2000);
  table->unwatch(0x2000);
  CHECK(table->is_watched(0x2000));
  table->unwatch(0x2000);
  CHECK_FALSE(table->is_watched(0x2000));
}

TEST_CASE("a full table has no room, but keeps what it has") {
  const auto table = std::make_unique<WaitTable>();
  std::vector<std::pair<std::uintptr_t, WaitTable::Object*>> found;
  std::size_t without_room = 0;
  for (std::uintptr_t i = 1; i <= 2 * WaitTable::kMostObjects; ++i) {
    WaitTable::Object* const object = table->find(i * 40);
    if (object == nullptr) {
      ++without_room;
    } else {
      found.emplace_back(i * 40, object);
    }
  }
  CHECK(without_room >= WaitTable::kMostObjects);
  std::set<WaitTable::Object*> all;
  for (const auto& [address, object] : found) {
    REQUIRE(table->find_known(address) == object);
    all.insert(object);
  }
  CHECK(all.size() == found.size());
}

TEST_CASE("threads that look for the same objects at the same time find the same entries") {
  constexpr std::size_t kThreads = 4, kObjects = 2000;
  const auto table = std::make_unique<WaitTable>();
  std::array<std::vector<WaitTable::Object*>, kThreads> found;
  std::vector<std::thread> threads;
  for (auto& mine : found) {
    threads.emplace_back([&] {
      for (std::uintptr_t i = 1; i <= kObjects; ++i) {
        mine.push_back(table->find(i * 64));
        table->watch(i * 64);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : found) CHECK(mine == found[0]);
  CHECK(std::set(found[0].begin(), found[0].end()).size() == kObjects);
  for (std::uintptr_t i = 1; i <= kObjects; ++i) {
    for (std::size_t t = 0; t < kThreads; ++t) table->unwatch(i * 64);
  }
  for (std::uintptr_t i = 1; i <= kObjects; ++i) REQUIRE_FALSE(table->is_watched(i * 64));
}
