// SPDX-License-Identifier: BSD-3-Clause
// Sums of the summary, and the length of its text.
#include "analyzer/view/summary/summary.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/view/summary/report_notes.hpp"
#include "analyzer/view/summary/report_sums.hpp"
#include "analyzer/view/summary/show.hpp"
#include "analyzer/view/summary/wait_states.hpp"
#include "analyzer/view/text/text.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::view;

namespace {

Summary::WaitState wait(const std::string& name, double seconds, int call_paths) {
  Summary::WaitState w{name, name, seconds, {}, {}};
  for (int c = 0; c < call_paths; ++c) {
    w.call_paths.push_back({{"program", "main", "a_function_with_a_long_name", "another_function",
                             "MPI_Sendrecv_replace"},
                            seconds / call_paths});
  }
  for (std::uint32_t r = 0; r < 5; ++r) w.ranks.push_back({100000 + r, seconds / 5});
  return w;
}

// A summary with as much of everything as possible.
Summary large() {
  Summary s;
  s.file = "latecomer_program_4096_trace/analysis.cubex";
  s.program = "program";
  s.arguments.assign(50, "argument");
  s.command = "program";
  for (const auto& argument : s.arguments) s.command += " " + argument;
  s.ranks = 4096;
  s.locations = 65536;
  s.nodes = 512;
  s.metahosts = {"a", "b", "c"};
  s.duration = 123456.789;
  s.time = 1e9;
  s.computation = 5e8;
  s.mpi = 4e8;
  s.waiting = 3e8;
  s.knows_waits = true;
  for (int w = 0; w < 9; ++w) s.wait_states.push_back(wait("Some Wait State", 1e8 / (w + 1), 9));
  for (int p = 0; p < 9; ++p) s.metahost_pairs.push_back({"m", "a <- b", "Grid Wait", 1e7});
  for (int q = 0; q < 9; ++q) s.quality.push_back({"name", 1234567, "things: bad"});
  s.efficiency.emplace();
  s.efficiency->ratios = {1.0, 1.0, 1.0};
  s.efficiency->ideal = {10.0, 1.0, 1.0};
  s.partial = true;
  return s;
}

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

std::size_t widest(const std::string& text) {
  std::size_t most = 0;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    most = std::max(most, width(text.substr(begin, text.find('\n', begin) - begin)));
  }
  return most;
}

}  // namespace

TEST_CASE("what is not shown is said, what is negligible is no finding") {
  auto s = large();
  s.partial = false;
  s.quality.clear();
  s.metahosts = {"a"};
  s.metahost_pairs.clear();
  CHECK(show_text(s).find("  and 4 smaller ones: latecomer show --metric waiting --by metric "
                          "latecomer_program_4096_trace\n") != std::string::npos);
  s.wait_states.resize(4);
  CHECK(show_text(s).find("smaller") == std::string::npos);
  // 65 ns of 1000 s: no wait is worth a look, and no cause is named.
  s.wait_states.resize(1);
  s.wait_states[0].seconds = s.waiting = 65e-9;
  s.knows_causes = true;
  s.causes = {{{"program", "work"}, 65e-9, {{0, 65e-9}}}};
  const auto text = show_text(s);
  CHECK(text.find("No wait state of 0.1 % of the time or more; waiting is 65.00 ns in all") !=
        std::string::npos);
  CHECK(text.find("Some Wait State") == std::string::npos);
  CHECK(text.find("cause:") == std::string::npos);
  CHECK(next_command(s) == "latecomer explain mpi");
  // It is unknown whether there was waiting if there are no events.
  s.wait_states.clear();
  s.time = s.computation = s.mpi = s.waiting = 0;
  CHECK(show_text(s).find("Nothing is known of waiting: the trace has no events.") !=
        std::string::npos);
  CHECK(show_text(s).find("no process waited") == std::string::npos);
}

