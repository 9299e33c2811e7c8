// SPDX-License-Identifier: BSD-3-Clause
// Stable sorting by keys: few sorted runs are merged, all others are sorted digit by digit.
#include "analyzer/memory/sort_by_key.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace latecomer;

namespace {

struct Element {
  std::uint32_t key = 0, number = 0;
  friend bool operator==(const Element&, const Element&) = default;
};

void check_sorted(memory::Vector<Element> all, unsigned bits) {
  for (std::uint32_t i = 0; i < all.size(); ++i) all[i].number = i;
  auto expected = all;
  std::ranges::stable_sort(expected, std::less<>(), &Element::key);
  auto few = all;
  memory::sort_by_key(all, bits, [](const Element& one) { return one.key; });
  CHECK(std::ranges::equal(all, expected));
  memory::sort_few(few, [](const Element& a, const Element& b) { return a.key < b.key; });
  CHECK(std::ranges::equal(few, expected));
}

}  // namespace

TEST_CASE("sorted runs, and keys in no order") {
  std::mt19937 random(1);
  check_sorted({}, 32);
  for (const std::uint32_t runs : {1U, 2U, 3U, 500U}) {
    for (const unsigned bits : {4U, 12U, 30U}) {
      memory::Vector<Element> all;
      for (std::uint32_t i = 0; i < 1000; ++i) {
        all.push_back({static_cast<std::uint32_t>(random() & ((1U << bits) - 1)), 0});
      }
      const auto length = static_cast<std::ptrdiff_t>(1000 / runs);
      for (auto at = all.begin(); all.end() - at >= length; at += length) {
        std::sort(at, at + length, [](const auto& a, const auto& b) { return a.key < b.key; });
      }
      check_sorted(all, bits);
    }
  }
}
