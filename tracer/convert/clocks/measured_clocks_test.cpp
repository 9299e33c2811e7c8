// SPDX-License-Identifier: BSD-3-Clause
// The archive's records of clocks: offsets per location, and the measurements themselves.
#include <catch2/catch.hpp>

#include "tests/convert/converted.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

// Ranks 0 and 1 on one node of metahost 3; ranks 2 and 3 on two nodes of metahost 8.
void two_metahosts(Experiment& e) {
  e.begin_log(0, "a", 3, "A");
  e.begin_log(1, "a", 3, "A");
  e.begin_log(2, "b", 8, "B");
  e.begin_log(3, "c", 8, "B");
  e.add(2, record::ClockDefinition{"monotonic", 0, 0, 1.0, 2});
  e.add(3, record::ClockDefinition{"monotonic", 0, 0, 1.0, 3});
  for (std::uint32_t rank = 0; rank < 4; ++rank) {
    e.thread(rank).enter(mpi("MPI_Init"), 100000);
    e.thread(rank).leave(mpi("MPI_Init"), 200000);
  }
}

}  // namespace

TEST_CASE("offsets of two levels are composed, and all measurements are in the archive") {
  Experiment e(4);
  two_metahosts(e);
  // 2 against 0: +100 at 100000, +300 at 200000 (of 2's clock). 3 against 2: always -500.
  e.add_measurement("0 2 0 0 fh between 100000 100 90 90 99 1 10 1");
  e.add_measurement("0 3 2 2 h inside 150000 -500 20 19 21 1 10 1");
  e.add_measurement("0 3 0 0 f between 160000 -350 95 95 96 1 10 1");
  e.add_measurement("1 2 0 0 fh between 200000 300 80 80 99 1 10 1");
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(1).events == Lines{"100000 Enter MPI_Init", "200000 Leave MPI_Init"});
  CHECK(c.archive.location(2).events == Lines{"100100 Enter MPI_Init", "200300 Leave MPI_Init"});
  // 3's 200000 is 2's 199500, where 2 has +299; 3's 100000 is 2's 99500: +99.
  CHECK(c.archive.location(3).events == Lines{"99599 Enter MPI_Init", "199799 Leave MPI_Init"});
  CHECK(c.archive.properties.at("LATECOMER::CLOCKS::SCHEME") == "hierarchical");
  CHECK(c.archive.properties.at("LATECOMER::CLOCKS::MIN_LATENCIES") ==
        "between 3 8 80;inside 8 19");
  CHECK(c.archive.process_properties ==
        Lines{"0 LATECOMER::CLOCK 0", "1 LATECOMER::CLOCK 0", "2 LATECOMER::CLOCK 2",
              "3 LATECOMER::CLOCK 3",
              "2 LATECOMER::CLOCK::0 0 2 0 0 fh between 100000 100 90 90 99 1 10 1",
              "2 LATECOMER::CLOCK::1 1 2 0 0 fh between 200000 300 80 80 99 1 10 1",
              "3 LATECOMER::CLOCK::0 0 3 0 0 f between 160000 -350 95 95 96 1 10 1;"
              "0 3 2 2 h inside 150000 -500 20 19 21 1 10 1"});
  CHECK(c.report.notes.empty());
}

TEST_CASE("a run that was killed before the measurement has no offsets but rank 0's") {
  Experiment e(4);
  two_metahosts(e);
  e.stop();
  const Converted c = converted(e);
  CHECK(c.archive.location(3).events == Lines{"100000 Enter MPI_Init", "200000 Leave MPI_Init"});
  CHECK_FALSE(c.archive.properties.contains("LATECOMER::CLOCKS::MIN_LATENCIES"));
}

TEST_CASE("a clock that stepped back is noted") {
  Experiment e(4);
  two_metahosts(e);
  e.add_measurement("0 2 0 0 h between 100000 100 90 90 99 1 10 1");
  e.add_measurement("1 2 0 0 h between 90000 300 80 80 99 1 10 1");
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(2).events == Lines{"100100 Enter MPI_Init", "200100 Leave MPI_Init"});
  CHECK(c.archive.properties.at("LATECOMER::CLOCKS::LEFT_OUT") == "1");
  CHECK(c.report.notes.size() == 1);
}

TEST_CASE("an emulated clock that is set back does not turn the trace around") {
  Experiment e(1);
  e.begin_log(0);
  const auto model =
      std::make_shared<const sync::ClockModel>(sync::parse_clock("jump=-50ns@200ns").value());
  e.add(0, record::ClockDefinition{"monotonic", 0, 0, 1.0, 0, model});
  for (const std::uint64_t t : {150, 210, 260}) e.thread(0).enter(mpi("MPI_Init"), t);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.location(0).events.at(1) == "160 Enter MPI_Init");  // 210 - 50
  Experiment late(1);
  late.begin_log(0);
  late.add(0, record::ClockDefinition{"monotonic", 0, 0, 1.0, 0, model});
  for (const std::uint64_t t : {190, 210, 260}) late.thread(0).enter(mpi("MPI_Init"), t);
  late.finish();
  const Converted d = converted(late);
  CHECK(d.archive.location(0).events.at(1) == "190 Enter MPI_Init");
  CHECK(d.archive.location(0).events.at(2) == "210 Enter MPI_Init");
  CHECK(d.report.notes ==
        Lines{"rank 0: its clock stepped back; 1 events have the time of the one before"});
}

TEST_CASE("the emulated clock of a killed process is in its log") {
  Experiment e(2);
  e.begin_log(0);
  e.begin_log(1);
  const auto model = std::make_shared<const sync::ClockModel>(
      sync::parse_clock("offset=5us drift=1000ppm").value());
  e.add(1, record::ClockDefinition{"monotonic", 1000, 1000, 1.0, 1, model});
  e.thread(1).enter(mpi("MPI_Init"), 1000);
  e.thread(1).leave(mpi("MPI_Init"), 11000);
  e.stop();
  CHECK(converted(e).archive.location(1).events ==
        Lines{"6000 Enter MPI_Init", "16010 Leave MPI_Init"});
}
