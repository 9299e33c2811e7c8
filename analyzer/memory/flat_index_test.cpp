// SPDX-License-Identifier: BSD-3-Clause
// FlatIndex compared with std::map on random operations.
#include "analyzer/memory/flat_index.hpp"

#include <catch2/catch.hpp>
#include <map>
#include <random>

using latecomer::trace::FlatIndex;
using latecomer::trace::IntKey;

TEST_CASE("flat index: at, find and take behave like a map") {
  std::mt19937_64 random(7);
  FlatIndex<IntKey> index;
  std::map<std::uint64_t, std::uint32_t> reference;
  for (std::uint32_t step = 0; step < 100000; ++step) {
    const IntKey key{random() % 500};
    const auto known = reference.find(key.value);
    switch (random() % 3) {
      case 0:
        CHECK(index.at(key, step) == reference.emplace(key.value, step).first->second);
        break;
      case 1:
        CHECK(index.find(key) == (known == reference.end() ? index.kNone : known->second));
        break;
      default:
        CHECK(index.take(key) == (known == reference.end() ? index.kNone : known->second));
        reference.erase(key.value);
    }
  }
  CHECK(index.size() == reference.size());
}