TEST_CASE("columns of the terminal are kept") {
  auto s = large();
  s.file = "x/analysis.cubex";
  s.knows_causes = true;
  s.causes = {
      {{"program", "main", "work"},
       2e8,
       {{0, 2e8}},
       "by a thing that takes more words than a line has, said of what made the others wait"}};
  for (const char* columns : {"80", "120", "70"}) {
    setenv("COLUMNS", columns, 1);
    CHECK(text_width() == std::stoul(columns));
    INFO(show_text(s));
    CHECK(widest(show_text(s)) <= text_width());
  }
  setenv("COLUMNS", "3", 1);
  CHECK(text_width() == 60);
  setenv("COLUMNS", "none", 1);
  CHECK(text_width() == 100);
  unsetenv("COLUMNS");
  CHECK(text_width() == 100);
}

TEST_CASE("time that was not recorded is no cause") {
  const test::TemporaryDirectory directory;
  const test::SmallReport small = {
      {{"time", "", "sec"},
       {"mpi", "time", "sec"},
       {"mpi_barrier_wait", "mpi", "sec"},
       {"delay", "", "sec"},
       {"delay_mpi", "delay", "sec"},
       {"delay_unknown", "delay", "sec"}},
      {{report::kNone, "main"}, {0, "MPI_Barrier"}, {0, "MEASUREMENT OFF"}, {0, "work"}},
      2,
      {{{"time", 1}, {5, 5}},
       {{"mpi", 1}, {5, 5}},
       {{"mpi_barrier_wait", 1}, {4, 0}},
       {{"time", 2}, {3, 3}},
       {{"delay_mpi", 2}, {0, 3}},
       {{"delay_mpi", 3}, {0, 1}}}};
  auto report = test::written(small, directory.path() / "off.cubex");
  const auto summary = summarize(report);
  REQUIRE(summary);
  REQUIRE(summary->causes.size() == 1);
  CHECK(summary->causes[0].call_path.back() == "work");
  CHECK(summary->unknown_cause == 3);
  // The cause of 3 of 4 seconds is unknown.
  REQUIRE(summary->unknown_cause_reasons.size() == 2);
  CHECK(show_text(*summary).find(
            "cause:  work (rank 1) made others wait 1.000 s, 25% of all waiting\n"
            "        not known for 75% of the waiting: recording was off, no MPI_Init is in the "
            "trace, "
            "from which\n        on processes were in step\n") != std::string::npos);
}

TEST_CASE("the thread that has most of a rank's part of a cause") {
  // Rank 0 has threads 0 and 1, rank 1 has one. In the parallel region, thread 1 caused 6 of the 8
  // s of rank 0, and rank 1 caused 1 s. In work, which is no construct of threads, no thread is
  // named.
  const test::TemporaryDirectory directory;
  auto combined = test::combined({{{"time", "", "sec"},
                                   {"mpi", "time", "sec"},
                                   {"mpi_barrier_wait", "mpi", "sec"},
                                   {"delay", "", "sec"},
                                   {"delay_mpi", "delay", "sec"}},
                                  {{report::kNone, "main"},
                                   {0, "MPI_Barrier"},
                                   {0, "!$omp parallel @a.c:3"},
                                   {2, "sweep"},
                                   {0, "work"}},
                                  3,
                                  {{{"time", 3}, {30, 30, 30}},
                                   {{"mpi", 1}, {5, 0, 5}},
                                   {{"mpi_barrier_wait", 1}, {5, 0, 6}},
                                   {{"delay_mpi", 3}, {2, 6, 1}},
                                   {{"delay_mpi", 4}, {2, 0, 0}}}});
  auto& d = combined.definitions;
  d.processes = {{"rank 0", 0, 0}, {"rank 1", 1, 0}};
  d.locations = {{"thread", 0, 0}, {"thread", 1, 0}, {"thread", 0, 1}};
  d.regions[2].paradigm = "openmp";
  auto report = test::written(combined, directory.path() / "threads.cubex");
  const auto summary = summarize(report);
  REQUIRE(summary);
  REQUIRE(summary->causes.size() == 2);
  const auto& thread = summary->causes[0].thread;
  REQUIRE(thread);
  CHECK(thread->rank == 0);
  CHECK(thread->thread == 1);
  CHECK(thread->seconds == 6);
  CHECK(summary->causes[0].how == "thread 1 of rank 0 has 75 % of its part");
  CHECK_FALSE(summary->causes[1].thread);
  CHECK(show_text(*summary).find("thread 1 of rank 0 has 75 % of its part\n") != std::string::npos);

  d.locations[1].name = "Thread 1 (reader)";
  auto named = test::written(combined, directory.path() / "named.cubex");
  const auto with_name = summarize(named);
  REQUIRE(with_name);
  CHECK(with_name->causes[0].how == "thread 1 (reader) of rank 0 has 75 % of its part");
}

