// SPDX-License-Identifier: BSD-3-Clause
// The table of handles, compared with a map, and used by several threads.
#include "tracer/state/handle_table.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

using latecomer::mpi::HandleTable;

namespace {
struct Value {
  std::uint64_t number = 0;
  bool skipped = false;
};
constexpr auto is_skipped = [](const Value& v) { return v.skipped; };
}  // namespace

TEST_CASE("a handle has the value that it was given last, however many there are") {
  const auto seed = GENERATE(range(0U, 10U));
  std::mt19937_64 random(seed);
  const auto table = std::make_unique<HandleTable<Value>>();
  std::map<std::uint64_t, std::uint64_t> expected;
  // Many keys exceed the first segment. With few keys a slot is given back before a later one.
  const std::uint64_t keys = seed % 2 == 0 ? 20'000 : 40;
  for (std::uint64_t i = 0; i < 50'000; ++i) {
    const std::uint64_t key = 1 + random() % keys;
    if (random() % 3 != 0) {
      Value* value = table->insert(key, is_skipped, seed % 3 == 0);
      REQUIRE(value != nullptr);
      *value = {i, false};
      expected[key] = i;
    } else if (const Value* value = table->find(key); value != nullptr) {
      REQUIRE(expected.at(key) == value->number);
      table->erase(value);
      expected.erase(key);
    } else {
      REQUIRE(expected.count(key) == 0);
    }
  }
  for (std::uint64_t key = 1; key <= keys; ++key) {
    const Value* value = table->find(key);
    REQUIRE((value != nullptr) == (expected.count(key) == 1));
    if (value != nullptr) REQUIRE(value->number == expected[key]);
  }
}

TEST_CASE("a handle that is given out again has a slot of its own while the old one is skipped") {
  const auto table = std::make_unique<HandleTable<Value>>();
  Value* old = table->insert(7, is_skipped);
  *old = {1, true};
  Value* fresh = table->insert(7, is_skipped);
  REQUIRE(fresh != old);
  *fresh = {2, false};
  CHECK(table->insert(7, is_skipped) == fresh);
  CHECK(table->find(7, is_skipped) == fresh);
  table->erase(old);
  CHECK(table->find(7) == fresh);
  table->erase(fresh);
  CHECK(table->find(7) == nullptr);
}

TEST_CASE("no object has no slot") {
  const auto table = std::make_unique<HandleTable<Value>>();
  CHECK(table->find(0) == nullptr);
  CHECK(table->insert(0) == nullptr);
}

TEST_CASE("threads do not take each other's slots") {
  const auto table = std::make_unique<HandleTable<Value>>();
  constexpr std::uint64_t kThreads = 4, kKeys = 500;
  std::vector<std::uint64_t> wrong(kThreads);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (std::uint64_t i = 0; i < 100 * kKeys; ++i) {
        const std::uint64_t key = 1 + t + kThreads * (i % kKeys);
        Value* value = table->insert(key, is_skipped);
        if (value == nullptr) {
          ++wrong[t];
          continue;
        }
        *value = {key, false};
        const Value* found = table->find(key);
        if (found != value || found->number != key) ++wrong[t];
        // Some entries stay a round longer.
        if (found != nullptr && i % 3 != 0) table->erase(found);
      }
    });
  }
  for (auto& thread : threads) thread.join();
  CHECK(wrong == std::vector<std::uint64_t>(kThreads));
}
