// SPDX-License-Identifier: BSD-3-Clause
// Operations are handed on in the order in which they began.
#include "tracer/watch/in_start_order.hpp"

#include <catch2/catch.hpp>
#include <vector>

using latecomer::watch::InStartOrder;

namespace {

std::vector<int> handed_on(InStartOrder<int>& all, std::size_t* given_up = nullptr) {
  std::vector<int> values;
  const std::size_t count = all.hand_on([&](int value) { values.push_back(value); });
  if (given_up != nullptr) *given_up = count;
  return values;
}

}  // namespace

TEST_CASE("an operation waits for those that began before it") {
  InStartOrder<int> all(10);
  all.begin(1);
  all.begin(2);
  all.at_once(30);
  CHECK(all.end(2, 20));
  CHECK(handed_on(all).empty());
  CHECK(all.end(1, 10));
  CHECK(handed_on(all) == std::vector{10, 20, 30});
  CHECK_FALSE(all.end(1, 10));  // it is not open any more
}

TEST_CASE("a cancelled operation holds nothing back") {
  InStartOrder<int> all(10);
  all.begin(1);
  all.at_once(20);
  CHECK(all.cancel(1));
  CHECK_FALSE(all.cancel(1));
  CHECK(handed_on(all) == std::vector{20});
}

TEST_CASE("an operation that does not end is given up after too many later ones") {
  InStartOrder<int> all(3);
  all.begin(1);
  for (int i = 0; i < 2; ++i) all.at_once(i);
  CHECK(handed_on(all).empty());
  all.at_once(2);
  std::size_t given_up = 0;
  CHECK(handed_on(all, &given_up) == std::vector{0, 1, 2});
  CHECK(given_up == 1);
  CHECK_FALSE(all.end(1, 10));
}

TEST_CASE("a number of a request that was never completed can be used again") {
  InStartOrder<int> all(10);
  all.begin(1);
  all.begin(1);
  CHECK(all.end(1, 7));
  CHECK(handed_on(all) == std::vector{7});
}