TEST_CASE("names that the program gave its threads") {
  CHECK(given_name("Thread 2 (reader)") == "reader");
  CHECK(given_name("Thread 2 (reader) (3 one after another)") == "reader");
  CHECK(given_name("Thread 2 (3 one after another)").empty());
  CHECK(given_name("Thread 2").empty());
  CHECK(given_name("OMP thread 2").empty());
  CHECK(given_name("Master thread (x)").empty());
}

TEST_CASE("the unknown share of waiting is told above 5 %, with its reasons") {
  const test::TemporaryDirectory directory;
  // There are 20 s of waiting. `unknown` of them have no known cause; work causes the rest.
  const auto summary_of = [&](double unknown) {
    const test::SmallReport small = {{{"time", "", "sec"},
                                      {"mpi", "time", "sec"},
                                      {"mpi_barrier_wait", "mpi", "sec"},
                                      {"delay", "", "sec"},
                                      {"delay_mpi", "delay", "sec"},
                                      {"delay_unknown", "delay", "sec"}},
                                     {{report::kNone, "main"}, {0, "MPI_Init"}, {0, "work"}},
                                     2,
                                     {{{"time", 0}, {30, 30}},
                                      {{"mpi", 0}, {20, 0}},
                                      {{"mpi_barrier_wait", 0}, {20, 0}},
                                      {{"delay_mpi", 2}, {0, 20 - unknown}},
                                      {{"delay_unknown", 0}, {unknown, 0}}}};
    auto report = test::written(small, directory.path() / "unknown.cubex");
    auto summary = summarize(report);
    REQUIRE(summary);
    return *summary;
  };
  const auto little = summary_of(1);
  CHECK_FALSE(little.lacks_causes());
  CHECK(show_text(little).find("not known") == std::string::npos);
  auto much = summary_of(1.2);
  CHECK(much.lacks_causes());
  CHECK(much.unknown_cause_reasons.empty());
  CHECK(show_text(much).find("94% of all waiting\n        not known for 6% of the waiting\n") !=
        std::string::npos);
  much.unknown_cause_reasons = {"recording was off", "b"};
  CHECK(show_text(much).find("        not known for 6% of the waiting: recording was off, b\n") !=
        std::string::npos);
  much.causes.front().seconds = 0.2;
  auto text = show_text(much);
  std::ranges::replace(text, '\n', ' ');
  text.erase(
      std::unique(text.begin(), text.end(), [](char a, char b) { return a == ' ' && b == ' '; }),
      text.end());
  CHECK(
      text.find("cause: many small ones, the largest: work (rank 1) made others wait 0.2000 s, 1% "
                "of all waiting; not known for 6%: recording was off, b ") != std::string::npos);
  much.causes.clear();
  CHECK(show_text(much).find("cause:  not known for 6% of the waiting: recording was off, b\n") !=
        std::string::npos);
}

TEST_CASE("never more than 20 lines of 100 columns") {
  auto s = large();
  CHECK(widest(show_text(s)) <= 100);
  s.partial = false;
  CHECK(lines(show_text(s)) <= 20);
  CHECK(show_text(s).find("7 more kinds of notes") != std::string::npos);
  auto explained = s;  // the cause needs two lines: fewer notes are named
  explained.knows_causes = true;
  explained.causes = {{{"program", "main", "work"}, 2e8, {{0, 2e8}}, "by this"}};
  CHECK(show_text(explained).find("\n        by this\n") != std::string::npos);
  CHECK(lines(show_text(explained)) <= 20);
  CHECK(show_text(explained).find(" more kinds of notes") != std::string::npos);
  s.quality.clear();
  CHECK(lines(show_text(s)) <= 20);
  s.metahosts = {"a"};
  CHECK(lines(show_text(s)) <= 20);
  s.wait_states.resize(1);
  CHECK(lines(show_text(s)) <= 20);
  s.wait_states.clear();
  CHECK(show_text(s).find("No wait states: no process waited for another one.") !=
        std::string::npos);
  CHECK(lines(show_text(Summary())) <= 20);
}

