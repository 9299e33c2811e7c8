// SPDX-License-Identifier: BSD-3-Clause
// Texts of `latecomer info`: long archives, missing files, metahosts.
#include "analyzer/view/archive/info.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace latecomer::view;

namespace {

ArchiveInfo many(std::uint32_t ranks) {
  ArchiveInfo info;
  info.path = "traces.otf2";
  info.ticks_per_second = 1000000000;
  info.metahosts = {{"bonn", 1, ranks}};
  for (std::uint32_t r = 0; r < ranks; ++r) {
    ArchiveInfo::Location location{
        .id = r, .name = "Master thread", .events = 1000, .events_there = 1000};
    location.clock_offsets = 2;
    info.processes.push_back({r, "", "n1", "bonn", {location}});
  }
  return info;
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("cores of threads have a column if some are known") {
  auto info = many(2);
  CHECK_FALSE(has(info_text(info), "cores"));
  info.processes[1].locations[0].cores = "0-3,8";
  const auto text = info_text(info);
  CHECK(has(text, "clock offset  cores"));
  CHECK(has(text, "0-3,8"));
  CHECK(info_json(info)["processes"][0]["locations"][0]["cores"] == "");
  CHECK(info_json(info)["processes"][1]["locations"][0]["cores"] == "0-3,8");
}

TEST_CASE("long tables are cut in the text, not in the JSON") {
  const auto info = many(4096);
  const auto text = info_text(info);
  CHECK(has(text, "4,096 ranks, 4,096 locations, 1 node, 4,096,000 events"));
  CHECK(has(text, "\n  31  "));
  CHECK_FALSE(has(text, "\n  32  "));
  CHECK(has(text, "... and 4,064 more, see --json"));
  CHECK(info_json(info)["processes"].size() == 4096);
}

TEST_CASE("what is missing is said") {
  auto info = many(2);
  info.properties = {{"LATECOMER::PARTIAL", "true"}};
  CHECK(has(info_text(info), "state       partial: records of processes missing\n"));
  info.properties.clear();
  CHECK(has(info_text(info), "no files are missing or cut"));
  CHECK(has(info_text(info), "state       complete\n"));
  CHECK(has(info_text(info), "no communicators"));
  CHECK(has(info_text(info), ", 2,000 events\n"));
  info.processes[1].locations[0].has_events = false;
  info.processes[1].locations[0].events_there = 0;
  info.processes[1].locations[0].clock_offsets = 0;
  info.missing_files = {"traces/1.evt"};
  CHECK(has(info_text(info), " 0 of 1,000  none "));
  CHECK(has(info_text(info), ", 1,000 of 2,000 events\n"));
  CHECK(info_json(info)["processes"][1]["locations"][0]["events"] == 1000);
  CHECK(info_json(info)["processes"][1]["locations"][0]["events_there"] == 0);
  CHECK(has(info_text(info), "event file missing"));
  CHECK(has(info_text(info), "missing files\n  traces/1.evt\n"));
  CHECK(has(info_text(info), "state       partial: 1 file missing\n"));
  info.processes[0].locations[0].is_cut = true;
  info.cut_files = {"traces/0.evt", "traces/0.def"};
  info.properties = {{"LATECOMER::UNFINISHED", "1"}, {"LATECOMER::RECORDS_LOST", "3"}};
  // The property describes the files only; beside the state it would seem to contradict it.
  info.properties.push_back({"LATECOMER::PARTIAL", "false"});
  CHECK_FALSE(has(info_text(info), "LATECOMER::PARTIAL"));
  CHECK(info_json(info)["properties"]["LATECOMER::PARTIAL"] == "false");
  CHECK(has(info_text(info), "event file cut"));
  CHECK(has(info_text(info), "files that end early or are damaged\n  traces/0.evt\n"));
  CHECK(has(info_text(info),
            "state       partial: 1 process without MPI_Finalize; 3 records lost; "
            "1 file missing; 2 files cut or damaged\n"));
  CHECK(info_json(info)["lacks"].size() == 4);
  // One node has one clock; between nodes offsets matter.
  CHECK_FALSE(has(info_text(info), "note:"));
  info.processes[1].node = "n2";
  CHECK(has(info_text(info), "note: 1 location without clock offsets"));
}

TEST_CASE("several metahosts get a table and a column") {
  auto info = many(2);
  info.metahosts = {{"bonn", 1, 1}, {"j\xc3\xbclich", 1, 1}};
  info.processes[1].metahost = "j\xc3\xbclich";
  info.processes[1].locations[0].first_offset = -0.5;
  const auto text = info_text(info);
  CHECK(has(text, "metahost  nodes  processes\nbonn          1          1\n"));
  CHECK(has(text, "   1  j\xc3\xbclich    n1    Master thread   1,000  -500.0 ms to 0 s"));
}

TEST_CASE("a part says what is here and what is elsewhere") {
  auto info = many(4);
  info.parts = 2;
  info.metahosts = {{"bonn", 1, 2, 2}, {"paris", 1, 2, 0}};
  for (const std::size_t rank : {2, 3}) {
    info.processes[rank].metahost = "paris";
    info.processes[rank].here = false;
    info.processes[rank].locations[0].has_events = false;
    info.processes[rank].locations[0].clock_offsets = 0;
    info.processes[rank].node = "n2";
  }
  const auto text = info_text(info);
  CHECK(has(text,
            "part         one of 2; events of other ranks are elsewhere\n"
            "  here       metahost bonn: ranks 0, 1\n"
            "  elsewhere  metahost paris: ranks 2, 3\n"));
  CHECK(has(text, "   3  paris     n2    Master thread   1,000                elsewhere\n"));
  CHECK(has(text, "no files are missing"));
  CHECK_FALSE(has(text, "note:"));
  info.processes[3].node = "unknown host";
  CHECK(has(info_text(info), "elsewhere  metahost paris: rank 2; another metahost: rank 3\n"));
  const auto json = info_json(info);
  CHECK(json["parts"] == 2);
  CHECK(json["metahosts"][0]["here"] == 2);
  CHECK(json["metahosts"][1]["here"] == 0);
  CHECK(json["processes"][3]["here"] == false);
  CHECK_FALSE(has(info_text(many(2)), "part "));
}
