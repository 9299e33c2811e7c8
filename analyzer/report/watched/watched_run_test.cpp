// SPDX-License-Identifier: BSD-3-Clause
// Reports of watched runs: times by metric, call path and rank.
#include "analyzer/report/watched/watched_run.hpp"

#include <catch2/catch.hpp>
#include <random>

#include "analyzer/report/cube/read_cube.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using report::Report;
using watch::Nanoseconds;
using watch::Rank;
using watch::WaitKind;
using watch::WatchReport;

namespace {

constexpr Nanoseconds kS = 1'000'000'000;

WatchReport::OfRank rank(Rank number, Nanoseconds run) {
  WatchReport::OfRank of;
  of.rank = number;
  of.node = "here";
  of.run = of.known = run;
  return of;
}

// Ranks 0 and 2 of three, 10 s each. At two call sites of one function, allreduce takes 3 s and 1 s
// of rank 0, and 2 s of rank 2. Of that, rank 0 waited 1.5 s. A wait for a collective operation
// that was begun before takes 4 s of rank 2, 3 s of it until the last rank had come.
WatchReport run() {
  WatchReport run;
  run.program = "bin/app 'two words'";
  run.size = 3;
  run.run = 10 * kS;
  run.ended = true;
  run.ranks = {rank(0, 10 * kS), rank(2, 10 * kS)};
  run.not_watched = {{1, "it runs on another host, there"}};
  const watch::PathText first{"", "solve.c:7", {"main", "solve", "MPI_Allreduce"}};
  const watch::PathText second{"", "solve.c:9", {"main", "solve", "MPI_Allreduce"}};
  const watch::PathText wait{"", "app.c:3", {"main", "MPI_Wait"}};
  run.calls = {{first, {{0, {4, 3 * kS}}, {2, {4, 2 * kS}}}},
               {second, {{0, {1, 1 * kS}}}},
               {wait, {{2, {5, 4 * kS}}}}};
  run.paths = {{WaitKind::kNxN, first, {4, 3 * kS / 2}, {{0, {4, 3 * kS / 2}}}, {}},
               {WaitKind::kNxN, wait, {5, 3 * kS}, {{2, {5, 3 * kS}}}, {}}};
  return run;
}

std::map<std::string, std::vector<double>> rows(Report& report, const char* metric) {
  const auto values = report.values(report.find(metric));
  REQUIRE(values);
  return test::rows_of(report.definitions(), **values);
}

using Rows = std::map<std::string, std::vector<double>>;

}  // namespace

TEST_CASE("a report of a watched run has times, calls and waits") {
  const test::TemporaryDirectory directory;
  auto made = test::written(report::report_of(run()), directory.path() / "r.cubex");
  const std::string allreduce = "app/main/solve/MPI_Allreduce", wait = "app/main/MPI_Wait";
  // rank 0: 10 - 3 - 1 = 6 s outside MPI; rank 2: 10 - 2 - 4 = 4 s
  const Rows time = {{"app", {6, 4}}, {allreduce, {4, 2}}, {wait, {0, 4}}};
  CHECK(rows(made, "time") == time);
  CHECK(rows(made, "comp") == Rows{{"app", {6, 4}}});
  CHECK(rows(made, "mpi") == Rows{{allreduce, {4, 2}}, {wait, {0, 4}}});
  // MPI_Wait takes 4 s; the 3 s for a collective operation are collective.
  CHECK(rows(made, "mpi_collective") == Rows{{allreduce, {4, 2}}, {wait, {0, 3}}});
  CHECK(rows(made, "mpi_point2point") == Rows{{wait, {0, 1}}});
  CHECK(rows(made, "mpi_communication") == Rows{{allreduce, {4, 2}}, {wait, {0, 4}}});
  CHECK(rows(made, "mpi_wait_nxn") == Rows{{allreduce, {1.5, 0}}, {wait, {0, 3}}});
  CHECK(rows(made, "visits") == Rows{{allreduce, {5, 4}}, {wait, {0, 5}}});
  CHECK(rows(made, "mpi_latesender").empty());
  CHECK(made.find("mpi_latesender") != report::kNone);  // it is known that there was none
  CHECK(made.find("mpi_earlyscan") == report::kNone);   // this one is not looked for

  const auto& extras = made.extras();
  CHECK(extras.program.name == "bin/app");
  CHECK(extras.program.arguments == std::vector<std::string>{"two words"});
  CHECK(extras.run.duration == 10);
  CHECK(extras.partial);  // rank 1 is missing
  REQUIRE(extras.quality.size() == 2);
  CHECK(extras.quality[0].name == "watched");
  CHECK(extras.quality[1].name == "ranks_not_watched");
  CHECK(extras.quality[1].count == 1);
  CHECK(made.definitions().processes[1].rank == 2);
}

