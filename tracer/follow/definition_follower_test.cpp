// SPDX-License-Identifier: BSD-3-Clause
// Lines of a log that another thread writes; cut, damaged and long ones.
#include "tracer/follow/definition_follower.hpp"

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/definition_log.hpp"

using namespace latecomer::follow;
using namespace latecomer::record;
using latecomer::test::TemporaryDirectory;

TEST_CASE("each definition is delivered once, when its line is whole") {
  const TemporaryDirectory directory;
  DefinitionLog log;
  log.append(to_line(ProcessDefinition{3, 8, 0}));
  REQUIRE(log.move_to(directory.file("3.def")) == 0);
  auto follower = DefinitionFollower::open(directory.file("3.def"));
  REQUIRE(follower);
  auto batch = follower->poll();
  CHECK(batch.lines == 1);
  CHECK(batch.definitions.process.size == 8);
  CHECK(follower->poll().lines == 0);
  log.append(to_line(CommName{5, "tab\tand\nline"}));
  log.append(to_line(CommName{6, "b"}));
  batch = follower->poll();
  REQUIRE(batch.definitions.comm_names.size() == 2);
  CHECK(batch.definitions.comm_names[0].name == "tab\tand\nline");
  log.append_last(end_line());
  log.close();
  CHECK(follower->poll().definitions.complete);
  CHECK(follower->poll().lines == 0);
}

TEST_CASE("a log of thousands of lines comes in bounded batches") {
  const TemporaryDirectory directory;
  DefinitionLog log;
  REQUIRE(log.move_to(directory.file("0.def")) == 0);
  auto follower = DefinitionFollower::open(directory.file("0.def"));
  REQUIRE(follower);
  constexpr std::uint32_t kLines = 30000;
  std::jthread owner([&log] {
    for (std::uint32_t i = 0; i < kLines; ++i)
      log.append(to_line(CommName{i, std::string(i % 50, 'x')}));
  });
  std::uint32_t seen = 0;
  while (seen < kLines) {
    const auto batch = follower->poll(1000);
    CHECK(batch.definitions.bad_lines.empty());
    REQUIRE(batch.lines < 200);
    for (const CommName& name : batch.definitions.comm_names) {
      REQUIRE(name.id == seen);
      REQUIRE(name.name == std::string(seen % 50, 'x'));
      ++seen;
    }
  }
  CHECK_FALSE(follower->poll().more);
}

TEST_CASE("a line longer than a batch is read as a whole") {
  const TemporaryDirectory directory;
  std::ofstream file(directory.file("a"));
  const std::string name(100000, 'n');
  file << "commname\t1\t" << name << "\nbad\ncommname\t2\tb" << std::flush;
  auto follower = DefinitionFollower::open(directory.file("a"));
  REQUIRE(follower);
  std::vector<CommName> names;
  std::size_t bad = 0;
  for (int i = 0; i < 5; ++i) {
    const auto batch = follower->poll(100);
    bad += batch.definitions.bad_lines.size();
    names.insert(names.end(), batch.definitions.comm_names.begin(),
                 batch.definitions.comm_names.end());
  }
  REQUIRE(names.size() == 1);  // the last line has no newline
  CHECK(names[0].name == name);
  CHECK(bad == 1);
}

TEST_CASE("garbage and missing files are values") {
  const TemporaryDirectory directory;
  CHECK_FALSE(DefinitionFollower::open(directory.file("missing")));
  std::mt19937 random(3);
  for (int round = 0; round < 50; ++round) {
    std::string text(random() % 5000, ' ');
    for (char& c : text) c = static_cast<char>(random() % 20 == 0 ? '\n' : 1 + random() % 255);
    std::ofstream(directory.file("a")) << text;
    auto follower = DefinitionFollower::open(directory.file("a"));
    REQUIRE(follower);
    std::size_t lines = 0;
    for (bool more = true; more;) {
      const auto batch = follower->poll(64);
      more = batch.more;
      lines += batch.lines;
    }
    CHECK(lines == static_cast<std::size_t>(std::ranges::count(text, '\n')));
  }
}
