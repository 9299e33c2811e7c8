// SPDX-License-Identifier: BSD-3-Clause
// Sets of threads from the begins of their parts in teams.
#include "tracer/convert/definitions/thread_teams.hpp"

#include <catch2/catch.hpp>

using latecomer::convert::Teams;

namespace {

using Sets = std::vector<std::vector<std::uint32_t>>;
constexpr std::uint32_t kRegion = 5;

}  // namespace

TEST_CASE("teams of the same threads share a set") {
  Teams teams;
  for (const std::uint32_t thread : {0U, 1U, 4U}) {
    teams.begin_thread(thread);
    for (std::uint32_t team = 0; team < 1000; ++team) {
      if (thread == 4 && team % 2 == 1) continue;
      teams.begun(team, kRegion, thread == 0);
      if (thread == 0) teams.left(kRegion, 100 + team);
    }
  }
  CHECK(teams.sets() == Sets{{0, 1, 4}, {0, 1}});
  CHECK(teams.set_of(0) == 0);
  CHECK(teams.set_of(998) == 0);
  CHECK(teams.set_of(999) == 1);
  CHECK(teams.size_of(998) == 3);
  CHECK(teams.size_of(999) == 2);
  CHECK(teams.end_of(999) == 1099);
}

TEST_CASE("nested teams end in their order") {
  Teams teams;
  teams.begin_thread(0);
  teams.begun(0, kRegion, true);
  teams.begun(1, kRegion, true);
  CHECK(teams.has_open());
  teams.left(kRegion + 1, 5);  // another region
  teams.left(kRegion, 10);
  teams.left(kRegion, 20);
  CHECK_FALSE(teams.has_open());
  CHECK(teams.end_of(1) == 10);
  CHECK(teams.end_of(0) == 20);
}

TEST_CASE("unknown teams and damaged numbers cost little") {
  Teams teams;
  CHECK(teams.sets().empty());
  CHECK(teams.set_of(3) == Teams::kNone);
  CHECK(teams.size_of(3) == 0);
  CHECK_FALSE(teams.end_of(3));
  teams.begin_thread(2);
  teams.begun(0xffffffff, kRegion, false);
  teams.begun(0xffffffff, kRegion, false);  // twice
  CHECK(teams.sets() == Sets{{2}});
  CHECK(teams.set_of(0xffffffff) == 0);
  CHECK(teams.set_of(0xfffffffe) == Teams::kNone);
  CHECK_FALSE(teams.end_of(0xffffffff));
}
