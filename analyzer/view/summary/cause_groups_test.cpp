// SPDX-License-Identifier: BSD-3-Clause
// Call paths with repeated functions, and what is said of them together.
#include "analyzer/view/summary/cause_groups.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <memory>
#include <nlohmann/json.hpp>

#include "analyzer/view/summary/show.hpp"
#include "tests/report/cube_file.hpp"
#include "tests/report/small_reports.hpp"

using namespace latecomer;
using namespace latecomer::view;
using report::kNone;

namespace {

// Call paths with one region per letter: "abab".
report::Definitions paths_of(const std::vector<std::string>& paths) {
  report::Definitions d;
  for (char c = 'a'; c <= 'z'; ++c) d.regions.push_back({std::string(1, c), "", "", "", ""});
  std::map<std::string, std::uint32_t> known;
  for (const auto& path : paths) {
    for (std::size_t length = 1; length <= path.size(); ++length) {
      const auto [at, is_new] =
          known.emplace(path.substr(0, length), static_cast<std::uint32_t>(d.call_paths.size()));
      if (!is_new) continue;
      d.call_paths.push_back({length == 1 ? kNone : known.at(path.substr(0, length - 1)),
                              static_cast<std::uint32_t>(path[length - 1] - 'a')});
    }
  }
  return d;
}

// The last call path that these make, without its repetitions.
std::string without_repetitions(const std::string& path) {
  const auto d = paths_of({path});
  const CauseGroups groups(d);
  // Two call paths of a group, so that their own names are not asked for.
  const auto last = static_cast<std::uint32_t>(d.call_paths.size() - 1);
  std::string text;
  for (const auto& name : groups.names(std::vector{last, last})) text += name;
  return text;
}

// main, and three depths of walk, which makes rank 0 wait at each of them: 1, 2 and 3 s. Below the
// deepest one rank 0 makes rank 1 wait for 0.5 s.
test::SmallReport recursion() {
  return {{{"time", "", "sec"},
           {"mpi", "time", "sec"},
           {"mpi_barrier_wait", "mpi", "sec"},
           {"delay", "", "sec"},
           {"delay_mpi", "delay", "sec"}},
          {{kNone, "main"}, {0, "walk"}, {1, "MPI_Init"}, {1, "walk"}, {3, "walk"}, {4, "work"}},
          2,
          {{{"time", 1}, {10, 10}},
           {{"mpi", 1}, {6, 1}},
           {{"mpi_barrier_wait", 1}, {6, 0.5}},
           {{"delay_mpi", 1}, {0, 1}},
           {{"delay_mpi", 3}, {0, 2}},
           {{"delay_mpi", 4}, {0, 3}},
           {{"delay_mpi", 5}, {0.5, 0}}}};
}

report::LongerComputation longer(std::uint32_t call_path, double seconds, std::uint32_t line) {
  return {.call_path = call_path,
          .location = 1,
          .delay_costs = seconds,
          .not_computing = {.blocked = 0.25 * seconds},
          .within = call_path,
          .lines = {{.function = "walk", .file = "/a/w.c", .line = line, .seconds = seconds / 2}}};
}

}  // namespace

TEST_CASE("functions that are called again in the same order count once") {
  CHECK(without_repetitions("abc") == "abc");
  CHECK(without_repetitions("abbbc") == "abc");
  CHECK(without_repetitions("abcabcabc") == "abc");
  CHECK(without_repetitions("xababy") == "xaby");
  CHECK(without_repetitions("abababa") == "aba");
  // A function that several others call is no recursion.
  CHECK(without_repetitions("acbcd") == "acbcd");
  // At most 8 functions in a row are compared.
  CHECK(without_repetitions("abcdefghabcdefgh") == "abcdefgh");
  CHECK(without_repetitions("abcdefghiabcdefghi") == "abcdefghiabcdefghi");
}

TEST_CASE("call paths of a group have one number, and one of them its own name") {
  // a, ab, abb, abbc, abc: the last two are one group.
  const auto d = paths_of({"abbc", "abc"});
  const CauseGroups groups(d);
  CHECK(groups.of(0) != groups.of(1));
  CHECK(groups.of(1) == groups.of(2));
  CHECK(groups.of(3) == groups.of(4));
  CHECK(groups.of(3) != groups.of(2));
  CHECK(groups.names(std::vector<std::uint32_t>{3}) ==
        std::vector<std::string>{"a", "b", "b", "c"});
  CHECK(groups.names(std::vector<std::uint32_t>{3, 4}) == std::vector<std::string>{"a", "b", "c"});
  const report::Definitions nothing;
  CHECK_NOTHROW(CauseGroups(nothing));
}

