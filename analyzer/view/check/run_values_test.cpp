// SPDX-License-Identifier: BSD-3-Clause
// Values of a run, read from an export.
#include "analyzer/view/check/run_values.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace latecomer;
using namespace latecomer::view;

TEST_CASE("values of an export") {
  const nlohmann::json json = {
      {"schema_version", 1},
      {"context",
       {{"program", {{"name", "heat"}}}, {"ranks", 4}, {"partial", false}, {"duration", 2.5}}},
      {"metrics",
       {{{"name", "mpi_latesender"},
         {"display_name", "Late Sender"},
         {"parent", nullptr},
         {"unit", "sec"}}}},
      {"extras",
       {{"schema_version", 1},
        {"run", {{"duration", 2.5}}},
        {"quality", {{{"name", "shared_cores"}, {"count", 4}, {"text", "ranks share 2 cores"}}}},
        {"efficiency", {{"parallel", 0.75}, {"transfer", nullptr}}}}},
      {"values",
       {{{"metric", "mpi_latesender"}, {"values", {1, 2}}},
        {{"metric", "mpi_latesender"}, {"values", {0.5, 0}}}}}};
  const auto values = run_values(json, "run.json");
  REQUIRE(values);
  CHECK(values->metrics.at("mpi_latesender").total == 3.5);
  CHECK(values->metrics.at("waiting").total == 3.5);
  CHECK(values->metrics.at("run_time").total == 2.5);
  CHECK(values->metrics.at("efficiency").total == 0.75);
  CHECK(values->metrics.count("transfer_efficiency") == 0);
  CHECK(values->has_all);
  CHECK(values->notes == std::vector<std::string>{"4 ranks share 2 cores"});
  CHECK_FALSE(run_values(nlohmann::json::object(), "x"));
  auto difference = json;
  difference["extras"]["operation"] = {{"name", "diff"}};
  const auto no_run = run_values(difference, "d.json");
  REQUIRE_FALSE(no_run);
  CHECK(no_run.problem().what == "d.json is a difference of two reports, not a run");
  auto part = json;
  part["extras"]["operation"] = {{"name", "cut"}};
  CHECK_FALSE(run_values(part, "c.json")->has_all);
  auto empty = json;
  empty["metrics"][0]["name"] = "time";
  empty["values"] = nlohmann::json::array();
  const auto no_time = run_values(empty, "e.json");
  REQUIRE_FALSE(no_time);
  CHECK(no_time.problem().what.find("no recorded time") != std::string::npos);
  auto wrong = json;
  wrong["values"][0]["metric"] = "other";
  CHECK_FALSE(run_values(wrong, "x"));
  for (const nlohmann::json& no_count :
       {nlohmann::json(1e116), nlohmann::json(-1), nlohmann::json(4.5), nlohmann::json("4")}) {
    auto other = json;
    other["context"]["ranks"] = no_count;
    CHECK_FALSE(run_values(other, "x"));
    other = json;
    other["schema_version"] = no_count;
    const auto read = run_values(other, "x");
    REQUIRE_FALSE(read);
    CHECK(read.problem().what == "x is not what `latecomer json` prints");
  }
  auto older = json;
  older["schema_version"] = 0;
  const auto read = run_values(older, "x");
  REQUIRE_FALSE(read);
  CHECK(read.problem().what.find("another version") != std::string::npos);
}
