// SPDX-License-Identifier: BSD-3-Clause
// Stacks at MPI calls, and the events of functions that are made of them.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/convert/converted.hpp"

using namespace latecomer;
using namespace latecomer::test;

namespace {

// A program whose frames are numbered by the test. Names are in the log, so no program file is
// needed.
struct Program : Experiment {
  Program() { thread(0); }

  // A frame of `functions`, called from frame `parent`: "f", or "f g" if g is inlined in f.
  std::uint32_t frame(std::uint32_t parent, const std::string& functions,
                      std::uint32_t instance = 0) {
    const std::uint32_t id = ++last_;
    add(0, record::FrameDefinition{id, parent, 1, id, 0});
    std::istringstream in(functions);
    std::uint32_t copy = 0;
    for (std::string name; in >> name; copy = instance) {
      add(0, record::FrameFunction{id, copy, name, name, name + ".c", 5});
    }
    return id;
  }
  // An MPI call of two ticks.
  void call(std::uint32_t path, std::uint64_t begin) {
    auto& w = thread(0);
    w.call_path(path);
    w.enter(mpi("MPI_Barrier"), begin);
    w.leave(mpi("MPI_Barrier"), begin + 2);
  }
  // Enter and leave of functions; the MPI calls themselves are "*".
  Lines events(std::uint64_t location = 0) {
    finish();
    return shown(converted(*this), location);
  }
  static Lines shown(const Converted& c, std::uint64_t location) {
    CHECK(c.archive.errors.empty());
    Lines lines;
    for (const std::string& line : c.archive.location(location).events) {
      if (line.find("Leave MPI_Barrier") != std::string::npos) continue;
      const auto call = line.find("Enter MPI_Barrier");
      lines.push_back(call == std::string::npos ? line : line.substr(0, call) + "*");
    }
    return lines;
  }

 private:
  std::uint32_t last_ = 0;
};

}  // namespace

TEST_CASE("functions are entered with the next call and left with the last") {
  // Between two calls only the functions that both have in common are known to be active.
  Program p;
  const auto main = p.frame(0, "main");
  const auto in_solve = p.frame(main, "solve");
  const auto exchange = p.frame(in_solve, "exchange");
  p.call(main, 10);
  p.call(exchange, 20);
  p.call(exchange, 30);
  p.call(in_solve, 40);
  p.call(main, 50);
  CHECK(p.events() == Lines{"10 Enter main", "10 *", "20 Enter solve", "20 Enter exchange", "20 *",
                            "30 *", "32 Leave exchange", "40 *", "42 Leave solve", "50 *",
                            "52 Leave main"});
}

TEST_CASE("the same function called from elsewhere is another visit") {
  // main calls solve at two places; MPI calls at different places of solve are in one visit.
  Program p;
  const auto first = p.frame(0, "main"), second = p.frame(0, "main");
  const auto a = p.frame(first, "solve"), b = p.frame(first, "solve");
  const auto c = p.frame(second, "solve");
  p.call(a, 10);
  p.call(b, 20);
  p.call(c, 30);
  CHECK(p.events() == Lines{"10 Enter main", "10 Enter solve", "10 *", "20 *", "22 Leave solve",
                            "30 Enter solve", "30 *", "32 Leave solve", "32 Leave main"});
}

TEST_CASE("recursion is as deep as the stack was") {
  Program p;
  const auto one = p.frame(0, "f");
  const auto two = p.frame(one, "f");
  const auto three = p.frame(two, "f");
  p.call(three, 10);
  p.call(two, 20);
  CHECK(p.events() == Lines{"10 Enter f", "10 Enter f", "10 Enter f", "10 *", "12 Leave f", "20 *",
                            "22 Leave f", "22 Leave f"});
}

TEST_CASE("functions that the compiler put into others are shown as if they had been called") {
  Program p;
  const auto plain = p.frame(0, "main");
  const auto exchange = p.frame(0, "main exchange", 7);
  const auto again = p.frame(0, "main exchange", 7);      // another call in the same copy
  const auto elsewhere = p.frame(0, "main exchange", 8);  // a second copy
  p.call(plain, 10);
  p.call(exchange, 20);
  p.call(again, 30);
  p.call(elsewhere, 40);
  CHECK(p.events() == Lines{"10 Enter main", "10 *", "20 Enter exchange", "20 *", "30 *",
                            "32 Leave exchange", "40 Enter exchange", "40 *", "42 Leave exchange",
                            "42 Leave main"});
}

