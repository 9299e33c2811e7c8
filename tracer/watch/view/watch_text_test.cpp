// SPDX-License-Identifier: BSD-3-Clause
// The view on a terminal, word for word, and the same report for programs.
#include "tracer/watch/view/watch_text.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tracer/watch/view/open_metrics.hpp"
#include "tracer/watch/view/watch_json.hpp"

using namespace latecomer::watch;

namespace {

constexpr Nanoseconds kMs = 1'000'000;

// Two ranks. Rank 1 waited 300 ms of 1 s for rank 0: 250 ms in one slice, 50 ms in the last one.
WatchReport report() {
  WatchReport report;
  report.experiment = "experiment";
  report.program = "app";
  report.size = 3;
  report.nodes = {"here"};
  report.run = report.recent = 1000 * kMs;
  WatchReport::OfRank rank;
  rank.node = "here";
  rank.run = rank.known = 1000 * kMs;
  rank.mpi = 100 * kMs;
  rank.caused = 300 * kMs;
  rank.slices.assign(40, 0);
  report.ranks.push_back(rank);
  rank.rank = 1;
  rank.mpi = 400 * kMs;
  rank.caused = 0;
  rank.waiting = rank.recent_waiting = 300 * kMs;
  rank.waits[static_cast<std::size_t>(WaitKind::kNxN)] = {10, 300 * kMs};
  rank.slices[38] = 250 * kMs;
  rank.slices[39] = 50 * kMs;
  report.ranks.push_back(rank);
  WatchReport::OfPath path;
  path.kind = WaitKind::kNxN;
  path.path = {"main > solve > MPI_Allreduce", "solve.c:77"};
  path.all = {10, 300 * kMs};
  path.ranks = {{1, {10, 300 * kMs}}};
  path.causes = {{0, {10, 300 * kMs}}};
  report.paths.push_back(path);
  WatchReport::OfSite site;
  site.communicator = "MPI_COMM_WORLD";
  site.operation = "allreduce";
  site.path = path.path;
  site.statistics.operations = 10;
  site.statistics.ranks[0].count = 10;
  site.statistics.ranks[0].last = 10;
  site.statistics.ranks[1].count = 10;
  site.early = 300 * kMs;
  report.sites.push_back(site);
  report.ranks[1].waiting_now = 12 * kMs;
  report.late.push_back({0, 1, 12 * kMs, LateRank::Doing::kOutside});
  report.waiting.push_back({{1, "MPI_Allreduce", 1, 12 * kMs, {0}}, path.path});
  report.not_watched.push_back({2, "it has no records here"});
  report.messages.no_room = 4;
  return report;
}

}  // namespace

TEST_CASE("the view on a terminal") {
  TextOptions options;
  options.blocks = false;
  CHECK(text_of(report(), options) ==
        R"(app: 3 ranks on 1 node, 1.0 s
waiting   15.0 % in all,  15.0 % in the last 1.0 s                                        =.
late now: rank 0, in no MPI call that waits; rank 1 waits for it for 12.0 ms

rank  waiting     last   in MPI         now   others wait  over the last 10.0 s
   0    0.0 %    0.0 %   10.0 %           -      0.3000 s                                          
   1   30.0 %   30.0 %   40.0 %     12.0 ms      0.0000 s                                        @:

largest waits      seconds  % time  waited for  call path
Wait at N x N       0.3000    15.0  0: 100 %    main > solve > MPI_Allreduce (solve.c:77)

last to come to    times  mean lead     rank: share       call path
allreduce             10  15.0 ms       0: 100 %          main > solve > MPI_Allreduce (solve.c:77)

left out: messages no room 4
not watched: rank 2: it has no records here
)");
}

TEST_CASE("the view says that ranks share cores") {
  WatchReport shared = report();
  CHECK(text_of(shared, {}).find("ranks share") == std::string::npos);
  shared.shared_cores = {3, 3, 2};
  CHECK_THAT(text_of(shared, {}), Catch::Contains("\n3 ranks share 2 cores: ranks also wait"));
  shared.shared_cores = {2, 8, 1};
  CHECK_THAT(text_of(shared, {}), Catch::Contains("\n8 threads share 1 core: ranks also wait"));
}

