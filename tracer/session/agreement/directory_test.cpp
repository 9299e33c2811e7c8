// SPDX-License-Identifier: BSD-3-Clause
// Experiment directories: made, refused, replaced, numbered; foreign files are never touched.
#include "tracer/session/agreement/directory.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/support/temporary_directory.hpp"

using namespace latecomer;
using namespace latecomer::session;
using latecomer::test::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

void touch(const fs::path& path) { std::ofstream(path) << "x"; }

std::string refusal(const Result<std::string>& result) {
  return result ? "" : result.problem().what;
}

}  // namespace

TEST_CASE("a new directory is made with its parents and a place for records") {
  const TemporaryDirectory t;
  const auto made = make_experiment_directory(t.file("a/b/exp/"), {Existing::kRefuse});
  REQUIRE(made.ok());
  CHECK(made.value() == t.file("a/b/exp"));
  CHECK(fs::is_directory(t.file("a/b/exp/records")));
}

TEST_CASE("relative names become absolute") {
  const TemporaryDirectory t;
  const fs::path before = fs::current_path();
  fs::current_path(t.file(""));
  const auto made = make_experiment_directory("exp", {Existing::kRefuse});
  fs::current_path(before);
  REQUIRE(made.ok());
  CHECK(fs::path(made.value()).is_absolute());
  CHECK(fs::is_directory(t.file("exp/records")));
}

TEST_CASE("an existing experiment is refused, replaced or passed by") {
  const TemporaryDirectory t;
  REQUIRE(make_experiment_directory(t.file("exp"), {Existing::kRefuse}).ok());
  touch(t.file("exp/traces.otf2"));
  touch(t.file("exp/scan.log"));
  touch(t.file("exp/records/0.0.rec"));
  CHECK(refusal(make_experiment_directory(t.file("exp"), {Existing::kRefuse})) ==
        "experiment directory " + t.file("exp") + " exists already");
  const auto second = make_experiment_directory(t.file("exp"), {Existing::kNextNumber});
  REQUIRE(second.ok());
  CHECK(second.value() == t.file("exp_2"));
  CHECK(make_experiment_directory(t.file("exp"), {Existing::kNextNumber}).value() ==
        t.file("exp_3"));
  CHECK(fs::exists(t.file("exp/traces.otf2")));
  REQUIRE(make_experiment_directory(t.file("exp"), {Existing::kOverwrite}).ok());
  CHECK_FALSE(fs::exists(t.file("exp/traces.otf2")));
  CHECK(fs::is_empty(t.file("exp/records")));
  CHECK(fs::exists(t.file("exp/scan.log")));
}

TEST_CASE("a directory with scan's log only is taken") {
  const TemporaryDirectory t;
  fs::create_directory(t.file("exp"));
  touch(t.file("exp/scan.log"));
  CHECK(make_experiment_directory(t.file("exp"), {Existing::kRefuse}).ok());
}

TEST_CASE("a directory with other files is never overwritten") {
  const TemporaryDirectory t;
  fs::create_directory(t.file("home"));
  touch(t.file("home/thesis.tex"));
  const auto existing = GENERATE(Existing::kRefuse, Existing::kOverwrite);
  CHECK(refusal(make_experiment_directory(t.file("home"), {existing})) ==
        t.file("home") + " exists and is not an experiment directory");
  touch(t.file("home/traces.otf2"));
  CHECK_FALSE(make_experiment_directory(t.file("home"), {existing}).ok());
  CHECK(fs::exists(t.file("home/thesis.tex")));
}

TEST_CASE("a place where nothing can be made is named with the reason and the next step") {
  const TemporaryDirectory t;
  touch(t.file("file"));
  const auto made = make_experiment_directory(t.file("file/exp"), {Existing::kRefuse});
  REQUIRE_FALSE(made.ok());
  CHECK(made.problem().what ==
        "cannot create experiment directory " + t.file("file/exp") + ": Not a directory");
  CHECK(made.problem().next.find("LATECOMER_EXPERIMENT_DIRECTORY") != std::string::npos);
  CHECK(refusal(make_experiment_directory("/proc/exp", {Existing::kRefuse}))
            .starts_with("cannot create experiment directory /proc/exp: "));
}

TEST_CASE("a number behind a name is the first that is free") {
  const TemporaryDirectory t;
  const std::string name = t.file("exp");
  CHECK(free_number(name, {Existing::kNextNumber}, 0) == 0);
  for (const int taken : {0, 2, 4}) {
    REQUIRE(make_experiment_directory(with_number(name, taken), {Existing::kRefuse}).ok());
  }
  CHECK(free_number(name, {Existing::kNextNumber}, 0) == 3);
  CHECK(free_number(name, {Existing::kNextNumber}, 4) == 5);
  CHECK(free_number(name, {Existing::kRefuse}, 4) == 4);
  CHECK(with_number(name, 0) == name);
  CHECK(with_number(name, 3) == name + "_3");
}

