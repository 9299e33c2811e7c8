// SPDX-License-Identifier: BSD-3-Clause
// Waits of threads in the summary, and what made them wait.
#include "analyzer/view/summary/thread_text.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "analyzer/view/summary/show.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::view;

namespace {

constexpr std::uint32_t kMain = 0, kLoop = 1, kBarrier = 2;  // call paths

// A process with two threads computes in a loop: thread 0 for 2 s, thread 1 for 6 s, so thread 0
// waits 4 s in the barrier. Before the loop, thread 0 computes 1 s alone, and thread 1 idles.
report::Combined loop() {
  auto combined = test::combined(
      {{{"time", "", "sec"},
        {"comp", "time", "sec"},
        {"mpi", "time", "sec"},
        {"mpi_latesender", "mpi", "sec"},
        {"omp_time", "time", "sec"},
        {"omp_ibarrier", "omp_time", "sec"},
        {"omp_ibarrier_wait", "omp_ibarrier", "sec"},
        {"omp_idle_threads", "time", "sec"},
        {"delay", "", "sec"},
        {"delay_mpi", "delay", "sec"},
        {"delay_omp", "delay", "sec"}},
       {{report::kNone, "main"}, {0, "!$omp for @a.c:3"}, {1, "!$omp implicit barrier @a.c:3"}},
       2,
       {{{"time", kMain}, {1, 1}},
        {{"comp", kMain}, {1, 0}},
        {{"omp_idle_threads", kMain}, {0, 1}},
        {{"time", kLoop}, {2, 6}},
        {{"comp", kLoop}, {2, 6}},
        {{"time", kBarrier}, {4, 0}},
        {{"omp_ibarrier", kBarrier}, {4, 0}},
        {{"omp_ibarrier_wait", kBarrier}, {4, 0}},
        {{"delay_omp", kMain}, {1, 0}},
        {{"delay_omp", kLoop}, {0, 4}}}});
  auto& d = combined.definitions;
  d.metrics[6].display = "Wait at Barrier";
  d.metrics[7].display = "Idle threads";
  d.processes = {{"rank 0", 0, 0}};
  d.locations = {{"thread", 0, 0}, {"thread", 1, 0}};
  return combined;
}

}  // namespace

TEST_CASE("threads that wait for each other in one process") {
  const test::TemporaryDirectory directory;
  auto report = test::written(loop(), directory.path() / "loop.cubex");
  const auto s = summarize(report);
  REQUIRE(s);
  CHECK(s->wait_states.empty());
  CHECK(s->waiting == 0);
  CHECK(s->thread_waiting == 5);
  REQUIRE(s->thread_waits.size() == 2);
  CHECK(s->thread_waits[0].metric == "omp_ibarrier_wait");
  CHECK(s->thread_waits[1].metric == "omp_idle_threads");
  REQUIRE(s->thread_causes.size() == 2);
  CHECK(s->thread_causes[0].seconds == 4);
  CHECK(s->thread_causes[0].threads.front().thread == 1);
  CHECK(thread_waits(*s) ==
        "Waits of threads   seconds  % time  call path (share)                    threads (share)\n"
        "  Wait at Barrier    4.000    28.6  ... > !$omp implicit barrier @a.c:3  0: 100%\n"
        "  Idle threads       1.000     7.1  main                                 1: 100%\n"
        "cause:  !$omp for @a.c:3 (thread 1) made other threads wait 4.000 s, 80% of their "
        "waiting\n");
  const auto text = show_text(*s);
  CHECK(text.find("\n  threads      5.00 s  35.7 %  ##############\n"
                  "    waiting    5.00 s  35.7 %  ##############\n") != std::string::npos);
  CHECK(text.find("No wait states: no process waited for another one.\n\nWaits of threads") !=
        std::string::npos);
  CHECK(next_command(*s) == "latecomer explain omp_ibarrier_wait");
  const auto json = show_json(*s);
  CHECK(json["seconds"]["thread_waiting"] == 5);
  CHECK(json["wait_states"].empty());
  CHECK(json["thread_waits"][0]["threads"][0]["thread"] == 0);
  CHECK(json["thread_causes"][0]["threads"][0]["seconds"] == 4);
}