TEST_CASE("all depths of a recursion are one cause") {
  const test::TemporaryDirectory directory;
  auto made = test::combined(recursion());
  report::Extras extras;
  extras.results.emplace().computation.emplace().samples = 100;
  extras.results->longer_computation = {longer(4, 3, 7), longer(3, 2, 7), longer(1, 1, 9)};
  made.definitions.extras = std::make_shared<const report::Extras>(extras);
  auto report = test::written(made, directory.path() / "r.cubex");
  const auto summary = summarize(report);
  REQUIRE(summary);
  REQUIRE(summary->causes.size() == 2);
  const auto& cause = summary->causes[0];
  CHECK(cause.call_path == std::vector<std::string>{"main", "walk"});
  CHECK(cause.seconds == 6);
  REQUIRE(cause.ranks.size() == 1);
  CHECK(cause.ranks[0].rank == 1);
  CHECK(cause.ranks[0].seconds == 6);
  CHECK(cause.members == std::vector<std::uint32_t>{4, 3, 1});
  REQUIRE(cause.parts.size() == 3);
  CHECK(cause.parts[0].call_path.size() == 4);
  CHECK(cause.parts[0].seconds == 3);
  // Of 6 s it was blocked for 1.5 s. Of the other 4.5 s 2.5 s are in line 7, 0.5 s in line 9.
  CHECK(cause.how ==
        "it computed longer for 4.500 s of the waiting in walk: 56 % at w.c:7, 11 % at w.c:9; was "
        "blocked for 1.500 s: asleep, or waiting for a file, a lock, a socket, a thread or a "
        "child");
  // A single call path keeps its name.
  CHECK(summary->causes[1].call_path ==
        std::vector<std::string>{"main", "walk", "walk", "walk", "work"});
  CHECK(summary->causes[1].parts.empty());
  CHECK(show_text(*summary).find("cause:  walk (rank 1) made others wait 6.000 s, 92% of all") !=
        std::string::npos);
  const auto json = show_json(*summary);
  CHECK(json["causes"][0]["parts"].size() == 3);
  CHECK(json["causes"][0]["parts"][2]["seconds"] == 1);
  CHECK_FALSE(json["causes"][1].contains("parts"));
}

TEST_CASE("calls on files under one caller are one cause with its name") {
  // main > save (1 s) > write (2 s), fsync (4 s), and main > load > write (1 s)
  const test::TemporaryDirectory directory;
  auto made = test::combined(
      {{{"time", "", "sec"},
        {"mpi", "time", "sec"},
        {"mpi_barrier_wait", "mpi", "sec"},
        {"delay", "", "sec"},
        {"delay_mpi", "delay", "sec"}},
       {{kNone, "main"}, {0, "save"}, {1, "write"}, {1, "fsync"}, {0, "load"}, {4, "write"}},
       2,
       {{{"time", 1}, {10, 10}},
        {{"mpi", 1}, {8, 0}},
        {{"mpi_barrier_wait", 1}, {8, 0}},
        {{"delay_mpi", 1}, {0, 1}},
        {{"delay_mpi", 2}, {0, 2}},
        {{"delay_mpi", 3}, {0, 4}},
        {{"delay_mpi", 5}, {0, 1}}}});
  for (auto& region : made.definitions.regions) {
    if (region.name == "write" || region.name == "fsync") region.role = "file io";
  }
  report::Extras extras;
  extras.results.emplace().computation.emplace().samples = 100;
  const auto causes_of = [&](std::vector<report::FileUse> uses) {
    extras.results->file_uses = std::move(uses);
    made.definitions.extras = std::make_shared<const report::Extras>(extras);
    auto report = test::written(made, directory.path() / "r.cubex");
    const auto summary = summarize(report);
    REQUIRE(summary);
    REQUIRE(summary->causes.size() == 3);
    return summary->causes;
  };
  const report::FileUse written{.call_path = 2,
                                .location = 1,
                                .file = "/a/out.bin",
                                .bytes_written = 1'000'000,
                                .writing = 2};
  const report::FileUse stored{
      .call_path = 3, .location = 1, .file = "/a/out.bin", .operations = 1, .storing = 4};
  auto causes = causes_of({stored, written});
  CHECK(causes[0].call_path == std::vector<std::string>{"main", "save"});
  CHECK(causes[0].seconds == 6);
  CHECK(causes[0].how == "it writes out.bin: 1.000 MB in 2.000 s, fsync 4.000 s");
  REQUIRE(causes[0].parts.size() == 2);
  CHECK(causes[0].parts[0].call_path == std::vector<std::string>{"main", "save", "fsync"});
  // What the caller computes itself is another cause; a single function keeps its name.
  CHECK(causes[1].call_path == std::vector<std::string>{"main", "save"});
  CHECK(causes[1].seconds == 1);
  CHECK(causes[2].call_path == std::vector<std::string>{"main", "load", "write"});
  CHECK(causes[2].how == "by time in write itself, in the file system");
  causes = causes_of({});
  CHECK(causes[0].how == "by time in its calls on files, in the file system");
}

TEST_CASE("functions on files in a recursion keep their name if they are one function") {
  auto d = paths_of({"abc", "abbc", "abbbc"});
  d.regions[2].role = "file io";
  const CauseGroups groups(d);
  // abc, abbc, abbbc in the order in which paths_of() makes them: a, ab, abc, abb, abbc, ...
  CHECK(groups.of(2) == groups.of(4));
  CHECK(groups.names(std::vector<std::uint32_t>{2, 4}) == std::vector<std::string>{"a", "b", "c"});
}

TEST_CASE("lines of different functions are in the one that they have in common") {
  const test::TemporaryDirectory directory;
  auto made = test::combined(recursion());
  report::Extras extras;
  extras.results.emplace().computation.emplace().samples = 100;
  extras.results->longer_computation = {longer(4, 3, 7), longer(3, 2, 7)};
  extras.results->longer_computation[0].within = 5;  // work
  made.definitions.extras = std::make_shared<const report::Extras>(extras);
  const auto report = test::written(made, directory.path() / "r.cubex");
  const auto rows = longer_in_groups(report, CauseGroups(report.definitions()));
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].longer.delay_costs == 5);
  CHECK(rows[0].call_path == 4);
  CHECK(rows[0].within == 4);
}
