// SPDX-License-Identifier: BSD-3-Clause
// The cache of call paths, with synthetic stacks.
#include "tracer/callpath/path_cache.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <memory>
#include <vector>

using namespace latecomer::callpath;

namespace {

// A synthetic stack: word i is at address(i).
struct FakeStack {
  std::array<std::uintptr_t, 64> words{};
  [[nodiscard]] std::uintptr_t address(std::size_t i) const {
    return reinterpret_cast<std::uintptr_t>(&words[i]);
  }
  [[nodiscard]] CallPlace call(std::size_t slot) const { return {address(slot), 0x4000, 0}; }
  [[nodiscard]] std::vector<StackWord> path(std::initializer_list<std::size_t> slots) const {
    std::vector<StackWord> found;
    for (const std::size_t i : slots) found.push_back({address(i), words[i]});
    return found;
  }
};

}  // namespace

TEST_CASE("a known path is found by its place") {
  FakeStack stack;
  stack.words[4] = 0x5010;
  stack.words[9] = 0x6010;
  PathCache cache;
  CHECK(cache.find(stack.call(1)) == PathCache::kUnknown);
  cache.insert(stack.call(1), {stack.path({4, 9})}, 7);
  CHECK(cache.find(stack.call(1)) == 7);
  CHECK(cache.find(stack.call(2)) == PathCache::kUnknown);  // another depth
  CallPlace other = stack.call(1);
  other.caller += 5;  // another call place in the same function
  CHECK(cache.find(other) == PathCache::kUnknown);
}

TEST_CASE("the register counts where the path rests on it, elsewhere it may hold anything") {
  FakeStack stack;
  stack.words[4] = 0x5010;
  const auto with_register = [&](std::size_t slot, std::uintptr_t value) {
    CallPlace place = stack.call(slot);
    place.frame = value;
    return place;
  };
  PathCache cache;
  const auto words = stack.path({4});
  cache.insert(with_register(1, stack.address(8)), {words, true}, 7);
  cache.insert(with_register(2, 1000), {words}, 8);
  for (std::uintptr_t counter = 1000; counter > 0; --counter) {
    REQUIRE(cache.find(with_register(1, counter)) == PathCache::kUnknown);
    REQUIRE(cache.find(with_register(2, counter)) == 8);
  }
  CHECK(cache.find(with_register(1, stack.address(8))) == 7);
  CHECK(cache.find(with_register(1, stack.address(9))) == PathCache::kUnknown);  // another size
}

TEST_CASE("the same place on another way is not the same path") {
  // exchange() is called by solve() at two places, and solve() by main(). Depth and caller of MPI
  // are equal, but a return address further out differs.
  FakeStack stack;
  PathCache cache;
  stack.words[4] = 0x5010;
  stack.words[9] = 0x6010;
  cache.insert(stack.call(1), {stack.path({4, 9})}, 7);
  stack.words[4] = 0x5030;
  REQUIRE(cache.find(stack.call(1)) == PathCache::kUnknown);
  cache.insert(stack.call(1), {stack.path({4, 9})}, 8);
  stack.words[9] = 0x6050;
  REQUIRE(cache.find(stack.call(1)) == PathCache::kUnknown);
  cache.insert(stack.call(1), {stack.path({4, 9})}, 9);
  // All three paths stay known, in any order.
  for (int round = 0; round < 3; ++round) {
    CHECK(cache.find(stack.call(1)) == 9);
    stack.words[9] = 0x6010;
    CHECK(cache.find(stack.call(1)) == 8);
    stack.words[4] = 0x5010;
    CHECK(cache.find(stack.call(1)) == 7);
    stack.words[4] = 0x5030;
    stack.words[9] = 0x6050;
  }
}

TEST_CASE("a full cache begins anew and stays right") {
  FakeStack stack;
  PathCache cache;
  const auto set = [&](std::uintptr_t path) {
    stack.words[4] = 0x5000 + path % 50;
    stack.words[9] = 0x6000 + path / 50;
    return CallPlace{stack.address(path % 3), 0x4000 + path % 1000, 0};
  };
  for (std::uintptr_t path = 1; path < 20000; ++path) {
    const CallPlace place = set(path);
    const FrameId found = cache.find(place);
    REQUIRE((found == PathCache::kUnknown || found == path));
    if (found == PathCache::kUnknown) {
      cache.insert(place, {stack.path({4, 9})}, static_cast<FrameId>(path));
    }
    REQUIRE(cache.find(place) == path);
  }
}

TEST_CASE("many ways to one place are looked through up to a limit") {
  FakeStack stack;
  PathCache cache;
  const auto insert = [&](std::size_t way) {
    stack.words[4] = way;
    cache.insert(stack.call(1), {stack.path({4})}, static_cast<FrameId>(way));
  };
  for (std::size_t way = 1; way <= PathCache::kLongestChain; ++way) insert(way);
  stack.words[4] = 1;
  CHECK(cache.find(stack.call(1)) == 1);
  insert(PathCache::kLongestChain + 1);
  stack.words[4] = 1;
  CHECK(cache.find(stack.call(1)) == PathCache::kUnknown);
  stack.words[4] = PathCache::kLongestChain + 1;
  CHECK(cache.find(stack.call(1)) == PathCache::kLongestChain + 1);
}

TEST_CASE("a path with too many words is not kept") {
  FakeStack stack;
  PathCache cache;
  const std::vector<StackWord> words(PathCache::kMostWords + 1, {stack.address(4), 0});
  cache.insert(stack.call(1), {words}, 3);
  CHECK(cache.find(stack.call(1)) == PathCache::kUnknown);
}
