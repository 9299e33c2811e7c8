// SPDX-License-Identifier: BSD-3-Clause
// The index of requests behaves like a map, whatever the numbers of requests.
#include "analyzer/trace/events/core/request_index.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using latecomer::trace::RequestIndex;

TEST_CASE("requests: numbers that share a place, repeat, or are not there") {
  std::mt19937_64 random(7);
  RequestIndex index;
  std::map<std::uint64_t, std::uint32_t> wanted;
  for (std::uint32_t i = 0; i < 20000; ++i) {
    // Ids differ in few low bits, so that they share slots; in some phases they do not.
    const std::uint64_t request = random() % 4 << (i / 1000 % 2 == 0 ? 8 : 0) | random() % 3;
    if (random() % 2 == 0) {
      index.set(request, i);
      wanted[request] = i;
    } else {
      const auto there = wanted.find(request);
      const std::uint32_t value = there == wanted.end() ? RequestIndex::kNone : there->second;
      if (there != wanted.end()) wanted.erase(there);
      REQUIRE(index.take(request) == value);
    }
    REQUIRE(index.size() == wanted.size());
  }
  std::map<std::uint64_t, std::uint32_t> left;
  index.each([&](std::uint64_t request, std::uint32_t value) { left[request] = value; });
  CHECK(left == wanted);
  CHECK(index.take(UINT64_MAX) == RequestIndex::kNone);
  index.set(UINT64_MAX, 1);
  CHECK(index.take(UINT64_MAX) == 1);
}
