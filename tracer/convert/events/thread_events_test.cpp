// SPDX-License-Identifier: BSD-3-Clause
// Locations of threads that run at the same time or one after another.
#include <catch2/catch.hpp>

#include "tests/convert/converted.hpp"

using namespace latecomer;
using namespace latecomer::test;

TEST_CASE("threads are locations of their process") {
  Experiment e(2);
  e.thread(1, 0).enter(mpi("MPI_Init"), 5);
  e.thread(1, 2).send({0, 0, 1, 1}, 6);
  e.thread(0, 0).enter(mpi("MPI_Init"), 7);
  e.finish();
  const Converted c = converted(e);
  REQUIRE(c.archive.locations.size() == 3);
  CHECK(c.archive.locations[0].name == "Master thread");
  CHECK(c.archive.locations[2].id == (std::uint64_t{2} << 32 | 1));
  CHECK(c.archive.locations[2].group == 1);
  CHECK(c.archive.locations[2].name == "Thread 2");
  CHECK(c.archive.locations[2].events == Lines{"6 MpiSend 0 MPI_COMM_WORLD tag 1 bytes 1"});
  CHECK(c.archive.properties.at("OTF2::THREAD_FORK_JOIN_EVENT_COMPLETE") == "false");
  CHECK(c.archive.properties.at("OTF2::PTHREAD_LOCATION_REUSED") == "false");
  CHECK(c.archive.begin == 5);
  CHECK(c.archive.length == 2);
}

TEST_CASE("a thread goes on in the location of one that ended: what that had open is left") {
  Experiment e;
  e.thread(0, 0).enter(mpi("MPI_Init"), 1);
  auto& w = e.thread(0, 1);
  w.enter(mpi("MPI_Send"), 5);
  w.send({0, 0, 1, 1}, 6);
  w.begin_thread(9);
  w.enter(mpi("MPI_Barrier"), 10);
  w.leave(mpi("MPI_Barrier"), 11);
  w.begin_thread(20);
  w.enter(mpi("MPI_Barrier"), 21);
  w.leave(mpi("MPI_Barrier"), 22);
  e.finish();
  const Converted c = converted(e);
  REQUIRE(c.archive.locations.size() == 2);
  CHECK(c.archive.locations[1].name == "Thread 1 (3 one after another)");
  CHECK(c.archive.properties.at("OTF2::PTHREAD_LOCATION_REUSED") == "true");
  CHECK(c.archive.properties.at("LATECOMER::THREADS_IN_TURN") == "2");
  CHECK(c.archive.locations[1].events ==
        Lines{"5 Enter MPI_Send", "6 MpiSend 0 MPI_COMM_WORLD tag 1 bytes 1", "6 Leave MPI_Send",
              "10 Enter MPI_Barrier", "11 Leave MPI_Barrier", "21 Enter MPI_Barrier",
              "22 Leave MPI_Barrier"});
}
