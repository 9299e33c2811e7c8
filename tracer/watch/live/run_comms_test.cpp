// SPDX-License-Identifier: BSD-3-Clause
// Communicators are the same on all processes if owner and number are.
#include "tracer/watch/live/run_comms.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::watch;

namespace {

record::Definitions with_comm(std::uint32_t id, const char* kind, std::uint32_t owner,
                              std::uint32_t number, std::vector<std::uint32_t> members = {},
                              std::vector<std::uint32_t> remote = {}) {
  record::Definitions d;
  d.comms.push_back({id, kind, owner, number, {}, std::move(members), std::move(remote)});
  return d;
}

}  // namespace

TEST_CASE("a communicator is known when the log of its owner was read") {
  RunComms comms;
  comms.set_size(4);
  CHECK(comms.add(3, with_comm(5, "intra", 1, 2)).empty());
  const CommId comm = comms.find(3, 5);
  REQUIRE(comm != kNone);
  CHECK_FALSE(comms[comm].known);
  CHECK(comms.add(1, with_comm(7, "intra", 1, 2, {1, 3})) == std::vector{comm});
  CHECK(comms.find(1, 7) == comm);
  CHECK(comms.id_on(1, comm) == 7);
  CHECK(comms.id_on(3, comm) == 5);
  CHECK(comms.id_on(2, comm) == kNone);
  CHECK(comms[comm].known);
  CHECK(comms.world_rank(comm, 1, 1) == 3);
  CHECK(comms.world_rank(comm, 1, 2) == kNone);
  CHECK(comms.find_of_owner(1, 2) == comm);
  CHECK(comms.find_of_owner(1, 3) == kNone);
  CHECK(comms[comm].owner == 1);
  CHECK(comms[comm].number == 2);
}

TEST_CASE("MPI_COMM_WORLD and MPI_COMM_SELF need no owner") {
  RunComms comms;
  comms.set_size(3);
  static_cast<void>(comms.add(2, with_comm(0, "world", 0, 0)));
  static_cast<void>(comms.add(2, with_comm(1, "self", 2, 0)));
  CHECK(comms.find(2, 0) == RunComms::kWorld);
  CHECK(comms[RunComms::kWorld].members == std::vector<Rank>{0, 1, 2});
  CHECK(comms.world_rank(comms.find(2, 1), 2, 0) == 2);
  CHECK(comms.find(2, 9) == kNone);
  CHECK(comms.find_of_owner(comms[RunComms::kWorld].owner, 0) == RunComms::kWorld);
}

TEST_CASE("ranks in an intercommunicator are those of the other side") {
  RunComms comms;
  comms.set_size(4);
  static_cast<void>(comms.add(0, with_comm(4, "inter", 0, 1, {0, 1}, {2, 3})));
  static_cast<void>(comms.add(2, with_comm(6, "inter", 0, 1)));
  CHECK(comms.world_rank(comms.find(0, 4), 0, 1) == 3);
  CHECK(comms.world_rank(comms.find(2, 6), 2, 1) == 1);
}

TEST_CASE("communicators with members that the run does not have are left out, and counted") {
  RunComms comms;
  comms.set_size(2);
  CHECK(comms.add(0, with_comm(4, "intra", 0, 1, {0, 16777215})).empty());
  CHECK(comms.add(0, with_comm(5, "inter", 0, 2, {0}, {2})).empty());
  CHECK(comms.add(0, with_comm(6, "intra", 0, 3, {0, 1, 0})).empty());  // more than the run has
  CHECK(comms.damaged() == 3);
  const RunComm& one = comms[comms.find(0, 4)];
  CHECK(one.known);
  CHECK(one.is_damaged);
  CHECK(one.members.empty());
  CHECK(comms.add(0, with_comm(7, "intra", 0, 4, {0, 1})).size() == 1);
}