TEST_CASE("ranks that will not reach MPI_Finalize any more") {
  WatchReport gone = report();
  gone.unfinished = {
      {0, UnfinishedRank::State::kOutside, true, {}, 0, 7500 * kMs},
      {1, UnfinishedRank::State::kInCall, false, {"", "", {"main", "MPI_Recv"}}, 0, 7400 * kMs}};
  gone.late[0].doing = LateRank::Doing::kGone;
  std::string text = text_of(gone, {});
  CHECK_THAT(text, Catch::Contains("\ngone: rank 0 in no MPI call for 7.5 s\n"
                                   "late now: rank 0, whose process is gone; rank 1 waits for it"));
  CHECK_THAT(text, !Catch::Contains("MPI_Recv"));  // it goes on
  gone.ended = true;
  text = text_of(gone, {});
  CHECK_THAT(text, Catch::Contains("\nno MPI_Finalize: rank 1 in main > MPI_Recv for 7.4 s\n"
                                   "no MPI_Finalize: rank 0 in no MPI call for 7.5 s\n\nrank"));
  CHECK(json_of(gone).at("partial") == true);
  gone.not_watched.clear();
  gone.unfinished.clear();
  CHECK(json_of(gone).at("partial") == false);
}

TEST_CASE("the view in a small terminal") {
  // 59 columns and 21 slices of a rank. The path has 32 columns, 43 before that of a site.
  TextOptions options;
  options.blocks = false;
  options.screen = {80, 24};
  WatchReport small = report();
  small.paths[0].path.path = "main > run > step > solve > MPI_Allreduce";
  const std::string text = text_of(small, options);
  for (const char* line :
       {"\nwaiting   15.0 % in all,  15.0 % in the last 1.0 s                            =.\n",
        "\nrank  waiting     last   in MPI         now   others wait  over the last 5.2 s\n",
        "\n   1   30.0 %   30.0 %   40.0 %     12.0 ms      0.0000 s                     @:\n",
        "\nWait at N x N       0.3000    15.0  0: 100 %    ... > MPI_Allreduce (solve.c:77)\n",
        "\nleft out: messages no room 4\n"}) {
    CHECK_THAT(text, Catch::Contains(line));
  }
  CHECK(std::ranges::count(text, '\n') == 16);  // all lines
  options.screen = {40, 9};
  const std::string tiny = text_of(small, options);
  CHECK(std::ranges::count(tiny, '\n') == 9);
  CHECK(tiny.find("more\n") != std::string::npos);
  std::size_t begin = 0;
  for (auto end = tiny.find('\n'); end != tiny.npos; begin = end + 1, end = tiny.find('\n', begin))
    CHECK(end - begin <= 40);
}

TEST_CASE("waits that are not known are not 0") {
  WatchReport lost = report();
  lost.paths.clear();
  for (auto& rank : lost.ranks) {
    rank.lost = true;
    rank.known = 0;
    rank.waits = {};
    rank.waiting = rank.recent_waiting = rank.caused = 0;
    rank.slices.assign(40, WatchReport::kNotKnown);
  }
  const std::string text = text_of(lost, {});
  CHECK(text.find("waiting  not known: records were lost\n") != std::string::npos);
  CHECK(text.find("   0        ?        ?   10.0 %           -             ?  ????") !=
        std::string::npos);
  CHECK(text.find("who waited is not known: records were lost") != std::string::npos);
  CHECK(text.find("no rank has waited") == std::string::npos);
  const auto json = json_of(lost);
  CHECK(json.at("waiting_ns").is_null());
  CHECK(json.at("time_ns") == 0);
  CHECK(json.at("ranks").at(0).at("waiting_ns").is_null());
  CHECK(json.at("ranks").at(0).at("recent_waiting_ns").is_null());
  CHECK(json.at("ranks").at(0).at("waits").at("mpi_wait_nxn").is_null());
  CHECK(json.at("ranks").at(0).at("slices_ns").at(39).is_null());
  const std::string metrics = OpenMetrics().text(lost);
  CHECK(metrics.find("latecomer_recent_wait_ratio{") == std::string::npos);
  CHECK(metrics.find("latecomer_wait_seconds_total{") == std::string::npos);
  CHECK(metrics.find("latecomer_caused_wait_seconds{") == std::string::npos);
  CHECK(metrics.find("latecomer_mpi_seconds_total{") != std::string::npos);
}

