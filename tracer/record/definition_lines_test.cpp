// SPDX-License-Identifier: BSD-3-Clause
// Definitions survive the conversion to a line and back; logs survive kills, limits and garbage.
#include "tracer/record/definition_lines.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/definition_log.hpp"

using namespace latecomer::record;
using latecomer::test::read_file;
using latecomer::test::TemporaryDirectory;

namespace {

std::string text_of(const std::string& path) {
  const auto bytes = read_file(path);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

TEST_CASE("every definition comes back") {
  std::string text;
  text += to_line(ProcessDefinition{3, 8, 2});
  text += to_line(NodeDefinition{"boot-id.4026", "node17"});
  text += to_line(MetahostDefinition{-5, "Jülich"});
  text += to_line(ProgramDefinition{"/bin/a b", {"-n", "", "tab\there"}});
  const auto model = std::make_shared<const latecomer::sync::ClockModel>(
      latecomer::sync::parse_clock("drift=3ppm").value());
  text += to_line(ClockDefinition{"tsc", ~std::uint64_t{0}, 123456789, 0.1, 2, model});
  text += to_line(ThreadDefinition{1, "worker\n1"});
  text += to_line(AffinityDefinition{1, "0-3,8"});
  text += to_line(LocationDefinition{4, LocationKind::kMonitor, "power\t1", "GPU 0"});
  text += to_line(RegionDefinition{600, "user", "function", "f", "_Z1fv", "a\\b.c", 10, 20});
  text += to_line(ModuleDefinition{2, "/lib/lib x.so", "0a1b"});
  text += to_line(AddressDefinition{601, 2, 0xffffffffff});
  text += to_line(ConstructDefinition{602, "parallel", "!$omp\tparallel", 2, 0xffffffffff});
  text += to_line(FrameDefinition{1, 0, 2, 0xffffffffff, 0xfffffffff0, true});
  text += to_line(FrameDefinition{2, 1, 2, 17, 0});
  text += to_line(FrameFunction{2, 40, "f(int)", "_Z1fi", "/a b.cpp", 12});
  text += to_line(CommDefinition{0, "world", 0, 0, {}, {0, 1, 2}, {}});
  text += to_line(CommDefinition{4, "inter", 2, 1, 0, {2, 0}, {1}});
  text += to_line(CommDefinition{5, "intra", 1, 7, 4, {}, {}});
  text += to_line(CommName{4, "left|right"});
  text += to_line(NeighborsDefinition{5, {3, 0}});
  text += to_line(NeighborsDefinition{4, {}});
  text += to_line(WindowDefinition{1, 4, 2});
  text += to_line(WindowName{1, "a window"});
  text += to_line(FileDefinition{3, "/a\tfile"});
  text += to_line(FileHandleDefinition{7, 3, 4, 2, 1, 8, 256});
  text += to_line(GroupDefinition{0, {7, 1}});
  text +=
      to_line(latecomer::sync::parse_measurement("0 3 2 2 h inside 1000 -17 5 5 6 1 10 1").value());
  text += to_line(Property{"key", "value"});
  text += to_line(LostDefinition{"records", 1});
  text += to_line(LostDefinition{"records", 9});
  text += end_line();
  const Definitions all = parse_definitions(text);
  CHECK(all.bad_lines.empty());
  CHECK(all.process.rank == 3);
  CHECK(all.process.size == 8);
  CHECK(all.process.thread_level == 2);
  CHECK(all.node.identity == "boot-id.4026");
  CHECK(all.node.host == "node17");
  CHECK(all.metahost.id == -5);
  CHECK(all.metahost.name == "Jülich");
  CHECK(all.program.path == "/bin/a b");
  CHECK(all.program.arguments == std::vector<std::string>{"-n", "", "tab\there"});
  CHECK(all.clock.timer == "tsc");
  CHECK(all.clock.base_ticks == ~std::uint64_t{0});
  CHECK(all.clock.base_nanoseconds == 123456789);
  CHECK(all.clock.nanoseconds_per_tick == 0.1);  // exact: hexadecimal
  CHECK(all.modules.at(0).id == 2);
  CHECK(all.modules.at(0).path == "/lib/lib x.so");
  CHECK(all.modules.at(0).build_id == "0a1b");
  CHECK(all.addresses.at(0).region == 601);
  CHECK(all.addresses.at(0).module == 2);
  CHECK(all.addresses.at(0).offset == 0xffffffffff);
  REQUIRE(all.frames.size() == 2);
  CHECK(all.frames[0].parent == 0);
  CHECK(all.frames[0].place == 0xffffffffff);
  CHECK(all.frames[0].function == 0xfffffffff0);
  CHECK(all.frames[0].is_main);
  CHECK_FALSE(all.frames[1].is_main);
  CHECK(all.frames[1].id == 2);
  CHECK(all.frames[1].parent == 1);
  CHECK(all.frames[1].module == 2);
  REQUIRE(all.frame_functions.size() == 1);
  CHECK(all.frame_functions[0].frame == 2);
  CHECK(all.frame_functions[0].instance == 40);
  CHECK(all.frame_functions[0].name == "f(int)");
  CHECK(all.frame_functions[0].mangled == "_Z1fi");
  CHECK(all.frame_functions[0].file == "/a b.cpp");
  CHECK(all.frame_functions[0].line == 12);
  CHECK(all.threads.at(0).name == "worker\n1");
  CHECK(all.affinities.at(0).thread == 1);
  CHECK(all.affinities.at(0).cores == "0-3,8");
  REQUIRE(all.locations.size() == 1);
  CHECK(all.locations[0].number == 4);
  CHECK(all.locations[0].kind == LocationKind::kMonitor);
  CHECK(all.locations[0].name == "power\t1");
  CHECK(all.locations[0].device == "GPU 0");
  CHECK(all.regions.at(0).file == "a\\b.c");
  CHECK(all.regions.at(0).last_line == 20);
  CHECK(all.comms.at(0).members == std::vector<std::uint32_t>{0, 1, 2});
  CHECK_FALSE(all.comms.at(0).parent.has_value());
  CHECK(all.comms.at(1).parent == 0U);
  CHECK(all.comms.at(1).members == std::vector<std::uint32_t>{2, 0});
  CHECK(all.comms.at(1).remote == std::vector<std::uint32_t>{1});
  CHECK(all.comms.at(2).members.empty());
  CHECK(all.comm_names.at(0).name == "left|right");
  CHECK(all.neighbors.at(0).comm == 5);
  CHECK(all.neighbors.at(0).sources == std::vector<std::uint32_t>{3, 0});
  CHECK(all.neighbors.at(1).sources.empty());
  CHECK(all.windows.at(0).comm == 4);
  CHECK(all.windows.at(0).number == 2);
  CHECK(all.window_names.at(0).name == "a window");
  CHECK(all.files.at(0).id == 3);
  CHECK(all.files.at(0).name == "/a\tfile");
  const auto& handle = all.file_handles.at(0);
  CHECK(handle.id == 7);
  CHECK(handle.file == 3);
  CHECK(handle.comm == 4);
  CHECK(handle.number == 2);
  CHECK(handle.mode == 1);
  CHECK(handle.creation == 8);
  CHECK(handle.status == 256);
  CHECK(all.groups.at(0).members == std::vector<std::uint32_t>{7, 1});
  CHECK(all.clock.leader == 2);
  CHECK(all.clock.emulation->spec().drift == 3'000'000);
  CHECK(all.measurements.at(0).found.offset == -17);
  CHECK(all.properties.at(0).value == "value");
  REQUIRE(all.losses.size() == 1);
  CHECK(all.losses[0].count == 9);
  CHECK(all.complete);
}

TEST_CASE("ticks before the base are times before the base") {
  const ClockDefinition clock{"tsc", 1000, 500, 0.5};
  CHECK(clock.nanoseconds(1000) == 500);
  CHECK(clock.nanoseconds(1010) == 505);
  CHECK(clock.nanoseconds(990) == 495);
}

TEST_CASE("the length of a tick is kept to the last bit") {
  for (const double tick : {1.0, 0.38461538461538464, 1e-9, 333.3}) {
    ClockDefinition clock{"tsc", 1000, 500, tick, 0, nullptr};
    CHECK(parse_definitions(to_line(clock)).clock.nanoseconds_per_tick == tick);
  }
}

TEST_CASE("an emulated clock shows what its model says since the base") {
  // 1000 ticks of half a nanosecond after the base; the clock is 1000 ppm fast and 50 us ahead.
  const ClockDefinition clock{
      "tsc",
      1000,
      500,
      0.5,
      0,
      std::make_shared<const latecomer::sync::ClockModel>(
          latecomer::sync::parse_clock("offset=50us drift=1000ppm").value())};
  CHECK(clock.nanoseconds(1000) == 50'500);
  CHECK(clock.nanoseconds(21000) == 60'500 + 10);
}

TEST_CASE("lines that are not understood are listed, the others count") {
  const Definitions all = parse_definitions(
      "process\t1\t2\t0\nnonsense\nprocess\tx\t2\t0\nregion\t1\toffset\t1\t2\t3\n"
      "node\ta\n\ncomm\t1\tintra\t0\t0\t-\t1,"
      "x\nclock\ttsc\t0\t0\t0\t0\t-\nclock\ttsc\t0\t0\t1\t0\tx\nmeasured\t0 "
      "1\nthread\t1\tbad\\escape\nend\t");
  CHECK(all.process.rank == 1);
  CHECK(all.bad_lines.size() == 10);
  CHECK(all.bad_lines[0].number == 2);
  CHECK(all.bad_lines[0].text == "nonsense");
  CHECK_FALSE(all.complete);  // the last line has no newline
}

TEST_CASE("the log goes from memory to the file and grows") {
  const TemporaryDirectory directory;
  DefinitionLog log;
  log.append("first\n");
  REQUIRE(log.move_to(directory.file("def")) == 0);
  std::string expected = "first\n";
  for (int i = 0; i < 20000; ++i) {
    const std::string line = to_line(CommName{static_cast<std::uint32_t>(i), "name"});
    log.append(line);
    expected += line;
  }
  const std::string large = to_line(Property{"large", std::string(1 << 20, 'x')});
  log.append(large);
  expected += large;
  CHECK(text_of(directory.file("def")).substr(0, expected.size()) == expected);  // not closed yet
  log.append_last(end_line());
  log.close();
  CHECK(text_of(directory.file("def")) == expected + "end\n");
  CHECK(parse_definitions(text_of(directory.file("def"))).complete);
  CHECK(log.lost_lines() == 0);
}

TEST_CASE("clocks and measurements that are no numbers are lines that are not understood") {
  for (const char* word :
       {"nan", "0xnan", "0xinf", "0x-1p+0", "0x0p+0", "0x1p+99", "1,5", "0x1,8p+0"}) {
    const std::string number = word;
    INFO(number);
    const Definitions all = parse_definitions(
        "clock\ttsc\t0\t0\t" + number + "\t0\t-\nmeasured\t0 3 2 2 h inside " + number +
        " -17 5 5 6 1 10 1\nmeasured\t0 3 2 2 h inside 1000 " + number + " 5 5 6 1 10 1\n");
    CHECK(all.measurements.empty());
    CHECK(all.bad_lines.size() == 3);
  }
}

TEST_CASE("a log of a killed process ends with its last line") {
  const TemporaryDirectory directory;
  DefinitionLog log;
  REQUIRE(log.move_to(directory.file("def")) == 0);
  log.append(to_line(Property{"a", "b"}));
  const Definitions all = parse_definitions(text_of(directory.file("def")));  // zeros follow
  CHECK(all.properties.size() == 1);
  CHECK(all.bad_lines.empty());
}

TEST_CASE("a log without space counts what it loses and still takes its last lines") {
  const TemporaryDirectory directory;
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{100000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    DefinitionLog log;
    if (log.move_to(directory.file("def")) != 0) _exit(10);
    for (int i = 0; i < 10000; ++i) log.append(to_line(Property{"some name", "some value"}));
    if (log.lost_lines() == 0) _exit(11);
    log.append_last(to_line(LostDefinition{"definitions", log.lost_lines()}));
    log.append_last(end_line());
    log.close();
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  REQUIRE(WIFEXITED(status));
  REQUIRE(WEXITSTATUS(status) == 0);
  const Definitions all = parse_definitions(text_of(directory.file("def")));
  CHECK(all.bad_lines.empty());
  CHECK(all.complete);
  CHECK(all.properties.size() + all.losses.at(0).count == 10000);
}
