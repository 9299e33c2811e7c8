// SPDX-License-Identifier: BSD-3-Clause
// A report that was written as JSON is read back, and stands in for one that knows less.
#include "tracer/watch/view/agent_report.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/temporary_directory.hpp"
#include "tracer/watch/view/open_metrics.hpp"
#include "tracer/watch/view/watch_json.hpp"
#include "tracer/watch/view/watch_text.hpp"

using namespace latecomer::watch;

namespace {

constexpr Nanoseconds kMs = 1'000'000;

// Rank 1 waited 300 ms of 1 s for rank 0, in allreduce operations.
WatchReport report() {
  WatchReport report;
  report.experiment = "experiment";
  report.program = "app 1";
  report.size = 3;
  report.nodes = {"here", "there"};
  report.run = report.recent = 1000 * kMs;
  report.not_watched.push_back({2, "it runs on another host, there"});
  for (Rank rank = 0; rank < 2; ++rank) {
    WatchReport::OfRank of;
    of.rank = rank;
    of.node = "here";
    of.run = of.known = 1000 * kMs;
    of.mpi = 400 * kMs;
    of.slices.assign(40, 7 * kMs);
    report.ranks.push_back(of);
  }
  report.ranks[0].caused = 300 * kMs;
  report.ranks[1].waiting = report.ranks[1].recent_waiting = 300 * kMs;
  report.ranks[1].waits[static_cast<std::size_t>(WaitKind::kNxN)] = {10, 300 * kMs};
  WatchReport::OfPath path;
  path.kind = WaitKind::kNxN;
  path.path = {"main > MPI_Allreduce", "solve.c:77", {"main", "MPI_Allreduce"}};
  path.all = {10, 300 * kMs};
  path.ranks = {{1, {10, 300 * kMs}}};
  path.causes = {{0, {10, 300 * kMs}}};
  report.paths.push_back(path);
  report.calls = {{path.path, {{0, {10, 100 * kMs}}, {1, {10, 400 * kMs}}}},
                  {{"", "", {"main", "MPI_Wtime"}}, {{0, {7, 300 * kMs}}}}};
  report.node_pairs.push_back({WaitKind::kNxN, "here", "here", {10, 300 * kMs}});
  WatchReport::OfSite site;
  site.communicator = "MPI_COMM_WORLD";
  site.operation = "allreduce";
  site.path = path.path;
  site.statistics.operations = 10;
  site.statistics.ranks[0].count = site.statistics.ranks[0].last = 10;
  site.statistics.ranks[1].count = site.statistics.ranks[1].first = 10;
  for (int i = 0; i < 10; ++i) site.statistics.ranks[1].arrival.add(i, 30 * kMs);
  site.early = 300 * kMs;
  report.sites.push_back(site);
  report.messages.matched = 12;
  report.until = 3000 * kMs;
  report.shared_cores = {3, 3, 2};
  report.unfinished.push_back(
      {0, UnfinishedRank::State::kOutside, true, {}, 900 * kMs, 2100 * kMs, 2100 * kMs, {}, 0, {}});
  report.unfinished.push_back({1, UnfinishedRank::State::kInCall, false, path.path, 1000 * kMs,
                               2000 * kMs, 2001 * kMs, WaitKind::kNxN, 1999 * kMs, Rank{0}});
  report.records.records = 99;
  report.records.decoding.unsuccessful = 4;
  return report;
}

// This report of the same run knows nothing of waits.
WatchReport lost() {
  WatchReport lost = report();
  lost.paths.clear();
  lost.sites.clear();
  lost.late.push_back({0, 1, 12 * kMs, LateRank::Doing::kOutside});
  lost.circles.push_back({{0, 1}, 12 * kMs});
  lost.ranks[1].waiting_now = 12 * kMs;
  for (auto& rank : lost.ranks) {
    rank.lost = true;
    rank.known = rank.waiting = 0;
  }
  return lost;
}

}  // namespace

TEST_CASE("a report is read back from its JSON") {
  WatchReport one = report();
  one.ranks[0].lost = true;
  one.ranks[0].known = 500 * kMs;
  one.ranks[0].unseen = 123 * kMs;
  one.ranks[0].slices[39] = WatchReport::kNotKnown;
  one.ranks[0].waiting_now.reset();
  one.ranks[1].waiting_now = 77 * kMs;
  one.behind = 5000 * kMs;
  one.late.push_back({0, 1, 77 * kMs, LateRank::Doing::kWaits});
  one.circles.push_back({{0, 1}, 5500 * kMs});
  WaitingRank waiting;
  waiting.rank = 1;
  waiting.call = "MPI_Allreduce";
  waiting.since = 77 * kMs;
  waiting.waits_for = {0};
  one.waiting.push_back({waiting, {"main > MPI_Allreduce", "solve.c:77"}});
  const auto back = report_of(json_of(one));
  REQUIRE(back);
  CHECK(text_of(*back, {}) == text_of(one, {}));
  CHECK(OpenMetrics().text(*back) == OpenMetrics().text(one));
  auto json = json_of(*back), expected = json_of(one);
  json.erase("collectives");  // without distributions
  expected.erase("collectives");
  CHECK(json == expected);
}

TEST_CASE("what is no report is not read") {
  CHECK_FALSE(report_of(nlohmann::ordered_json()));
  CHECK_FALSE(report_of(nlohmann::ordered_json::array()));
  for (const char* name :
       {"format", "size", "now", "ranks", "unfinished", "paths", "calls", "counts", "left_out"}) {
    auto json = json_of(report());
    json.erase(name);
    CHECK_FALSE(report_of(json));
    json[name] = "x";
    CHECK_FALSE(report_of(json));
  }
  auto json = json_of(report());
  json["run_ns"] = 1e300;
  CHECK_FALSE(report_of(json));
  json["run_ns"] = INT64_MAX;
  CHECK(report_of(json));
}

TEST_CASE("the report of the agent stands in where waits are not known") {
  const latecomer::test::TemporaryDirectory directory;
  const std::string file = directory.file("watch.json");
  const std::string experiment = std::filesystem::path(file).parent_path().string();
  std::ofstream(file) << json_of(report());
  AgentReport agent(experiment, "");
  WatchReport one = lost();
  agent.complete(one);
  REQUIRE(one.agent_age);
  CHECK(*one.agent_age >= 0);
  CHECK(one.waiting_time() == 300 * kMs);
  CHECK(one.late.size() == 1);  // as the view sees it
  CHECK(one.circles.size() == 1);
  CHECK(one.ranks[0].waiting_now == 0);
  CHECK(one.ranks[1].waiting_now == 12 * kMs);
  CHECK(text_of(one, {}).find("statistics of the agent that scan has started") !=
        std::string::npos);
  CHECK(agent.json(one).at("collectives") == json_of(report()).at("collectives"));
  CHECK(agent.json(one).at("now").at("late").at(0).at("rank") == 0);

  WatchReport complete = report();  // knows everything itself
  agent.complete(complete);
  CHECK_FALSE(complete.agent_age);

  AgentReport itself(experiment, file);  // the agent does not read its own report
  one = lost();
  itself.complete(one);
  CHECK_FALSE(one.agent_age);

  std::ofstream(file) << "{";
  one = lost();
  agent.complete(one);
  CHECK_FALSE(one.agent_age);
  CHECK(agent.json(one).at("waiting_ns").is_null());
}