TEST_CASE("a report of a run whose records were lost is partial") {
  WatchReport lost = run();
  lost.not_watched.clear();
  lost.ended = false;
  lost.ranks[0].lost = true;
  lost.records.lost = 7;
  const auto made = report::report_of(lost);
  const auto& extras = *made.definitions.extras;
  std::map<std::string, std::int64_t> notes;
  for (const auto& note : extras.quality) notes[note.name] = note.count;
  CHECK(notes == std::map<std::string, std::int64_t>{
                     {"watched", 2}, {"waits_not_known", 1}, {"records_lost", 7}, {"running", 2}});
  CHECK(extras.partial);
}

// Rank 0 computes since 10 s, rank 2 waits for it in allreduce since 9.5 s; 30 s after the begin.
std::vector<WatchReport::Unfinished> hang() {
  using State = watch::UnfinishedRank::State;
  const watch::PathText first{"", "solve.c:7", {"main", "solve", "MPI_Allreduce"}};
  return {{0, State::kOutside, true, {}, 10 * kS, 20 * kS, 20 * kS, {}, 0, {}},
          {2, State::kInCall, true, first, 95 * kS / 10, 205 * kS / 10, 20 * kS, WaitKind::kNxN,
           20 * kS, 0}};
}

TEST_CASE("waits that are not known are no waits of 0") {
  WatchReport lost = run();
  lost.not_watched.clear();
  // Rank 0: 10 s that were seen, and 90 s between the calls before and after the loss.
  for (auto& rank : lost.ranks) rank.lost = true;
  lost.ranks[0].unseen = 90 * kS;
  lost.records.lost = 7;
  const test::TemporaryDirectory directory;
  {
    auto made = test::written(report::report_of(lost), directory.path() / "part.cubex");
    CHECK(made.find("mpi_wait_nxn") != report::kNone);
    CHECK(made.extras().waits_at_least);  // after the loss there may be more
    CHECK(made.extras().told("mpi_wait_nxn"));
    CHECK(made.extras().told("mpi_rma_communication"));  // it would be known
    CHECK_FALSE(made.extras().told("mpi_earlyscan"));
    CHECK_FALSE(made.extras().told("delay"));
  }
  for (auto& rank : lost.ranks) rank.known = 0;
  auto made = test::written(report::report_of(lost), directory.path() / "none.cubex");
  CHECK(made.find("mpi_wait_nxn") == report::kNone);
  CHECK_FALSE(made.extras().told("mpi_wait_nxn"));
  CHECK_FALSE(made.extras().waits_at_least);
  CHECK(made.extras().only_watched());
  const std::string allreduce = "app/main/solve/MPI_Allreduce", wait = "app/main/MPI_Wait";
  CHECK(
      rows(made, "time") ==
      Rows{{"app", {6, 4}}, {"app/MEASUREMENT OFF", {90, 0}}, {allreduce, {4, 2}}, {wait, {0, 4}}});
}

TEST_CASE("a run that was killed is partial, and says where its ranks were") {
  WatchReport killed = run();
  killed.not_watched.clear();
  killed.unfinished = hang();
  const auto made = report::report_of(killed);
  const auto& extras = *made.definitions.extras;
  CHECK(extras.partial);
  CHECK(extras.quality.back().name == "unfinished_processes");
  CHECK(extras.quality.back().count == 2);
  REQUIRE(extras.endings.size() == 2);
  CHECK(extras.endings[0].state == report::Ending::State::kInCall);
  CHECK(extras.endings[0].ranks == std::vector{2});
  CHECK(extras.endings[0].call_path ==
        std::vector<std::string>{"app", "main", "solve", "MPI_Allreduce"});
  CHECK(extras.endings[0].since == 9.5);
  CHECK(extras.endings[1].state == report::Ending::State::kOutside);
  CHECK(extras.endings[1].since == 10);
}

