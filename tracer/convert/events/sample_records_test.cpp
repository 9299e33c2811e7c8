// SPDX-License-Identifier: BSD-3-Clause
// Samples of the computation become samples of calling contexts.
#include <array>
#include <catch2/catch.hpp>
#include <initializer_list>
#include <string>
#include <vector>

#include "tests/convert/converted.hpp"
#include "tracer/record/extended.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

constexpr std::uint32_t kSlow = 100'000, kFast = 10'000;  // microseconds

// A frame of one function, with the line of its place.
void frame(Experiment& e, std::uint32_t rank, std::uint32_t id, std::uint32_t parent,
           const std::string& name, std::uint32_t line) {
  e.add(rank, record::FrameDefinition{id, parent, 1, id, 0});
  e.add(rank, record::FrameFunction{id, 0, name, name, name + ".c", 1, name + ".c", line});
}

void sample(record::ThreadWriter& w, std::uint64_t time, std::uint32_t frame,
            std::uint32_t period) {
  const std::uint64_t word = record::sample_word(frame, period);
  w.extended(record::kSample, time, {&word, 1});
}

}  // namespace

TEST_CASE("a sample names the functions and lines on its way") {
  Experiment e(1);
  auto& w = e.thread(0);
  frame(e, 0, 1, 0, "main", 3);
  e.add(0, record::FrameDefinition{2, 1, 1, 2, 0});
  // work, in which inner was inlined
  e.add(0, record::FrameFunction{2, 0, "work", "work", "w.c", 10, "w.c", 12});
  e.add(0, record::FrameFunction{2, 77, "inner", "inner", "i.c", 20, "i.c", 21});
  w.enter(mpi("MPI_Init"), 1);
  w.leave(mpi("MPI_Init"), 2);
  sample(w, 5, 2, kFast);
  sample(w, 7, 1, kSlow);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.location(0).events ==
        Lines{"1 Enter MPI_Init", "2 Leave MPI_Init",
              "5 Sample main main.c:3 > work w.c:12 > inner i.c:21 (processor time 10000e-6)",
              "7 Sample main main.c:3 (processor time 100000e-6)"});
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES") == "2");
  // No MPI call has a path, so functions are not only known at calls.
  CHECK_FALSE(c.archive.properties.contains("LATECOMER::CALL_PATHS_FROM_STACKS"));
}

TEST_CASE("a function that made the last call is left before the samples after it") {
  // main > f > MPI_Barrier, then g computes, then main > h > MPI_Barrier. Only main is known to be
  // open in between.
  Experiment e(1);
  auto& w = e.thread(0);
  frame(e, 0, 1, 0, "main", 3);
  frame(e, 0, 2, 1, "f", 8);
  frame(e, 0, 3, 1, "g", 9);
  frame(e, 0, 4, 1, "h", 10);
  w.call_path(2);
  w.enter(mpi("MPI_Barrier"), 10);
  w.leave(mpi("MPI_Barrier"), 12);
  sample(w, 15, 3, kFast);
  sample(w, 18, 3, kFast);
  w.call_path(4);
  w.enter(mpi("MPI_Barrier"), 20);
  w.leave(mpi("MPI_Barrier"), 22);
  sample(w, 25, 1, kFast);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  const std::string in_g = "Sample main main.c:3 > g g.c:9 (processor time 10000e-6)";
  const auto& events = c.archive.location(0).events;
  REQUIRE(events.size() > 12);
  CHECK(Lines(events.begin(), events.begin() + 12) ==
        Lines{"10 Enter main", "10 Enter f", "10 Enter MPI_Barrier", "12 Leave MPI_Barrier",
              "12 Leave f", "15 " + in_g, "18 " + in_g, "20 Enter h", "20 Enter MPI_Barrier",
              "22 Leave MPI_Barrier", "25 Sample main main.c:3 (processor time 10000e-6)",
              "25 Leave h"});
}

TEST_CASE("equal lines of all processes are one context") {
  // Frames are addresses: 2 and 3 are in the same line. The numbers of processes differ.
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    auto& w = e.thread(rank);
    frame(e, rank, 1, 0, "main", 3);
    frame(e, rank, 2, 1, "f", rank == 0 ? 8 : 9);
    frame(e, rank, 3, 1, "f", 8);
    w.enter(mpi("MPI_Init"), 1);
    sample(w, 5, 2, kFast);
    sample(w, 6, 3, kFast);
  }
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  const std::string in_8 = "Sample main main.c:3 > f f.c:8 (processor time 10000e-6)";
  const std::string in_9 = "Sample main main.c:3 > f f.c:9 (processor time 10000e-6)";
  const std::string leave = "6 Leave MPI_Init";
  CHECK(c.archive.location(0).events == Lines{"1 Enter MPI_Init", "5 " + in_8, "6 " + in_8, leave});
  CHECK(c.archive.location(1).events == Lines{"1 Enter MPI_Init", "5 " + in_9, "6 " + in_8, leave});
  CHECK(c.archive.contexts == 3);
}

