// SPDX-License-Identifier: BSD-3-Clause
// Teams of threads and locks. Threads that do not make a team have no record of its end.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "tests/convert/converted.hpp"
#include "tests/support/random_constructs.hpp"
#include "tracer/record/extended.hpp"

using namespace latecomer;
using namespace latecomer::test;
using record::ThreadWriter;
using record::two_halves;

namespace {

constexpr std::uint32_t kParallel = 4096, kBarrier = 4097, kCritical = 4098;
constexpr std::uint64_t kWorker = std::uint64_t{1} << 32;

void define(Experiment& e) {
  e.add(0, record::ModuleDefinition{131072, "/nowhere/solver", ""});
  e.add(0, record::ConstructDefinition{kParallel, "parallel", "!$omp parallel", 131072, 16});
  e.add(0, record::ConstructDefinition{kBarrier, "implicit barrier", "!$omp implicit barrier",
                                       131072, 16});
  e.add(0, record::RegionDefinition{kCritical, "openmp", "critical", "critical", "", "", 0, 0});
}

void fork(ThreadWriter& w, std::uint32_t team, record::Ticks t) {
  const std::uint64_t word = two_halves(0, team);
  w.extended(record::kFork, t, {&word, 1});
}
void begin(ThreadWriter& w, std::uint32_t team, bool is_maker, record::Ticks t) {
  const std::array<std::uint64_t, 2> words = {two_halves(kParallel, team), is_maker ? 1U : 0U};
  w.extended(record::kTeamBegun, t, words);
}
void arrive(ThreadWriter& w, std::uint32_t team, record::Ticks t) {
  const std::uint64_t word = two_halves(kBarrier, team);
  w.extended(record::kTeamArrived, t, {&word, 1});
}
void end(ThreadWriter& w, record::Ticks t) {
  w.leave(kBarrier, t);
  w.leave(kParallel, t);
}

// The maker's part in a team, from `t` to `t` + 9. The fork of every other team has no record of
// its own.
void make_team(ThreadWriter& w, std::uint32_t team, record::Ticks t) {
  if (team % 2 == 0) {
    fork(w, team, t);
    begin(w, team, true, t + 1);
  } else {
    w.extended_words(record::kTeamBegun, t + 1, two_halves(kParallel, team),
                     to_word(record::MakerWord{true, 0, 1}));
  }
  arrive(w, team, t + 5);
  end(w, t + 9);
}

const std::string parallel = "!$omp parallel @solver+0x10";
const std::string team_barrier = "!$omp implicit barrier @solver+0x10";

}  // namespace

TEST_CASE("a worker leaves its team when the maker does") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  w.program_begin(1);
  make_team(w, 0, 10);
  make_team(w, 1, 20);
  w.program_end(40);
  auto& worker = e.thread(0, 1);
  begin(worker, 0, false, 12);
  arrive(worker, 0, 13);
  begin(worker, 1, false, 22);
  arrive(worker, 1, 28);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.report.records_mended == 0);
  REQUIRE(c.archive.locations.size() == 2);
  CHECK(c.archive.locations[0].name == "Master thread");
  CHECK(c.archive.locations[1].name == "OMP thread 1");
  CHECK(c.archive.location(0).events ==
        Lines{"1 ProgramBegin /bin/app -x 7", "10 ThreadFork 2", "11 ThreadTeamBegin comm2",
              "11 Enter " + parallel, "15 Enter " + team_barrier, "19 Leave " + team_barrier,
              "19 Leave " + parallel, "19 ThreadTeamEnd comm2", "19 ThreadJoin", "20 ThreadFork 2",
              "21 ThreadTeamBegin comm2", "21 Enter " + parallel, "25 Enter " + team_barrier,
              "29 Leave " + team_barrier, "29 Leave " + parallel, "29 ThreadTeamEnd comm2",
              "29 ThreadJoin", "40 ProgramEnd"});
  CHECK(c.archive.location(kWorker).events ==
        Lines{"12 ThreadTeamBegin comm2", "12 Enter " + parallel, "13 Enter " + team_barrier,
              "19 Leave " + team_barrier, "19 Leave " + parallel, "19 ThreadTeamEnd comm2",
              "22 ThreadTeamBegin comm2", "22 Enter " + parallel, "28 Enter " + team_barrier,
              "29 Leave " + team_barrier, "29 Leave " + parallel, "29 ThreadTeamEnd comm2"});
  CHECK(c.archive.groups == Lines{"0: locations 0", "1: self", "2: members 0",
                                  "3: locations 0 4294967296", "4: members 0 1"});
  CHECK(c.archive.comms.back() == "2: |4|-|0");
}

TEST_CASE("teams of other threads have another communicator") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  make_team(w, 0, 10);
  make_team(w, 1, 20);
  make_team(w, 2, 30);
  auto& worker = e.thread(0, 1);
  for (const std::uint32_t team : {0U, 2U}) {
    begin(worker, team, false, 12 + 10 * team);
    arrive(worker, team, 13 + 10 * team);
  }
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.groups == Lines{"0: locations 0", "1: self", "2: members 0",
                                  "3: locations 0 4294967296", "4: members 0 1", "5: members 0"});
  CHECK(c.archive.location(kWorker).events.front() == "12 ThreadTeamBegin comm2");
  CHECK(c.archive.location(0).events.at(9) == "21 ThreadTeamBegin comm3");
}