TEST_CASE("a call on an unknown path stands alone") {
  Program p;
  const auto main = p.frame(0, "main");
  p.call(main, 10);
  p.call(0, 20);
  p.call(main, 30);
  p.call(99, 40);  // its definition is lost
  CHECK(p.events() == Lines{"10 Enter main", "10 *", "12 Leave main", "20 *", "30 Enter main",
                            "30 *", "32 Leave main", "40 *"});
}

TEST_CASE("regions of the program above a function keep it open") {
  Program p;
  p.add(0, record::RegionDefinition{5000, "user", "function", "phase", "", "a.c", 1, 2});
  const auto main = p.frame(0, "main");
  const auto solve = p.frame(main, "solve");
  p.call(solve, 10);
  p.thread(0).call_path(main);
  p.thread(0).enter(5000, 20);
  p.call(main, 30);
  p.call(solve, 40);
  p.call(0, 50);
  p.thread(0).leave(5000, 60);
  CHECK(p.events() == Lines{"10 Enter main", "10 Enter solve", "10 *", "12 Leave solve",
                            "20 Enter phase", "30 *", "40 Enter solve", "40 *", "42 Leave solve",
                            "50 *", "60 Leave phase", "60 Leave main"});
}

TEST_CASE("a region that is left takes the functions inside of it along") {
  Program p;
  p.add(0, record::RegionDefinition{5000, "user", "function", "phase", "", "a.c", 1, 2});
  const auto solve = p.frame(0, "solve");
  p.thread(0).enter(5000, 5);
  p.call(solve, 10);
  p.thread(0).leave(5000, 20);
  p.call(solve, 30);
  CHECK(p.events() == Lines{"5 Enter phase", "10 Enter solve", "10 *", "20 Leave solve",
                            "20 Leave phase", "30 Enter solve", "30 *", "32 Leave solve"});
}

TEST_CASE("recording that was off: functions are left when it was switched on again") {
  Program p;
  const auto main = p.frame(0, "main");
  const auto solve = p.frame(main, "solve");
  p.call(solve, 10);
  p.thread(0).measurement(false, 20);
  p.thread(0).measurement(true, 30);
  p.call(main, 40);
  CHECK(p.events() == Lines{"10 Enter main", "10 Enter solve", "10 *", "20 MeasurementOff",
                            "30 MeasurementOn", "30 Leave solve", "40 *", "42 Leave main"});
}

TEST_CASE("functions of a thread that ended do not go on in the next one") {
  // Both threads call from the same function: two visits. The time in between belongs to neither.
  Program p;
  const auto work = p.frame(0, "work");
  p.call(work, 10);
  p.thread(0).begin_thread(20);
  p.call(work, 30);
  p.thread(0).begin_thread(40);
  p.call(0, 50);
  CHECK(p.events() == Lines{"10 Enter work", "10 *", "12 Leave work", "30 Enter work", "30 *",
                            "32 Leave work", "50 *"});
}

TEST_CASE("paths go on over chunks, and each chunk says its own") {
  Program p;
  const auto main = p.frame(0, "main");
  const auto solve = p.frame(main, "solve");
  for (std::uint64_t i = 0; i < 2000; ++i) p.call(solve, 10 * i + 10);
  p.finish();
  {
    // The first sealed chunk is damaged: after it the path is known nevertheless.
    std::fstream file(p.record_file(0), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(4096 + 4096 + 16);
    // The chunk has no message that could be repeated.
    const auto garbage = static_cast<std::uint64_t>(record::Kind::kSendAgain);
    file.write(reinterpret_cast<const char*>(&garbage), sizeof garbage);
  }
  const Lines lines = Program::shown(converted(p), 0);
  REQUIRE(lines.size() > 1000);
  CHECK(lines[0].ends_with("Enter main"));
  CHECK(lines[1].ends_with("Enter solve"));
  CHECK(lines[0] != "10 Enter main");  // 10 was in the damaged chunk
  CHECK(std::ranges::count_if(lines, [](const auto& l) { return l.ends_with("*"); }) + 4 ==
        static_cast<std::ptrdiff_t>(lines.size()));
}

TEST_CASE("functions of a killed process stay open, and files that are gone give addresses") {
  Program p;
  p.add(0, record::ModuleDefinition{1, "/nowhere/bin/app", "00"});
  p.add(0, record::FrameDefinition{1, 0, 1, 0x1250, 0x1234});
  p.add(0, record::FrameDefinition{2, 1, 1, 0x1300, 0});
  p.add(0, record::FrameDefinition{3, 0, 1, 0x1400, 0x1380, true});
  p.call(2, 10);
  p.call(3, 20);
  p.stop();
  const Converted c = converted(p);
  // The function that the C library calls is main, even if no file names it.
  CHECK(Program::shown(c, 0) == Lines{"10 Enter app+0x1234", "10 Enter app+0x1300", "10 *",
                                      "12 Leave app+0x1300", "12 Leave app+0x1234", "20 Enter main",
                                      "20 *"});
  REQUIRE(c.report.notes.size() >= 1);
  bool said = false;
  for (const auto& note : c.report.notes) said |= note.find("/nowhere/bin/app") != note.npos;
  CHECK(said);
}

TEST_CASE("equal functions of several processes are one region") {
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    auto& w = e.thread(rank);
    // The processes number their frames differently.
    for (std::uint32_t id = 1; id <= rank + 1; ++id) {
      e.add(rank, record::FrameDefinition{id, 0, 1, id, 0});
      e.add(rank,
            record::FrameFunction{id, 0, id == rank + 1 ? "main" : "other", "main", "a.c", 3});
    }
    w.call_path(rank + 1);
    w.enter(mpi("MPI_Init"), 10);
    w.leave(mpi("MPI_Init"), 11);
  }
  e.finish();
  const Converted c = converted(e);
  const auto is_main = [](const std::string& r) { return r.find(": main|main") != r.npos; };
  CHECK(std::ranges::count_if(c.archive.regions, is_main) == 1);
  for (std::uint64_t rank = 0; rank < 2; ++rank) {
    CHECK(c.archive.location(rank).events.front() == "10 Enter main");
  }
}