TEST_CASE("shares are over the time whose waits are known") {
  // Rank 0 is known for 500 ms of 1 s, rank 1 for all: 300 / (500 + 1000) = 20 %. In the last
  // second only rank 1 is known: 300 / 1000 = 30 %.
  WatchReport lost = report();
  lost.ranks[0].lost = true;
  lost.ranks[0].known = 500 * kMs;
  const std::string text = text_of(lost, {});
  CHECK(text.find("waiting   20.0 % in all,  30.0 % in the last 1.0 s") != std::string::npos);
  CHECK(
      text.find("records were lost: waits of 1 of 2 ranks are known for 500.0 ms of 1.0 s only") !=
      std::string::npos);
  CHECK(json_of(lost).at("time_ns") == 1500 * kMs);
  CHECK(json_of(lost).at("ranks").at(0).at("known_ns") == 500 * kMs);
  lost.ranks[1].lost = true;
  CHECK(text_of(lost, {}).find("20.0 % in all, not known in the last 1.0 s\n") !=
        std::string::npos);
}

TEST_CASE("ranks that wait for each other, and those that wait themselves") {
  WatchReport now = report();
  now.late = {{2, 1, 40 * kMs, LateRank::Doing::kTransfers},
              {1, 1, 12 * kMs, LateRank::Doing::kWaits},
              {0, 2, -1, LateRank::Doing::kEnded}};
  now.circles = {{{3, 4, 5}, 80 * kMs}, {{6, 7}, 61'000 * kMs}};
  now.waiting = {{{1, "", 0, 40 * kMs, {2}}, {}}, {{8, "", 0, 12 * kMs, {0, 1}}, {}}};
  const std::string text = text_of(now, {});
  CHECK_THAT(
      text,
      Catch::Contains("late now: ranks 3-5 wait for each other for 80.0 ms\n"
                      "late now: ranks 6, 7 wait for each other for 61.0 s: see latecomer stuck\n"
                      "late now: rank 2, in a call to which all have come; rank 1 waits for it for "
                      "40.0 ms\n"
                      "late now: rank 1, which waits itself; rank 8 waits for it for 12.0 ms\n"
                      "late now: rank 0, which has left MPI; rank 8 waits for it\n"));
  const auto json = json_of(now).at("now");
  CHECK(json.at("circles").at(0).at("ranks") == std::vector{3, 4, 5});
  CHECK(json.at("circles").at(1).at("shortest_ns") == 61'000 * kMs);
  CHECK(json.at("late").at(0).at("doing") == "transfers");
  CHECK(json.at("late").at(2).at("longest_ns").is_null());
}

TEST_CASE("the wait that goes on has a gauge of its own") {
  WatchReport now = report();
  const std::string name = R"(latecomer_waiting_now_seconds{experiment="experiment",node="here",)";
  CHECK(OpenMetrics().text(now).find(name + "rank=\"0\"} 0.000000000\n") != std::string::npos);
  CHECK(OpenMetrics().text(now).find(name + "rank=\"1\"} 0.012000000\n") != std::string::npos);
  CHECK(json_of(now).at("ranks").at(1).at("waiting_now_ns") == 12 * kMs);
  now.ranks[1].waiting_now.reset();
  CHECK(OpenMetrics().text(now).find(name + "rank=\"1\"}") == std::string::npos);
  CHECK(json_of(now).at("ranks").at(1).at("waiting_now_ns").is_null());
}

TEST_CASE("a view that is behind the records says so") {
  WatchReport late = report();
  late.behind = WatchReport::kMostBehind - 1;
  CHECK(text_of(late, {}).find("catching up") == std::string::npos);
  late.behind = 12'300 * kMs;
  CHECK(text_of(late, {}).find("\ncatching up: this is how it was 12.3 s ago\nwaiting ") !=
        std::string::npos);
  CHECK(OpenMetrics().text(late).find(
            "\nlatecomer_behind_seconds{experiment=\"experiment\"} 12.300000000\n") !=
        std::string::npos);
  CHECK(json_of(late).at("behind_ns") == 12'300 * kMs);
  late.behind.reset();
  CHECK(text_of(late, {}).find("\ncatching up: there are records that were not read yet\n") !=
        std::string::npos);
  CHECK(json_of(late).at("behind_ns").is_null());
  late.ended = true;
  CHECK(text_of(late, {}).find("catching up") == std::string::npos);
}

TEST_CASE("bytes of names do nothing to the terminal") {
  WatchReport evil = report();
  evil.program = "app\x1b[31m";
  evil.paths[0].path.path = "main\x1b]0;x\x07";
  const std::string text = text_of(evil, {});
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find('\x07') == std::string::npos);
  const std::string metrics = OpenMetrics().text(evil);
  CHECK(metrics.find('\x1b') == std::string::npos);
}

TEST_CASE("a run of which nothing is known yet has a view") {
  CHECK(text_of({}, {}).find("no rank has waited so far") != std::string::npos);
  CHECK(json_of(WatchReport()).at("ranks").empty());
}

TEST_CASE("many ranks: those that wait or are waited for most are shown") {
  WatchReport many = report();
  for (Rank rank = 2; rank < 100; ++rank) {
    many.ranks.push_back(many.ranks[0]);
    many.ranks.back().rank = rank;
    many.ranks.back().caused = 0;
  }
  // 14 lines that are no ranks' lines, and 3 for the ranks: two of them, and the number of others.
  TextOptions options;
  options.screen.rows = 17;
  const std::string text = text_of(many, options);
  CHECK(std::ranges::count(text, '\n') == 17);
  CHECK(text.find("\n   0  ") != std::string::npos);
  CHECK(text.find("\n   1  ") != std::string::npos);
  CHECK(text.find("\n... 98 more\n") != std::string::npos);
  CHECK(text_of(many, {}).find("\n  99  ") != std::string::npos);
}

TEST_CASE("JSON has times in nanoseconds and all reasons of losses") {
  const auto json = json_of(report());
  CHECK(json.at("waiting_ns") == 300 * kMs);
  CHECK(json.at("time_ns") == 2000 * kMs);
  CHECK(json.at("ranks").at(1).at("waits").at("mpi_wait_nxn").at("ns") == 300 * kMs);
  CHECK(json.at("paths").at(0).at("place") == "solve.c:77");
  CHECK(json.at("paths").at(0).at("causes").at(0).at("rank") == 0);
  CHECK(json.at("collectives").at(0).at("ranks").at(0).at("last") == 10);
  CHECK(json.at("now").at("late").at(0).at("rank") == 0);
  CHECK(json.at("left_out").at("messages_no_room") == 4);
  CHECK(json.at("left_out").at("records_lost") == 0);
  CHECK(json.at("not_watched").at(0).at("rank") == 2);
}

TEST_CASE("OpenMetrics: counters end with _total and never fall") {
  OpenMetrics metrics;
  WatchReport one = report();
  const auto line = [](const std::string& text, const std::string& begin) {
    const auto at = text.find('\n' + begin);
    return at == std::string::npos ? "" : text.substr(at + 1, text.find('\n', at + 1) - at - 1);
  };
  const std::string name =
      R"(latecomer_wait_seconds_total{experiment="experiment",node="here",rank="1",state="mpi_wait_nxn"})";
  CHECK(line(metrics.text(one), name) == name + " 0.300000000");
  one.ranks[1].waits[static_cast<std::size_t>(WaitKind::kNxN)].time = 200 * kMs;
  CHECK(line(metrics.text(one), name) == name + " 0.300000000");
  one.ranks[1].waits[static_cast<std::size_t>(WaitKind::kNxN)].time = 12345 * kMs;
  CHECK(line(metrics.text(one), name) == name + " 12.345000000");
  CHECK(metrics.text(one).ends_with("\n# EOF\n"));
  one.experiment = "a\"b\\c";
  CHECK(metrics.text(one).find(R"(experiment="a\"b\\c")") != std::string::npos);
}
