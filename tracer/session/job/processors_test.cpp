// SPDX-License-Identifier: BSD-3-Clause
// Cores and threads of the test process itself.
#include "tracer/session/job/processors.hpp"

#include <sched.h>

#include <barrier>
#include <catch2/catch.hpp>
#include <thread>

#include "tracer/session/job/identity.hpp"

using namespace latecomer;

namespace {

// The list of cores, such as "3-4" or "7".
std::string list_of(const std::string& cores) { return cores.substr(cores.rfind(' ') + 1); }

}  // namespace

TEST_CASE("cores: lists of sets") {
  cpu_set_t set;
  CPU_ZERO(&set);
  CHECK(session::cores_in(set).empty());
  for (const int core : {0, 1, 2, 5, 1023}) CPU_SET(core, &set);
  CHECK(session::cores_in(set) == "0-2,5,1023");
}

TEST_CASE("cores: those of all threads of the process") {
  cpu_set_t all, one;
  REQUIRE(sched_getaffinity(0, sizeof all, &all) == 0);
  int first = 0;
  while (!CPU_ISSET(first, &all)) ++first;
  const std::string before = session::cores();
  CHECK(before.rfind(' ') > 0);
  std::barrier sync(2);
  std::thread other([&] {  // keeps the cores that the process had
    sync.arrive_and_wait();
    sync.arrive_and_wait();
  });
  sync.arrive_and_wait();
  CPU_ZERO(&one);
  CPU_SET(first, &one);
  REQUIRE(sched_setaffinity(0, sizeof one, &one) == 0);
  CHECK(session::thread_count() == 2);
  CHECK(session::cores() == before);
  sync.arrive_and_wait();
  other.join();
  CHECK(list_of(session::cores()) == std::to_string(first));
  REQUIRE(sched_setaffinity(0, sizeof all, &all) == 0);
  CHECK(session::cores() == before);
}