TEST_CASE("programs of one run of scan have experiments of their own") {
  const TemporaryDirectory t;
  const std::string name = t.file("exp");
  const auto make = [&](Existing existing, const std::string& run) {
    return fs::path(make_experiment_directory(name, {existing, run}).value()).filename();
  };
  // Two programs ran on an earlier day.
  CHECK(make(Existing::kRefuse, "monday") == "exp");
  CHECK(make(Existing::kRefuse, "monday") == "exp_2");
  CHECK_FALSE(make_experiment_directory(name, {Existing::kRefuse, "tuesday"}).ok());
  CHECK_FALSE(make_experiment_directory(name, {Existing::kRefuse}).ok());
  // Three programs replace these, but not each other's directories.
  touch(t.file("exp/traces.otf2"));
  touch(t.file("exp/watch.json.part"));  // of a watcher that was killed
  CHECK(make(Existing::kOverwrite, "tuesday") == "exp");
  CHECK_FALSE(fs::exists(t.file("exp/traces.otf2")));
  for (const std::string number : {"_2", "_3"}) {
    touch(t.file("exp/traces.otf2"));
    CHECK(make(Existing::kOverwrite, "tuesday") == "exp" + number);
    CHECK(fs::exists(t.file("exp/traces.otf2")));
  }
  // scan has prepared the directory, and left the identity of its run.
  fs::create_directory(t.file("prepared"));
  std::ofstream(t.file("prepared/latecomer.cfg")) << "# Settings\n# run wednesday\n";
  const Rules rules{Existing::kRefuse, "wednesday"};
  CHECK(make_experiment_directory(t.file("prepared"), rules).value() == t.file("prepared"));
  CHECK(make_experiment_directory(t.file("prepared"), rules).value() == t.file("prepared_2"));
}

TEST_CASE("a further program of a run takes nothing that is another run's") {
  const TemporaryDirectory t;
  const std::string name = t.file("exp");
  const auto make = [&](Existing existing, const std::string& run) {
    return fs::path(make_experiment_directory(name, {existing, run}).value()).filename();
  };
  const auto prepare = [&](const std::string& directory, const std::string& run) {
    fs::create_directory(t.file(directory));
    std::ofstream(t.file(directory + "/latecomer.cfg"))
        << "# Settings\n# run " << run << "\nexport A=1\n";
  };
  // exp_2 is an experiment that scan made for monday, exp_3 is one that it has prepared for
  // tuesday.
  prepare("exp_2", "monday");
  fs::create_directory(t.file("exp_2/records"));
  touch(t.file("exp_2/traces.otf2"));
  prepare("exp_3", "tuesday");
  const auto existing = GENERATE(Existing::kRefuse, Existing::kOverwrite);
  prepare("exp", "wednesday");
  CHECK(make(existing, "wednesday") == "exp");
  CHECK(make(existing, "wednesday") == "exp_4");
  CHECK(fs::exists(t.file("exp_2/traces.otf2")));
  CHECK_FALSE(fs::exists(t.file("exp_3/records")));
  // The processes have agreed on number 3, but numbers 3 and 4 are taken on this metahost.
  CHECK(free_number(name, {existing, "wednesday"}, 3) == 5);
}

TEST_CASE("who takes a directory leaves the settings that are there") {
  const TemporaryDirectory t;
  fs::create_directory(t.file("exp"));
  std::ofstream(t.file("exp/latecomer.cfg")) << "# run monday\nexport A=1\n";
  REQUIRE(make_experiment_directory(t.file("exp"), {Existing::kRefuse, "tuesday"}).ok());
  std::ifstream file(t.file("exp/latecomer.cfg"));
  const std::string text(std::istreambuf_iterator<char>(file), {});
  CHECK(text == "# run monday\nexport A=1\n# run tuesday\n");
}

TEST_CASE("a mark is seen by those who see the same directory") {
  const TemporaryDirectory t;
  REQUIRE(make_experiment_directory(t.file("exp"), {Existing::kRefuse}).ok());
  REQUIRE(make_experiment_directory(t.file("other"), {Existing::kRefuse}).ok());
  REQUIRE(leave_mark(t.file("exp"), 7, 0));
  CHECK(sees_mark(t.file("exp"), 7, 0));
  CHECK_FALSE(sees_mark(t.file("exp"), 8, 0));  // the mark of another run
  CHECK_FALSE(sees_mark(t.file("exp"), 7, 1));
  CHECK_FALSE(sees_mark(t.file("other"), 7, 0));
  CHECK_FALSE(leave_mark(t.file("nowhere"), 7, 0));
  CHECK(holds_experiment(t.file("exp")));
  remove_mark(t.file("exp"), 7, 0);
  CHECK(fs::is_empty(t.file("exp/records")));
}

TEST_CASE("a directory that is taken back leaves nothing but the files of others") {
  const TemporaryDirectory t;
  for (const char* name : {"exp", "with_log"}) {
    REQUIRE(make_experiment_directory(t.file(name), {Existing::kRefuse}).ok());
    REQUIRE(leave_mark(t.file(name), 7, 0));
  }
  touch(t.file("with_log/scan.log"));
  discard(t.file("exp"));
  discard(t.file("with_log"));
  CHECK_FALSE(fs::exists(t.file("exp")));
  CHECK(fs::exists(t.file("with_log/scan.log")));
  CHECK_FALSE(fs::exists(t.file("with_log/records")));
}

TEST_CASE("the default name says program and number of ranks") {
  CHECK(default_directory_name("heat", 4) == "latecomer_heat_4_trace");
}
