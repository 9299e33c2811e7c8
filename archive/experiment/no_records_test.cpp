// SPDX-License-Identifier: BSD-3-Clause
// Hints for experiments without records.
#include "archive/experiment/no_records.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer;

TEST_CASE("an experiment without records names what it has instead") {
  const test::TemporaryDirectory temporary;
  const std::string directory = temporary.file("an experiment");
  std::filesystem::create_directory(directory);
  const auto make = [&](const char* name) { std::ofstream(directory + '/' + name) << "x"; };
  CHECK_THAT(hint_without_records(directory),
             Catch::StartsWith("name the directory of an experiment that is being recorded"));
  CHECK(hint_of_watched_run(directory).empty());
  CHECK(without_records(directory).what == directory + " is no experiment: it has no records");
  CHECK_FALSE(was_only_watched(directory));
  std::ofstream(directory + "/latecomer.cfg") << "# run 1-2\n# only watched\nexport A=b\n";
  CHECK(was_only_watched(directory));
  make("watch.json");
  CHECK(without_records(directory).what ==
        "the run in " + directory + " has ended: its records are not here any more");
  const std::string word = "'" + directory + "'";
  CHECK(hint_without_records(directory) ==
        "the run was only watched: watch.json has what was seen, latecomer profile " + word +
            " makes a report of it, and latecomer show " + word + " shows that");
  make("analysis.cubex");
  CHECK(hint_without_records(directory) ==
        "the run was only watched: watch.json has what was seen, and latecomer show " + word +
            " shows it");
  CHECK(hint_of_watched_run(directory) == hint_without_records(directory));
  make("traces.otf2");
  CHECK(hint_without_records(directory) ==
        "the run has ended and its trace is complete: latecomer show " + word +
            " tells where it waited");
  CHECK(hint_of_watched_run(directory).empty());
  std::filesystem::create_directory(directory + "/records");
  CHECK(without_records(directory).what == directory + "/records has no records");
}