TEST_CASE("unknown causes are divided into those of processes and of threads where they waited") {
  // At the barrier thread 0 waits 4 s, at MPI_Recv the process waits 3 s. The causes of 1 s and of
  // 2 s of these are not known.
  const test::TemporaryDirectory directory;
  auto combined = test::combined({{{"time", "", "sec"},
                                   {"mpi", "time", "sec"},
                                   {"mpi_latesender", "mpi", "sec"},
                                   {"omp_ibarrier_wait", "time", "sec"},
                                   {"delay", "", "sec"},
                                   {"delay_mpi", "delay", "sec"},
                                   {"delay_unknown", "delay", "sec"}},
                                  {{report::kNone, "main"}, {0, "MPI_Recv"}, {0, "barrier"}},
                                  1,
                                  {{{"time", kMain}, {10}},
                                   {{"mpi", kLoop}, {3}},
                                   {{"mpi_latesender", kLoop}, {3}},
                                   {{"omp_ibarrier_wait", kBarrier}, {4}},
                                   {{"delay_unknown", kLoop}, {2}},
                                   {{"delay_unknown", kBarrier}, {1}}}});
  auto report = test::written(combined, directory.path() / "unknown.cubex");
  const auto s = summarize(report);
  REQUIRE(s);
  CHECK(s->unknown_cause == 2);
  CHECK(s->unknown_thread_cause == 1);
  CHECK(thread_waits(*s).find("\ncause:  not known for 25% of their waiting\n") !=
        std::string::npos);
  CHECK(show_text(*s).find("not known for 67% of the waiting") != std::string::npos);
}

TEST_CASE("more than three wait states of threads, and reports without those of MPI") {
  Summary s;
  s.file = "a.cubex";
  s.time = 20;
  s.thread_waiting = 10;
  for (int i = 4; i > 0; --i) {
    s.thread_waits.push_back({"m", "Wait", double(i), {{{"main"}, double(i)}}, {}, ""});
    const auto text = thread_waits(s);
    const auto lines = std::count(text.begin(), text.end(), '\n');
    CHECK(lines == 1 + std::min<long>(5 - i, 3) + (i == 1 ? 1 : 0));
  }
  // The column of threads is left out if none is known.
  CHECK(thread_waits(s).starts_with("Waits of threads  seconds  % time  call path (share)\n"));
  CHECK(thread_waits(s).ends_with("  and 1 smaller one: latecomer show --by metric a.cubex\n"));
  CHECK(show_text(s).find("This report has no wait states of MPI.\n") != std::string::npos);
  // A cause of less than 5 % is not the cause.
  s.thread_causes = {{{"main", "loop"}, 0.4, {}, "", ""}};
  CHECK(
      thread_waits(s).ends_with("cause:  many small ones, the largest: main > loop\n"
                                "        made other threads wait 0.4000 s, 4% of their waiting\n"));
}

TEST_CASE("threads of several processes have the number of their rank") {
  Summary s;
  s.time = 20;
  s.ranks = 2;
  s.thread_waiting = 3;
  s.thread_waits = {{"omp_ibarrier_wait",
                     "Wait at Barrier",
                     3,
                     {{{"main", "loop"}, 3}},
                     {{0, 3}},
                     "",
                     {{0, 1, 2}, {1, 1, 1}}}};
  CHECK(thread_waits(s) ==
        "Waits of threads   seconds  % time  call path (share)  rank.thread (share)\n"
        "  Wait at Barrier    3.000    15.0  main > loop        0.1: 67%, 1.1: 33%\n");
  Summary::Cause cause{{"main", "loop"}, 3, {{0, 3}}, "", ""};
  cause.threads = {{0, 0, 3}};
  s.thread_causes = {cause};
  CHECK(thread_waits(s).find("cause:  main > loop (thread 0 of rank 0) made other threads wait "
                             "3.000 s, 100% of their waiting\n") != std::string::npos);
  s.thread_causes[0].threads = {{0, 0, 2}, {1, 0, 1}};
  CHECK(thread_waits(s).find("(threads 0.0: 67%, 1.0: 33%) made") != std::string::npos);
  // Waits of less than 0.1 % of the time are no finding.
  s.time = 3001;
  CHECK(thread_waits(s).empty());
  s.time = 20;
  s.thread_waits.clear();
  CHECK(thread_waits(s).empty());
}