TEST_CASE("the place where a thread was blocked is a sample with its time") {
  // Blocked for 7 s: 5 s in usleep of f, 1 s in usleep without a known caller; 1 s has no place.
  Experiment e(1);
  auto& w = e.thread(0);
  frame(e, 0, 1, 0, "main", 3);
  frame(e, 0, 2, 1, "f", 8);
  e.add(0, record::RegionDefinition{900, "unknown", "function", "usleep", "", "", 0, 0});
  w.enter(mpi("MPI_Barrier"), 1);
  w.leave(mpi("MPI_Barrier"), 2);
  sample(w, 5, 2, kFast);
  const auto blocked = [&](std::uint64_t time, std::uint32_t caller, std::uint64_t seconds) {
    const std::array<std::uint64_t, 2> words = {record::two_halves(900, caller),
                                                seconds * 1'000'000'000};
    w.extended(record::kBlocked, time, words);
  };
  blocked(9, 2, 5);
  blocked(9, 0, 1);
  const std::array<std::uint64_t, 3> use = {0, 7'000'000'000, 0};
  w.extended(record::kKernelUse, 9, use);
  w.enter(mpi("MPI_Barrier"), 10);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  const auto& events = c.archive.location(0).events;
  REQUIRE(events.size() >= 5);
  CHECK(Lines(events.begin() + 2, events.begin() + 5) ==
        Lines{"5 Sample main main.c:3 > f f.c:8 (processor time 10000e-6)",
              "9 Sample main main.c:3 > f f.c:8 > usleep (blocked 1e0)",
              "9 Sample usleep (blocked 1e0)"});
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES") == "3");
}

TEST_CASE("what was counted is added up at the begin of the next call") {
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    auto& w = e.thread(rank);
    e.add(rank,
          record::Property{"counters", rank == 0 ? "instructions,task-clock" : "page-faults"});
    const auto counted = [&](std::uint64_t time, std::initializer_list<std::uint64_t> words) {
      w.extended(record::kCounted, time, std::vector(words));
    };
    w.enter(mpi("MPI_Init"), 1);
    w.leave(mpi("MPI_Init"), 2);
    if (rank == 0) {
      counted(8, {500, 6});
      counted(8, {1, 2, 3});  // damage
    } else {
      counted(8, {4});
    }
    w.enter(mpi("MPI_Barrier"), 9);
    w.leave(mpi("MPI_Barrier"), 10);
    if (rank == 0) {
      counted(12, {20, 2});
    } else {
      w.extended(record::kKernelUse, 11, std::vector<std::uint64_t>{5, 0, 0});
    }
    w.enter(mpi("MPI_Barrier"), 14);
  }
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  const std::string two = "Metric instructions, task-clock";
  CHECK(c.archive.location(0).events ==
        Lines{"1 Enter MPI_Init", "2 Leave MPI_Init", "9 " + two + " 0 0", "9 " + two + " 500 6",
              "9 Enter MPI_Barrier", "10 Leave MPI_Barrier", "14 " + two + " 520 8",
              "14 Enter MPI_Barrier", "14 Leave MPI_Barrier"});
  const std::string kernel = "Metric preempted, blocked, page faults, migrations";
  CHECK(c.archive.location(1).events ==
        Lines{"1 Enter MPI_Init", "2 Leave MPI_Init", "9 Metric page-faults 0",
              "9 Metric page-faults 4", "9 Enter MPI_Barrier", "10 Leave MPI_Barrier",
              "14 " + kernel + " 0 0 0 0", "14 " + kernel + " 5 0 0 0", "14 Enter MPI_Barrier",
              "14 Leave MPI_Barrier"});
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "1");  // the damaged one
}