TEST_CASE("calls that are open in a run that goes on count until now") {
  WatchReport running = run();
  running.ended = false;
  running.until = 30 * kS;
  running.unfinished = hang();
  const test::TemporaryDirectory directory;
  auto made = test::written(report::report_of(running), directory.path() / "r.cubex");
  const std::string allreduce = "app/main/solve/MPI_Allreduce", wait = "app/main/MPI_Wait";
  // rank 0: 6 + 20 s outside MPI. rank 2: 10 + 20 s, of which 2 + 20.5 s in allreduce and 4 s in
  // MPI_Wait, so 3.5 s outside. It waited 20 s more.
  CHECK(rows(made, "time") == Rows{{"app", {26, 3.5}}, {allreduce, {4, 22.5}}, {wait, {0, 4}}});
  CHECK(rows(made, "mpi_wait_nxn") == Rows{{allreduce, {1.5, 20}}, {wait, {0, 3}}});
  CHECK(rows(made, "visits") == Rows{{allreduce, {5, 5}}, {wait, {0, 5}}});
  CHECK(made.extras().run.duration == 30);
  CHECK(made.extras().endings.empty());  // it goes on
}

TEST_CASE("whatever a file says, all times of a rank add up") {
  // Random call paths and times: time = time in calls + time outside of them. The metrics without
  // parts divide it, since each second is moved from one to another.
  std::mt19937 random(7);
  const char* names[] = {"MPI_Send",          "MPI_Wait", "MPI_Barrier",  "solve",
                         "MPI_File_read_all", "MPI_Put",  "MPI_Finalize", "other call paths"};
  for (int i = 0; i < 50; ++i) {
    WatchReport any;
    any.program = i % 5 == 0 ? "" : "app";
    for (Rank r = 0; r < 3; ++r) any.ranks.push_back(rank(r, random() % 100));
    if (i % 7 == 0) any.ranks.push_back(any.ranks[1]);
    std::int64_t in_calls = 0;
    for (int c = 0; c < 10; ++c) {
      watch::PathText path;
      for (auto n = random() % 3; n < 3; ++n)
        path.names.emplace_back(names[random() % std::size(names)]);
      const auto time = static_cast<Nanoseconds>(random() % 50);
      const Rank at = random() % 4;  // rank 3 was not watched
      any.calls.push_back({path, {{at, {1, time}}}});
      if (at < 3) in_calls += time;
      const auto kind = static_cast<WaitKind>(random() % watch::kWaitKinds);
      any.paths.push_back({kind, path, {1, time}, {{at, {1, time / 2}}}, {}});
    }
    const auto made = report::report_of(any);
    const auto& d = made.definitions;
    CHECK(d.processes.size() == 3);
    double time = 0, leaves = 0, outside = 0;
    for (std::uint32_t m = 0; m < d.metrics.size(); ++m) {
      if (d.metrics[m].unit != patterns::Unit::kSeconds) continue;
      double sum = 0;
      for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
        for (const double value : made.values[m].row(c)) sum += value;
      }
      if (d.metrics[m].name == "time") time = sum;
      if (d.metrics[m].name == "comp") outside = sum;
      double parts = 0;
      for (std::uint32_t p = 0; p < d.metrics.size(); ++p) {
        if (d.metrics[p].parent != d.metrics[m].name) continue;
        for (std::uint32_t c = 0; c < d.call_paths.size(); ++c) {
          for (const double value : made.values[p].row(c)) parts += value;
        }
      }
      leaves += sum - parts;  // what no part has
    }
    CHECK(time * 1e9 == Approx(outside * 1e9 + static_cast<double>(in_calls)));
    CHECK(leaves * 1e9 == Approx(time * 1e9));
  }
}