TEST_CASE("what is open in a parallel region ends with the thread's part in it") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  e.add(0, record::FrameDefinition{1, 0, 131072, 16, 0});
  e.add(0, record::FrameFunction{1, 0, "work", "", "", 0});
  fork(w, 0, 10);
  begin(w, 0, true, 11);
  w.call_path(1);
  w.enter(mpi("MPI_Barrier"), 12);
  w.leave(mpi("MPI_Barrier"), 13);
  arrive(w, 0, 15);
  end(w, 19);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.report.records_mended == 0);
  CHECK(c.archive.location(0).events ==
        Lines{"10 ThreadFork 1", "11 ThreadTeamBegin comm2", "11 Enter " + parallel,
              "12 Enter work", "12 Enter MPI_Barrier", "13 Leave MPI_Barrier", "13 Leave work",
              "15 Enter " + team_barrier, "19 Leave " + team_barrier, "19 Leave " + parallel,
              "19 ThreadTeamEnd comm2", "19 ThreadJoin"});
}

TEST_CASE("locks are those of OpenMP, with their order") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  w.enter(kCritical, 10);
  const std::uint64_t word = two_halves(7, 3);
  w.extended(record::kLockAcquired, 12, {&word, 1});
  w.extended(record::kLockReleased, 15, {&word, 1});
  w.leave(kCritical, 16);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(0).events == Lines{"10 Enter critical", "12 ThreadAcquireLock 7 order 3",
                                              "15 ThreadReleaseLock 7 order 3",
                                              "16 Leave critical"});
}

TEST_CASE("recording that is switched off in a team ends the part of its workers") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  fork(w, 0, 10);
  begin(w, 0, true, 11);
  w.pause(12);
  arrive(w, 0, 15);  // is not recorded
  w.leave(kParallel, 19);
  w.resume(30);
  make_team(w, 1, 40);
  auto& worker = e.thread(0, 1);
  begin(worker, 0, false, 11);
  worker.pause(14);
  worker.resume(35);
  begin(worker, 1, false, 42);
  arrive(worker, 1, 43);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.report.records_mended == 0);
  const auto& made = c.archive.location(0).events;
  CHECK(Lines(made.begin(), made.begin() + 9) ==
        Lines{"10 ThreadFork 2", "11 ThreadTeamBegin comm2", "11 Enter " + parallel,
              "12 Leave " + parallel, "12 ThreadTeamEnd comm2", "12 ThreadJoin",
              "12 MeasurementOff", "30 MeasurementOn", "40 ThreadFork 2"});
  CHECK(c.archive.location(kWorker).events ==
        Lines{"11 ThreadTeamBegin comm2", "11 Enter " + parallel, "14 Leave " + parallel,
              "14 ThreadTeamEnd comm2", "14 MeasurementOff", "35 MeasurementOn",
              "42 ThreadTeamBegin comm2", "42 Enter " + parallel, "43 Enter " + team_barrier,
              "49 Leave " + team_barrier, "49 Leave " + parallel, "49 ThreadTeamEnd comm2"});
}

TEST_CASE("a process that was killed in a team leaves it open") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  w.enter(mpi("MPI_Init"), 5);
  w.leave(mpi("MPI_Init"), 6);
  fork(w, 0, 10);
  begin(w, 0, true, 11);
  auto& worker = e.thread(0, 1);
  begin(worker, 0, false, 12);
  arrive(worker, 0, 13);
  e.stop();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.location(kWorker).events ==
        Lines{"12 ThreadTeamBegin comm2", "12 Enter " + parallel, "13 Enter " + team_barrier});
}

TEST_CASE("records of teams without sense are counted") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  const std::array<std::uint64_t, 2> words = {two_halves(0xffffffff, 0xffffffff), 0};
  w.extended(record::kTeamBegun, 10, words);
  arrive(w, 77, 11);
  w.extended(record::kTeamBegun, 12, {words.data(), 1});
  w.extended({record::Family::kThreads, 9}, 13, {});
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.report.records_mended == 4);
}

TEST_CASE("constructs in words become the same archive as their records one by one") {
  const auto archive = [](bool one_by_one) {
    Experiment e;
    (void)e.thread(0);
    for (record::RegionId i = 0; i < 2 * RandomConstructs::kPlaces; ++i) {
      e.add(0, record::RegionDefinition{RandomConstructs::kFirst + i, "openmp", "parallel",
                                        "r" + std::to_string(i), "", "", 0, 0});
    }
    for (const std::uint32_t thread : {0U, 1U}) {
      RandomConstructs constructs(e.thread(0, thread), one_by_one, thread);
      record::Ticks t = 10;
      for (int i = 0; i < 300; ++i) constructs.step(t);
    }
    e.finish();
    const Converted c = converted(e);
    CHECK(c.archive.errors.empty());
    return std::pair(c.archive.location(0).events, c.archive.location(kWorker).events);
  };
  const auto words = archive(false);
  CHECK(words.first.size() > 1000);
  CHECK(words == archive(true));
}

// A tick is a nanosecond here: the task of 30 was created at 30 - 12 = 18.
TEST_CASE("a task that a thread waited for says when it was created") {
  Experiment e;
  auto& w = e.thread(0);
  define(e);
  w.program_begin(1);
  begin(w, 0, true, 10);
  arrive(w, 0, 15);
  const std::uint64_t ago = 12;
  w.extended(record::kTaskAwaited, 30, {&ago, 1});
  end(w, 40);
  w.program_end(50);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.report.records_mended == 0);
  const auto& events = c.archive.location(0).events;
  CHECK(std::ranges::count_if(events, [](const std::string& line) {
          return line.starts_with("30 Parameter") && line.ends_with(" 12");
        }) == 1);
}
