// SPDX-License-Identifier: BSD-3-Clause
// Ranks of the members of a communicator.
#include "analyzer/trace/definitions/members.hpp"

#include <catch2/catch.hpp>

using latecomer::trace::Members;

TEST_CASE("members: copies share the ranks") {
  const Members first = {3, 1, 2};
  const Members copy = first;
  CHECK(copy.shared_with(first));
  CHECK(&copy.ranks() == &first.ranks());
  CHECK_FALSE(Members({3, 1, 2}).shared_with(first));
  CHECK(copy.size() == 3);
  CHECK(copy[1] == 1);
}

TEST_CASE("members: nobody") {
  const Members nobody;
  CHECK(nobody.empty());
  CHECK(nobody.begin() == nobody.end());
}
