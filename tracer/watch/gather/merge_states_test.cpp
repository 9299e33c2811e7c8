// SPDX-License-Identifier: BSD-3-Clause
// The state of a run is the sum of its parts, in whatever order and groups they are added up.
#include "tracer/watch/gather/merge_states.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace latecomer::watch;

namespace {

using Json = nlohmann::ordered_json;

// The part of a host with two ranks. Rank 0 makes others wait, on all hosts.
Json part(std::uint32_t host, std::mt19937& random) {
  const auto below = [&](unsigned n) { return static_cast<std::int64_t>(random() % n); };
  const std::uint32_t first = 2 * host;
  Json json;
  json["format"] = "latecomer watch 1";
  json["experiment"] = "experiment";
  json["program"] = "app";
  json["ended"] = true;
  json["partial"] = false;
  json["behind_ns"] = below(3);
  json["size"] = 16;
  json["nodes"] = {"a", "b"};
  json["run_ns"] = 1000 + below(9);
  json["until_ns"] = 2000;
  json["recent_ns"] = 500;
  json["waiting_ns"] = 0;
  json["time_ns"] = 1000;
  json["not_watched"] = Json::array();
  json["unfinished"] = Json::array();
  json["now"] = {
      {"late", {{{"rank", 0}, {"waited_by", 2}, {"longest_ns", below(9)}, {"doing", "outside"}}}},
      {"circles", Json::array()},
      {"waiting", {{{"rank", first}, {"waits_for", {0}}}}}};
  Json ranks = Json::array(), path_ranks = Json::array(), site_ranks = Json::array();
  std::int64_t all = 0;
  for (std::uint32_t rank = first; rank < first + 2; ++rank) {
    const std::int64_t time = below(100);
    all += time;
    ranks.push_back({{"rank", rank}, {"waiting_ns", time}, {"caused_ns", rank == 0 ? 5 : 0}});
    path_ranks.push_back({{"rank", rank}, {"count", 1}, {"ns", time}});
    site_ranks.push_back({{"rank", rank}, {"last", below(3)}, {"arrival", {{"sum_ns", time}}}});
  }
  json["waiting_ns"] = all;
  json["ranks"] = ranks;
  Json one = {{"metric", "mpi_wait_nxn"},
              {"path", "main > MPI_Allreduce"},
              {"place", "a.c:1"},
              {"call_path", {"main", "MPI_Allreduce"}},
              {"count", 2},
              {"ns", all},
              {"ranks", path_ranks},
              {"causes", {{{"rank", 0}, {"count", 2}, {"ns", all}}}}};
  json["paths"] = Json::array({one});
  if (host % 2 == 1) {
    one["metric"] = "mpi_latesender";
    json["paths"].push_back(one);
  }
  json["calls"] = {
      {{"call_path", {"main", "MPI_Allreduce"}}, {"place", ""}, {"ranks", path_ranks}}};
  json["node_pairs"] = {{{"metric", "mpi_wait_nxn"},
                         {"waiting", "h" + std::to_string(host)},
                         {"waited_for", "h0"},
                         {"count", 1},
                         {"ns", all}}};
  json["collectives"] = {{{"communicator", "MPI_COMM_WORLD"},
                          {"operation", "allreduce"},
                          {"path", host == 0 ? "main" : ""},
                          {"place", ""},
                          {"operations", 7 + below(2)},
                          {"ranks", site_ranks},
                          {"id", "0 0 17"}}};
  json["counts"] = {{"messages", below(50)}, {"records", below(50)}};
  json["caused_elsewhere"] = host == 0 ? Json::array() : Json({{{"rank", 0}, {"ns", all}}});
  json["left_out"] = {{"records_lost", below(2)}};
  return json;
}

std::vector<Json> parts(unsigned seed, std::uint32_t hosts) {
  std::mt19937 random(seed);
  std::vector<Json> all;
  for (std::uint32_t host = 0; host < hosts; ++host) all.push_back(part(host, random));
  return all;
}

Json merged(const std::vector<Json>& of) {
  std::vector<const Json*> all;
  for (const Json& one : of) all.push_back(&one);
  return merge_states(all);
}

}  // namespace

// Hosts 0 and 1 with ranks 0 to 3, which wait a, b, c, d ns for rank 0.
TEST_CASE("numbers of parts are added up, and ranks are joined") {
  const auto of = parts(1, 2);
  Json all = merged(of);
  std::int64_t waiting = 0;
  for (const Json& one : of) waiting += one.at("waiting_ns").get<std::int64_t>();
  REQUIRE(waiting > 0);
  CHECK(all.at("waiting_ns") == waiting);
  CHECK(all.at("ranks").size() == 4);
  CHECK(all.at("ranks")[3].at("rank") == 3);
  const Json& path = all.at("paths")[0];
  CHECK(path.at("metric") == "mpi_wait_nxn");
  CHECK(path.at("count") == 4);
  CHECK(path.at("ns") == waiting);
  CHECK(path.at("causes") == Json({{{"rank", 0}, {"count", 4}, {"ns", waiting}}}));
  CHECK(all.at("now").at("late")[0].at("waited_by") == 4);
  CHECK(all.at("now").at("waiting").size() == 2);
  CHECK(all.at("collectives").size() == 1);
  CHECK(all.at("collectives")[0].at("path") == "main");
  CHECK(all.at("collectives")[0].at("ranks").size() == 4);
  CHECK(all.at("node_pairs").size() == 2);
  complete_state(all, {{15, "no agent"}});
  // 5 on its own host, and all waits of the other one.
  CHECK(all.at("ranks")[0].at("caused_ns") == 5 + of[1].at("waiting_ns").get<std::int64_t>());
  CHECK(!all.contains("caused_elsewhere"));
  CHECK(!all.at("collectives")[0].contains("id"));
  CHECK(all.at("not_watched") == Json({{{"rank", 15}, {"why", "no agent"}}}));
  CHECK(all.at("partial") == true);
}

TEST_CASE("any tree gives the same result") {
  for (unsigned seed = 0; seed < 5; ++seed) {
    const auto of = parts(seed, 8);
    const Json expected = merged(of);
    for (std::size_t arity = 2; arity <= 8; ++arity) {
      std::mt19937 random(seed * 100 + static_cast<unsigned>(arity));
      std::vector<Json> level = of;
      while (level.size() > 1) {
        std::shuffle(level.begin(), level.end(), random);
        const std::size_t count = std::min(level.size(), arity);
        const Json one =
            merged({level.begin(), level.begin() + static_cast<std::ptrdiff_t>(count)});
        level.erase(level.begin(), level.begin() + static_cast<std::ptrdiff_t>(count));
        level.push_back(one);
      }
      CHECK(level.front() == expected);
    }
  }
}

TEST_CASE("what a part does not know is not known") {
  auto of = parts(1, 2);
  of[1]["behind_ns"] = nullptr;
  of[1]["waiting_ns"] = nullptr;
  of[1]["ended"] = false;
  const Json all = merged(of);
  CHECK(all.at("behind_ns").is_null());
  CHECK(all.at("waiting_ns") == of[0].at("waiting_ns"));
  CHECK(all.at("ended") == false);
  CHECK(merge_states({}) == Json::object());
  const Json damaged = {{"ranks", 5}, {"now", "x"}, {"counts", nullptr}};
  CHECK(merge_states({&of[0], &damaged}).at("ranks").size() == 2);
}