TEST_CASE("waits that are not known are said to be not known") {
  auto s = large();
  s.only_watched = true;
  s.waits_at_least = true;
  CHECK(show_text(s).find("    waiting, at least ") != std::string::npos);
  CHECK(show_json(s)["seconds"]["waiting_at_least"] == true);
  s.waits_at_least = s.knows_waits = false;
  s.wait_states.clear();
  CHECK(show_text(s).find("    waiting ") != std::string::npos);
  CHECK(show_text(s).find("not known\n") != std::string::npos);
  CHECK(show_text(s).find("How long ranks waited is not known: records were lost.") !=
        std::string::npos);
  CHECK(show_text(s).find("not made from a trace") == std::string::npos);
  CHECK(show_json(s)["seconds"]["waiting"].is_null());
}

TEST_CASE("a report without times says so") {
  Summary s;
  s.knows_time = false;
  CHECK(show_text(s).find("This report tells no times") != std::string::npos);
  CHECK(show_text(s).find("run time") == std::string::npos);
  CHECK(show_json(s)["seconds"]["time"].is_null());
}

TEST_CASE("spare lines go to further call paths") {
  auto s = large();
  s.metahosts = {"a"};
  s.quality.clear();
  s.wait_states.resize(2);
  const auto text = show_text(s);
  // Two wait states and three lines are left: more call paths of the first, which are larger.
  const auto count = [&](const std::string& part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++n;
    return n;
  };
  CHECK(count("(11%)") == 5);
}

TEST_CASE("wait states are not counted twice") {
  using patterns::Unit;
  report::Definitions d;
  d.metrics = {{"time", "", "", Unit::kSeconds},
               {"mpi_latesender", "", "time", Unit::kSeconds},
               {"mpi_latesender_wo", "", "mpi_latesender", Unit::kSeconds},
               {"mpi_barrier_wait", "", "mpi_latesender_wo", Unit::kSeconds},
               {"mpi_wait_nxn", "", "time", Unit::kSeconds},
               {"mpi_earlyreduce", "", "time", Unit::kOccurrences}};
  CHECK(wait_states_of(d) == std::vector<std::uint32_t>{1, 4});
}

TEST_CASE("a report of another tool: MPI time by paradigm, no computation metric") {
  // Time: main 3 + 4 s, f 0, MPI_Recv 1.25 below f and 0.75 below main.
  auto report = report::Report::open(LATECOMER_EXAMPLE_REPORT);
  REQUIRE(report);
  const auto summary = summarize(*report);
  REQUIRE(summary);
  CHECK(summary->program == "main");
  CHECK(summary->ranks == 2);
  CHECK(summary->nodes == 1);
  CHECK_FALSE(summary->knows_computation);
  CHECK(summary->knows_waits);
  CHECK(summary->time == Approx(9.0));
  CHECK(summary->mpi == Approx(2.0));
  CHECK(summary->computation == Approx(7.0));
  REQUIRE(summary->wait_states.size() == 1);
  const auto& late = summary->wait_states[0];
  CHECK(late.seconds == Approx(1.25));
  CHECK(late.call_paths[0].call_path ==
        std::vector<std::string>{"main", "void f<int>(int)", "MPI_Recv"});
  CHECK(late.call_paths[0].seconds + late.call_paths[1].seconds == Approx(1.25));
  CHECK(late.ranks.size() == 2);
}