TEST_CASE("times without a core in an MPI call are told before its end") {
  // 3 ns until 6 and 2 ns until 9, recorded at 10 after the call itself. The computation after it
  // has 5 ns.
  Experiment e(1);
  auto& w = e.thread(0);
  w.enter(mpi("MPI_Init"), 1);
  w.leave(mpi("MPI_Init"), 2);
  w.enter(mpi("MPI_Barrier"), 4);
  w.extended(record::kWithoutCore, 10, std::vector<std::uint64_t>{3, 4});
  w.extended(record::kWithoutCore, 10, std::vector<std::uint64_t>{2, 1});
  w.leave(mpi("MPI_Barrier"), 11);
  w.extended(record::kKernelUse, 13, std::vector<std::uint64_t>{5, 0, 0});
  w.enter(mpi("MPI_Barrier"), 14);
  w.extended(record::kWithoutCore, 15, std::vector<std::uint64_t>{3, 100});  // before the call
  w.extended(record::kWithoutCore, 15, {});                                  // damage
  w.leave(mpi("MPI_Barrier"), 16);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  const std::string metric = "Metric preempted, blocked, page faults, migrations";
  CHECK(c.archive.location(0).events ==
        Lines{"1 Enter MPI_Init", "2 Leave MPI_Init", "4 Enter MPI_Barrier",
              "6 " + metric + " 0 0 0 0", "6 " + metric + " 3 0 0 0", "9 " + metric + " 5 0 0 0",
              "11 Leave MPI_Barrier", "14 " + metric + " 10 0 0 0", "14 Enter MPI_Barrier",
              "14 " + metric + " 13 0 0 0", "16 Leave MPI_Barrier"});
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "1");
}

TEST_CASE("what the kernel did is added up at the begin of the next call") {
  // 5 ns without a core, 7 ns blocked, 64 page faults, one migration; then 1 ns and 64 page faults.
  // The first values are zeros. The second record comes with a sample before it.
  Experiment e(1);
  auto& w = e.thread(0);
  frame(e, 0, 1, 0, "main", 3);
  const auto kernel = [&](std::uint64_t time, const std::array<std::uint64_t, 3>& words) {
    w.extended(record::kKernelUse, time, words);
  };
  w.enter(mpi("MPI_Init"), 1);
  w.leave(mpi("MPI_Init"), 2);
  kernel(8, {5, 7, 64 | std::uint64_t{1} << 32});
  w.enter(mpi("MPI_Barrier"), 9);
  w.leave(mpi("MPI_Barrier"), 10);
  kernel(12, {1, 0, 64});
  sample(w, 13, 1, kFast | record::kSampleInKernel);
  w.enter(mpi("MPI_Barrier"), 14);
  w.extended(record::kKernelUse, 15, {});  // damage
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  const std::string metric = "Metric preempted, blocked, page faults, migrations";
  CHECK(c.archive.location(0).events ==
        Lines{"1 Enter MPI_Init", "2 Leave MPI_Init", "9 " + metric + " 0 0 0 0",
              "9 " + metric + " 5 7 64 1", "9 Enter MPI_Barrier", "10 Leave MPI_Barrier",
              "13 Sample main main.c:3 (processor time in the kernel 10000e-6)",
              "14 " + metric + " 6 7 128 1", "14 Enter MPI_Barrier", "15 Leave MPI_Barrier"});
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "1");  // the damaged one
}

TEST_CASE("samples of damaged records are counted and left out") {
  Experiment e(1);
  auto& w = e.thread(0);
  frame(e, 0, 1, 0, "main", 3);
  w.enter(mpi("MPI_Init"), 1);
  sample(w, 5, 1, kFast);
  sample(w, 6, 9, kFast);           // a frame that is not defined
  sample(w, 7, 0xffffffff, kFast);  // a number that no frame can have
  w.extended(record::kSample, 8, {});
  w.extended({record::Family::kSamples, 99}, 9, {});  // a kind of a later release
  // Periods beyond a limit are damage.
  for (std::uint32_t period = 1; period <= 44; ++period) sample(w, 10 + period, 1, period);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES") == "40");
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "9");
}

TEST_CASE("what processes say of their samples is added up") {
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    e.thread(rank).enter(mpi("MPI_Init"), 1);
    e.add(rank, record::Property{"samples_lost", rank == 0 ? "3" : "4"});
    e.add(rank, record::Property{"sample_cost", "1000"});
    e.add(rank, record::Property{"samples_user_only", "1"});
    e.add(rank, record::Property{"switches_lost", "5"});
    e.add(rank, record::Property{"samples_refused", "Operation not permitted"});
    e.add(rank, record::Property{"samples_by_signals", "Operation not permitted"});
  }
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES_LOST") == "7");
  CHECK(c.archive.properties.at("LATECOMER::SAMPLE_COST") == "2000");
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES_USER_ONLY") == "2");
  CHECK(c.archive.properties.at("LATECOMER::SWITCHES_LOST") == "10");
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES_REFUSED") == "2");
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES_REFUSED_WHY") == "Operation not permitted");
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES_BY_SIGNALS") == "2");
  CHECK(c.archive.properties.at("LATECOMER::SAMPLES_BY_SIGNALS_WHY") == "Operation not permitted");
  CHECK_FALSE(c.archive.properties.contains("LATECOMER::SAMPLES"));
}
