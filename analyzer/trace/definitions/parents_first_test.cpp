// SPDX-License-Identifier: BSD-3-Clause
// The order of definitions in which parents come before their children.
#include "analyzer/trace/definitions/parents_first.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <functional>

using latecomer::trace::parents_first;

namespace {

using Places = std::vector<std::size_t>;
constexpr std::uint64_t kNone = ~std::uint64_t{0};

Places order(const std::vector<std::uint64_t>& ids, const std::vector<std::uint64_t>& parents) {
  return parents_first<std::uint64_t>(ids, parents);
}

// An id that counts the operations on ids.
struct Counted {
  std::uint64_t value;
  static inline std::uint64_t steps = 0;
  bool operator==(const Counted& other) const {
    ++steps;
    return value == other.value;
  }
};

}  // namespace

template <>
struct std::hash<Counted> {
  std::size_t operator()(const Counted& id) const {
    ++Counted::steps;
    return std::hash<std::uint64_t>()(id.value);
  }
};

TEST_CASE("parents first: whatever the order in the list") {
  CHECK(order({}, {}).empty());
  CHECK(order({7, 8, 9}, {kNone, 7, 8}) == Places{0, 1, 2});
  CHECK(order({9, 8, 7}, {8, 7, kNone}) == Places{2, 1, 0});
  CHECK(order({3, 1, 4, 2}, {1, kNone, 2, kNone}) == Places{1, 0, 3, 2});
}

TEST_CASE("parents first: damaged trees") {
  CHECK(order({1}, {1}) == Places{0});
  CHECK(order({1, 2, 3}, {2, 3, 1}) == Places{2, 1, 0});   // a circle
  CHECK(order({1, 2, 3}, {2, 1, 2}) == Places{1, 0, 2});   // and a way into it
  CHECK(order({1, 1, 2}, {kNone, 2, 1}) == Places{0, 2});  // an id given twice
  CHECK(order({1, 2}, {99, 1}) == Places{0, 1});           // a parent that does not exist
}

TEST_CASE("parents first: steps are in proportion to the nodes, however deep") {
  constexpr std::uint64_t kNodes = 100'000;
  for (const bool children_first : {true, false}) {
    std::vector<Counted> ids, parents;
    for (std::uint64_t i = 0; i < kNodes; ++i) {
      const std::uint64_t id = children_first ? i : kNodes - 1 - i;
      ids.push_back({id});
      parents.push_back({id + 1});
    }
    Counted::steps = 0;
    const auto places = parents_first<Counted>(ids, parents);
    CHECK(Counted::steps < 20 * kNodes);
    REQUIRE(places.size() == kNodes);
    CHECK(places.front() == (children_first ? kNodes - 1 : 0));
  }
}