TEST_CASE("who was where when the run ended") {
  using enum report::Ending::State;
  Summary s;
  s.program = "heat";
  s.endings = {{kAborted, {3}, {}, 20.5},
               {kExited, {7, 8}, {}, 2},
               {kInCall, {0, 1, 2}, {"heat", "main", "exchange", "MPI_Recv"}, 0.25},
               {kInCall, {4}, {"heat", "MPI_Barrier"}, 1.5},
               {kOutside, {5}, {}, 3},
               {kUnknown, {6}, {}, 0}};
  const auto text = show_text(s);
  const auto has = [&](const char* line) { return text.find(line) != std::string::npos; };
  CHECK(has("Where the run ended without MPI_Finalize\n"));
  CHECK(has("\n  rank 3 called MPI_Abort after 20.50 s\n"));
  CHECK(has("\n  ranks 7, 8 exited without MPI_Finalize, the first after 2.000 s\n"));
  CHECK(has(
      "\n  ranks 0-2 were in MPI_Recv, the first since 250.0 ms (main > exchange > MPI_Recv)\n"));
  CHECK(has("\n  rank 4 was in MPI_Barrier since 1.500 s\n"));
  CHECK(has("\n  rank 5 was outside MPI since 3.000 s\n"));
  CHECK(has("\n  rank 6 left no records\n"));
  s.endings = {{kNotStored, {0, 1}, {}, 2}};
  CHECK(
      show_text(s).find("Where recording ended, not the run\n  the records of ranks 0, 1 could not "
                        "be stored any longer, the first after 2.000 s\n") != std::string::npos);
  s.endings.assign(9, {kOutside, {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27}, {}, 1});
  CHECK(show_text(s).find("  14 ranks from 1 were outside MPI") != std::string::npos);
  CHECK(show_text(s).find("  4 more places, see latecomer show --json\n") != std::string::npos);
  CHECK(show_text(Summary()).find("Where the run ended") == std::string::npos);
}

TEST_CASE("all notes of a partial result are shown") {
  auto s = large();
  CHECK(show_text(s).find("more kinds of notes") == std::string::npos);
  CHECK(widest(show_text(s)) <= 100);
  s.quality.assign(1, {"name", 1, std::string(200, 'x') + " " + std::string(30, 'y')});
  CHECK(show_text(s).find(std::string(30, 'y')) != std::string::npos);
}

TEST_CASE("why a result is partial, and the files that lack something") {
  Summary s;
  s.partial = true;
  CHECK(show_text(s).find("\npartial: something is missing\n") != std::string::npos);
  s.quality = {
      {"a", 1, "thread whose file is bad: analyzed up to that point", true, {"traces/7.evt"}},
      {"b", 2, "flushes", false, {}},
      {"c", 3000, "records lost", true, {"1", "2", "3", "4", "5"}}};
  const auto text = show_text(s);
  CHECK(text.find("\npartial: 1 thread whose file is bad; 3,000 records lost\n") !=
        std::string::npos);
  CHECK(text.find("analyzed up to that point (traces/7.evt)\n") != std::string::npos);
  CHECK(text.find("records lost (1, 2, 3, 4, ...)\n") != std::string::npos);
  s.quality.push_back({"d", 1, "more", true, {}});
  CHECK(show_text(s).find("; 3,000 records lost; and more, see the notes\n") != std::string::npos);
  s.partial = false;
  CHECK(show_text(s).find("partial:") == std::string::npos);
}

TEST_CASE("names stand in parentheses, those that are left out are dots") {
  report::QualityNote note{.count = 4, .text = "files missing"};
  CHECK(sentence(note) == "4 files missing");
  note.files = {"0.evt", "1.evt"};
  CHECK(sentence(note) == "4 files missing (0.evt, 1.evt, ...)");
  note.count = 2;
  CHECK(sentence(note) == "2 files missing (0.evt, 1.evt)");
}

TEST_CASE("a line about clocks where there are several") {
  Summary s;
  const auto has = [&](const char* line) { return show_text(s).find(line) != std::string::npos; };
  CHECK_FALSE(has("clocks:"));
  s.clocks.emplace().count = 1;
  CHECK_FALSE(has("clocks:"));
  s.clocks->count = 3;
  CHECK(has("\nclocks: 3; no message came too early by them\n"));
  for (const auto& [name, messages] : {std::pair("linear", 46U), {"messages", 9U}, {"clc", 0U}}) {
    auto& step = s.clocks->steps.emplace_back();
    step.name = name;
    step.violations.messages = messages;
    step.violations.collectives = messages / 23;
  }
  CHECK(has("\nclocks: 3; too early: 48 as measured, 9 after messages, 0 after clc\n"));
  CHECK(show_json(s)["clocks"].is_null());  // JSON is passed on as it is in the report
  s.document = std::make_shared<const nlohmann::json>(nlohmann::json{{"clocks", {{"count", 3}}}});
  CHECK(show_json(s)["clocks"]["count"] == 3);
}

