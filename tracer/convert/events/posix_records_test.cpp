// SPDX-License-Identifier: BSD-3-Clause
// POSIX threads and their mutexes become OTF2's events.
#include <catch2/catch.hpp>

#include "tests/convert/converted.hpp"
#include "tracer/record/extended.hpp"

using namespace latecomer;
using namespace latecomer::test;
using record::ThreadWriter;
using record::two_halves;

namespace {

constexpr std::uint32_t kCreate = 4096, kJoin = 4097, kWait = 4098;
constexpr std::uint64_t kWorker = std::uint64_t{1} << 32;

void define(Experiment& e) {
  const char* const names[] = {"pthread_create", "pthread_join", "sem_wait"};
  for (std::uint32_t id = kCreate; id <= kWait; ++id) {
    e.add(0, record::RegionDefinition{id, "pthread", "wrapper", names[id - kCreate], "", "", 0, 0});
  }
}
void put(ThreadWriter& w, record::ExtendedKind kind, record::Ticks t, std::uint64_t word) {
  w.extended(kind, t, {&word, 1});
}

}  // namespace

TEST_CASE("POSIX threads have a communicator per process, and end with all their regions left") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  w.program_begin(1);
  w.enter(kCreate, 10);
  put(w, record::kThreadCreated, 10, 1);
  w.leave(kCreate, 12);
  w.enter(kJoin, 20);
  put(w, record::kThreadJoined, 31, 1);
  w.leave(kJoin, 32);
  w.program_end(40);
  auto& worker = e.thread(0, 1);
  put(worker, record::kThreadBegun, 11, 1);
  worker.enter(kWait, 15);
  put(worker, record::kThreadEnded, 30, 1);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.report.records_mended == 0);
  CHECK(c.archive.location(0).events ==
        Lines{"1 ProgramBegin /bin/app -x 7", "10 Enter pthread_create", "10 ThreadCreate comm2 1",
              "12 Leave pthread_create", "20 Enter pthread_join", "31 ThreadWait comm2 1",
              "32 Leave pthread_join", "40 ProgramEnd"});
  CHECK(c.archive.location(kWorker).events == Lines{"11 ThreadBegin comm2 1", "15 Enter sem_wait",
                                                    "30 Leave sem_wait", "30 ThreadEnd comm2 1"});
  CHECK(c.archive.groups == Lines{"0: locations 0", "1: self", "2: members 0",
                                  "3: locations 0 4294967296", "4: members 0 1"});
  CHECK(c.archive.comms.back() == "2: |4|-|0");
}

TEST_CASE("a mutex that was got without a record has both events when it is released") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  w.program_begin(1);
  put(w, record::kMutexGiven, 10, two_halves(7, 0));
  put(w, record::kMutexAcquired, 20, two_halves(7, 3));
  put(w, record::kMutexReleased, 25, two_halves(7, 3));
  w.program_end(40);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.report.records_mended == 0);
  CHECK(c.archive.location(0).events ==
        Lines{"1 ProgramBegin /bin/app -x 7", "10 ThreadAcquireLock 7 order 0",
              "10 ThreadReleaseLock 7 order 0", "20 ThreadAcquireLock 7 order 3",
              "25 ThreadReleaseLock 7 order 3", "40 ProgramEnd"});
}