TEST_CASE("the archive tells where call paths come from and what an event costs") {
  Experiment plain(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    plain.thread(rank).program_begin(1);
    plain.add(rank, record::Property{"event_cost", rank == 0 ? "20.5" : "31.5"});
    plain.add(rank, record::Property{"event_cost_spread", rank == 0 ? "1.5" : "2"});
    if (rank == 0) plain.add(rank, record::Property{"hook_ticks", "12.5"});
    if (rank == 0) plain.add(rank, record::Property{"hook_ticks_spread", "0.5"});
    plain.add(rank, record::Property{"stacks_unwound", rank == 0 ? "3" : "4"});
    plain.add(rank, record::Property{"stack_cost", rank == 0 ? "6000" : "9000"});
    plain.add(rank, record::Property{"region_events", "1009"});
    plain.add(rank, record::Property{"region_ticks", rank == 0 ? "40000" : "50000"});
    plain.add(rank, record::Property{"processor_time", rank == 0 ? "7000000" : "8000000"});
    if (rank != 0) continue;
    plain.add(rank, record::Property{"filtered_events", "2018"});
    plain.add(rank, record::Property{"filtered_ticks", "3000"});
  }
  plain.finish();
  const auto without = converted(plain).archive.properties;
  CHECK(without.at("LATECOMER::EVENT_COST") == "26.0");
  CHECK(without.at("LATECOMER::EVENT_COST_SPREAD") == "5.5");  // 31.5 - 26
  CHECK(without.at("LATECOMER::REGION_EVENT_CALIBRATED") == "12.5");
  CHECK(without.at("LATECOMER::REGION_EVENT_CALIBRATED_SPREAD") == "0.5");
  CHECK(without.at("LATECOMER::STACKS_UNWOUND") == "7");
  CHECK(without.at("LATECOMER::STACK_COST") == "15000");
  CHECK_FALSE(without.contains("LATECOMER::CALL_PATHS_FROM_STACKS"));
  // A tick is a nanosecond here.
  CHECK(without.at("LATECOMER::REGION_EVENTS") == "2018");
  CHECK(without.at("LATECOMER::REGION_EVENT_COST") == "90000");
  CHECK(without.at("LATECOMER::FILTERED_EVENTS") == "2018");
  CHECK(without.at("LATECOMER::FILTERED_EVENT_COST") == "3000");
  CHECK(without.at("LATECOMER::PROCESSOR_TIME") == "15000000");

  Program p;
  p.call(p.frame(0, "main"), 10);
  p.finish();
  const auto with = converted(p).archive.properties;
  CHECK(with.at("LATECOMER::CALL_PATHS_FROM_STACKS") == "true");
  CHECK_FALSE(with.contains("LATECOMER::EVENT_COST"));  // not measured
  CHECK_FALSE(with.contains("LATECOMER::STACK_COST"));
  CHECK_FALSE(with.contains("LATECOMER::REGION_EVENTS"));
  CHECK_FALSE(with.contains("LATECOMER::PROCESSOR_TIME"));
}