TEST_CASE("odd statements about clocks and efficiencies are none") {
  using nlohmann::json;
  CHECK_FALSE(report::clocks_from_json(json("x")));
  CHECK_FALSE(report::clocks_from_json(json{{"count", 2U}, {"steps", {1, 2}}}));
  CHECK(report::clocks_from_json(json{{"count", "2"}})->count == 0);
  CHECK(report::clocks_from_json(json{{"count", 2U}, {"steps", 7}})->steps.empty());
  CHECK_FALSE(report::efficiency_from_json(json("x")));
  CHECK_FALSE(report::efficiency_from_json(json{{"parallel", "2"}})->ratios.parallel);
  CHECK(report::efficiency_from_json(json{{"phases", {1, 2}}})->phases.size() == 2);
}

TEST_CASE("a line about efficiencies, as far as they are known") {
  Summary s;
  const auto has = [&](const char* line) { return show_text(s).find(line) != std::string::npos; };
  CHECK_FALSE(has("efficiency:"));
  auto& efficiency = s.efficiency.emplace();
  CHECK_FALSE(has("efficiency:"));
  efficiency.ratios = {0.6, 0.8, 0.75};
  CHECK(has("\nefficiency: 60 % = load balance 80 % x communication 75 %\n"));
  CHECK_FALSE(has("by phase:"));
  for (const auto& [name, seconds] : {std::pair("setup", 2.0), {"void solve(int)", 11.0}}) {
    auto& phase = efficiency.phases.emplace_back();
    phase.name = name;
    phase.ratios.parallel = 0.45;
    phase.run_time = seconds;
  }
  efficiency.phases.emplace_back().ratios.parallel = 0.45;  // without name and time
  efficiency.phases.push_back(efficiency.phases.front());
  efficiency.phases.back().name = "talk";
  efficiency.phases.back().ratios.parallel = 0.002;
  CHECK(has(" 75 %\n  by phase: solve 45 % (in 11.00 s), setup 45 % (in 2.000 s)\n"));
  efficiency.ideal = {9.0, 1.0, 0.75};
  CHECK(has(" x communication 75 % (serialization 100 % x transfer 75 %)\n"));
  efficiency.hybrid = {{0.8, 1.0, 0.8}, {0.75, 0.9, 0.83}};
  CHECK(
      has(" x transfer 75 %)\n"
          "  of processes 80 % = load balance 100 % x communication 80 %\n"
          "  of threads 75 % = load balance 90 % x synchronization 83 %\n"
          "  by phase:"));
  efficiency.hybrid->threads.synchronization.reset();
  CHECK_FALSE(has("of threads"));
  s.document =
      std::make_shared<const nlohmann::json>(nlohmann::json{{"efficiency", {{"parallel", 0.6}}}});
  CHECK(show_json(s)["efficiency"]["parallel"] == 0.6);
}

TEST_CASE("parts of the time that are neither computation nor MPI have names") {
  Summary s;
  s.time = 10;
  s.computation = 4;
  s.mpi = 3;
  s.init_finalize = 1;
  s.overhead = 2;
  const auto has = [&](const char* line) { return show_text(s).find(line) != std::string::npos; };
  CHECK(has("\n    init, finalize  1.00 s  10.0 %"));
  CHECK(has("\n  measurement       2.00 s  20.0 %"));
  CHECK(has("\n  threads           1.00 s  10.0 %"));
  s.init_finalize = s.overhead = 0.004;
  CHECK_FALSE(has("init, finalize"));
  CHECK_FALSE(has("measurement"));
  s.knows_computation = false;
  CHECK(has("\n  other "));
}
