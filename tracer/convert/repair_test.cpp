// SPDX-License-Identifier: BSD-3-Clause
// Remains of killed runs: unfinished, missing, cut and foreign files, and no room for the archive.
#include "tracer/convert/repair.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "tests/convert/converted.hpp"

// OTF2 does not free everything after an unsuccessful write.
#ifdef LATECOMER_SANITIZED
extern "C" const char* __lsan_default_suppressions() { return "leak:otf2_\n"; }
#endif

using namespace latecomer;
using namespace latecomer::test;
namespace fs = std::filesystem;

namespace {

using Ranks = std::vector<std::uint32_t>;

void barrier(record::ThreadWriter& w, std::uint64_t begin, std::uint64_t end) {
  w.enter(mpi("MPI_Barrier"), begin);
  w.collective_begin(begin);
  w.collective_end({0, 0, record::kRootNone, 0, 0}, end);
  w.leave(mpi("MPI_Barrier"), end);
}

bool has_archive(const Experiment& e) {
  return fs::exists(e.path() + "/traces.otf2") || fs::exists(e.path() + "/traces.def") ||
         fs::exists(e.path() + "/traces");
}

}  // namespace

TEST_CASE("what a killed process was in stays open") {
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    auto& w = e.thread(rank);
    w.program_begin(1);
    barrier(w, 2, 5);
    w.enter(mpi("MPI_Allreduce"), 7 + rank);
    w.collective_begin(7 + rank);
  }
  e.stop();
  const Converted c = converted(e);
  CHECK(c.archive.location(1).events ==
        Lines{"1 ProgramBegin /bin/app -x 7", "2 Enter MPI_Barrier", "2 MpiCollectiveBegin",
              "5 MpiCollectiveEnd 0 MPI_COMM_WORLD root -1 bytes 0 0", "5 Leave MPI_Barrier",
              "8 Enter MPI_Allreduce"});
  CHECK(c.report.unfinished == Ranks{0, 1});
  CHECK(c.report.missing.empty());
  CHECK_FALSE(c.report.partial());
  CHECK(c.archive.properties.at("LATECOMER::UNFINISHED") == "2");
  CHECK(c.archive.properties.at("LATECOMER::PARTIAL") == "false");
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_LOST") == "0");
  CHECK(c.archive.properties.at("OTF2::MPI_COMMUNICATION_COMPLETE") == "false");
}

TEST_CASE("processes without files have empty locations") {
  Experiment e(4);
  barrier(e.thread(1), 2, 5);
  barrier(e.thread(2), 3, 5);
  e.finish();
  fs::remove(e.record_file(2));
  const Converted c = converted(e);
  CHECK(c.report.processes == 4);
  CHECK(c.report.missing == Ranks{0, 2, 3});
  CHECK(c.report.unfinished.empty());
  CHECK(c.report.partial());
  CHECK(c.report.locations == 1);
  CHECK(c.archive.errors.empty());
  REQUIRE(c.archive.locations.size() == 4);
  CHECK(c.archive.location(1).events.size() == 4);
  CHECK(c.archive.location(3).events.empty());
  CHECK(c.archive.processes.size() == 4);
  CHECK(c.archive.groups[0] == "0: locations 0 1 2 3");
  CHECK(c.archive.properties.at("LATECOMER::PARTIAL") == "true");
  CHECK(c.archive.begin == 2);
}

TEST_CASE("a part of a run is repaired on its own and says so") {
  Experiment e(3);
  barrier(e.thread(1), 2, 5);
  e.add(1, record::Property{"parts", "2"});
  e.finish();
  const Converted c = converted(e);
  CHECK(c.report.parts == 2);
  CHECK(c.report.missing == Ranks{0, 2});
  CHECK(c.archive.properties.at("LATECOMER::PARTIAL") == "true");
  CHECK(c.archive.properties.at("LATECOMER::PARTS") == "2");
  CHECK(c.archive.location(1).events.size() == 4);
  // The part can be repaired again while there are records.
  CHECK_FALSE(convert::repair(e.path())->already_complete);
  fs::remove_all(e.path() + "/records");
  CHECK(convert::repair(e.path())->already_complete);
}

TEST_CASE("records without a log: nobody knows the time") {
  Experiment e(2);
  barrier(e.thread(0), 2, 5);
  barrier(e.thread(1), 3, 5);
  e.stop();
  fs::remove(e.log_file(1));
  const Converted c = converted(e);
  CHECK(c.report.missing == Ranks{1});
  CHECK(c.report.notes.size() == 2);
  CHECK(c.archive.location(0).events.size() == 4);
  CHECK(c.archive.location(1).events.empty());
}

TEST_CASE("a log that breaks off before the clock: the node's clock counts") {
  Experiment e(2);
  barrier(e.thread(0), 2, 5);
  barrier(e.thread(1), 3, 5);
  e.stop();
  const std::string whole = [&] {
    std::ifstream in(e.log_file(1));
    return std::string{std::istreambuf_iterator<char>(in), {}};
  }();
  write_file(e.log_file(1), whole.substr(0, whole.find("clock")) + std::string(500, '\0'));
  const Converted c = converted(e);
  CHECK(c.report.missing.empty());
  CHECK(c.archive.location(1).events.front() == "3 Enter MPI_Barrier");
  // The definition of world is after the break, so the barrier itself is left out.
  CHECK(c.archive.location(1).events.size() == 2);
}

TEST_CASE("logs that contradict the others are outvoted") {
  Experiment e(3);
  for (std::uint32_t rank = 0; rank < 3; ++rank) barrier(e.thread(rank), 1, 2);
  e.add(2, record::ProcessDefinition{2, 4'000'000'000, 0});
  e.finish();
  CHECK(converted(e).report.processes == 3);
}

TEST_CASE("a record file that is cut loses nothing before the cut") {
  // The file has 16 bytes of time, then records of 24 (send), 32 (isend) and 8 bytes (completion of
  // the last request), since no message is repeated.
  constexpr std::size_t kRounds = 4;
  Experiment e(1);
  auto& w = e.thread(0);
  std::vector<std::size_t> ends;
  std::size_t end = 4096 + 16;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    w.send({0, 0, 1, i}, 10 * i + 1);
    ends.push_back(end += 24);
    w.isend({0, 0, 2, i}, i, 10 * i + 2);
    ends.push_back(end += 32);
    w.isend_complete(i, 10 * i + 3);
    ends.push_back(end += 8);
  }
  e.stop();
  const Lines all = converted(e).archive.location(0).events;
  REQUIRE(all.size() == ends.size());
  std::vector<std::byte> whole = read_file(e.record_file(0));
  REQUIRE(whole.size() >= end);
  for (std::size_t cut = 4090; cut <= end; ++cut) {
    fs::resize_file(e.record_file(0), cut);
    const auto expected = static_cast<std::ptrdiff_t>(
        std::count_if(ends.begin(), ends.end(), [cut](std::size_t last) { return last <= cut; }));
    fs::remove_all(e.path() + "/traces");
    fs::remove(e.path() + "/traces.otf2");
    const Converted c = converted(e);
    CHECK(c.archive.location(0).events == Lines(all.begin(), all.begin() + expected));
    CHECK(c.archive.errors.empty());
    CHECK((cut >= 4096) == c.report.missing.empty());
    write_file(e.record_file(0),
               std::string(reinterpret_cast<const char*>(whole.data()), whole.size()));
  }
}

TEST_CASE("a file of many chunks that is cut says so") {
  Experiment e(1);
  auto& w = e.thread(0);
  for (std::uint64_t i = 1; i <= 2000; ++i) w.send({0, 0, 1, i}, i);
  e.stop();
  const auto size = fs::file_size(e.record_file(0));
  const Lines all = converted(e).archive.location(0).events;
  REQUIRE(all.size() == 2000);
  fs::remove(e.path() + "/traces.otf2");
  fs::resize_file(e.record_file(0), size / 2 / 8 * 8);
  const Converted c = converted(e);
  CHECK(c.report.records_lost > 0);
  CHECK(c.report.partial());
  REQUIRE(c.report.notes.size() == 1);
  CHECK(c.report.notes[0].find("file ends") != std::string::npos);
  const Lines& some = c.archive.location(0).events;
  CHECK(some.size() > 900);
  CHECK(some.size() < 1100);
  CHECK(std::equal(some.begin(), some.begin() + 700, all.begin()));
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_LOST") != "0");
}

TEST_CASE("losses that the process knew of are in the archive") {
  Experiment e(1);
  barrier(e.thread(0), 1, 2);
  e.add(0, record::LostDefinition{"requests", 3});
  e.add(0, record::LostDefinition{"clamped times", 1});
  e.add_line(0, "nonsense\tline\n");
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.properties.at("LATECOMER::LOST::REQUESTS") == "3");
  CHECK(c.archive.properties.at("LATECOMER::LOST::DEFINITIONS") == "1");
  CHECK_FALSE(c.archive.properties.contains("LATECOMER::LOST::CLAMPED_TIMES"));
  CHECK(c.archive.properties.at("OTF2::MPI_COMMUNICATION_COMPLETE") == "false");
}

TEST_CASE("threads without a good file are counted") {
  Experiment e(1);
  barrier(e.thread(0), 1, 2);
  barrier(e.thread(0, 1), 1, 2);
  barrier(e.thread(0, 2), 1, 2);
  barrier(e.thread(0, 3), 1, 2);
  e.add(0, record::ThreadDefinition{4, "gone"});
  e.stop();
  fs::resize_file(e.record_file(0, 1), 0);  // never begun
  write_file(e.record_file(0, 2), std::string(5000, 'x'));
  const Converted c = converted(e);
  CHECK(c.report.records_lost == 2);
  CHECK(c.report.notes.size() == 3);
  CHECK(c.report.missing.empty());
  CHECK(c.archive.locations.size() == 2);
}

TEST_CASE("records of a thread that could make no file are counted by the log") {
  Experiment e(1);
  barrier(e.thread(0), 1, 2);
  e.add(0, record::LostDefinition{"records", 41});
  e.finish();
  CHECK(converted(e).report.records_lost == 41);
}

TEST_CASE("records of another release are refused") {
  Experiment e(1);
  barrier(e.thread(0), 1, 2);
  e.add(0, record::Property{convert::kMpiTableProperty, "3-12345"});
  e.finish();
  const auto result = convert::repair(e.path());
  REQUIRE_FALSE(result.ok());
  CHECK(result.problem().what.find("rank 0 were made by another release") != std::string::npos);
  CHECK_FALSE(has_archive(e));
}

TEST_CASE("a complete archive is left alone, one that lacks processes is made again") {
  Experiment e(2);
  barrier(e.thread(0), 1, 2);
  barrier(e.thread(1), 1, 2);
  e.finish();
  fs::rename(e.record_file(1), e.path() + "/elsewhere");
  CHECK(converted(e).report.missing == Ranks{1});
  fs::rename(e.path() + "/elsewhere", e.record_file(1));
  const Converted again = converted(e);
  CHECK(again.report.missing.empty());
  CHECK(again.archive.location(1).events.size() == 4);
  const Converted third = converted(e);
  CHECK(third.report.already_complete);
  CHECK(third.archive.location(1).events.size() == 4);
}

TEST_CASE("the rest of an archive that was not completed is replaced") {
  Experiment e(1);
  barrier(e.thread(0), 1, 2);
  e.finish();
  fs::create_directory(e.path() + "/traces");
  write_file(e.path() + "/traces/0.evt", "half");
  write_file(e.path() + "/traces/7.evt", "of a longer run");
  write_file(e.path() + "/traces.otf2", "");
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.location(0).events.size() == 4);
  CHECK_FALSE(fs::exists(e.path() + "/traces/7.evt"));
  CHECK(fs::exists(e.path() + "/MANIFEST.md"));
}

TEST_CASE("what an archive has lost since is named, and what it still has is kept") {
  Experiment e(2);
  barrier(e.thread(0), 1, 2);
  barrier(e.thread(1), 1, 2);
  e.finish();
  CHECK(converted(e).archive.location(1).events.size() == 4);
  CHECK(convert::repair(e.path())->lost_files.empty());
  const std::string events = e.path() + "/traces/1.evt";
  const auto whole = fs::file_size(events);
  const auto check_lost = [&] {
    fs::resize_file(events, whole / 2);
    fs::remove(e.path() + "/traces/0.evt");
    const auto cut = convert::repair(e.path());
    REQUIRE(cut.ok());
    CHECK(cut->already_complete);
    CHECK(cut->lost_files == std::vector<std::string>{"traces/0.evt", "traces/1.evt"});
    CHECK(fs::file_size(events) == whole / 2);
  };
  check_lost();
  // An archive that was moved away is made again from its records.
  for (const char* part : {"/traces.otf2", "/traces.def", "/traces"}) {
    fs::remove_all(e.path() + part);
  }
  CHECK_FALSE(converted(e).report.already_complete);
  CHECK(fs::file_size(events) == whole);
  fs::remove_all(e.path() + "/records");
  check_lost();
  fs::resize_file(e.path() + "/traces.def", 100);
  CHECK(convert::repair(e.path())->lost_files == std::vector<std::string>{"traces.def"});
}

TEST_CASE("nothing to repair") {
  const TemporaryDirectory empty;
  const auto missing = convert::repair(empty.file("none"));
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.problem().what.find("none/records: No such file or directory") !=
        std::string::npos);
  fs::create_directory(empty.file("records"));
  write_file(empty.file("records/notes.txt"), "x");
  write_file(empty.file("records/a.0.rec"), "x");
  const auto none = convert::repair(empty.file(""));
  REQUIRE_FALSE(none.ok());
  CHECK(none.problem().what.find("no records of any process") != std::string::npos);
  CHECK_FALSE(none.problem().next.empty());
}

TEST_CASE("the records of a run that is still going are left alone") {
  Experiment e(1);
  e.thread(0).program_begin(1);
  e.stop();
  int ready[2], done[2];
  REQUIRE((pipe(ready) == 0 && pipe(done) == 0));
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // keeps the file mapped until the parent has looked
    const int file = open(e.record_file(0).c_str(), O_RDWR);
    void* const memory = mmap(nullptr, 1, PROT_READ, MAP_SHARED, file, 0);
    char byte = memory == MAP_FAILED ? 'n' : 'y';
    static_cast<void>(write(ready[1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1);
    _exit(0);
  }
  char mapped = 'n';
  REQUIRE(read(ready[0], &mapped, 1) == 1);
  const auto result = convert::repair(e.path());
  REQUIRE(write(done[1], "x", 1) == 1);
  waitpid(child, nullptr, 0);
  CHECK(mapped == 'y');
  REQUIRE_FALSE(result.ok());
  CHECK(result.problem().what.find("still going: process " + std::to_string(child)) !=
        std::string::npos);
  CHECK_FALSE(has_archive(e));
  CHECK(convert::repair(e.path()).ok());
}

TEST_CASE("processes that are about to end are waited for") {
  Experiment e(1);
  e.thread(0).program_begin(1);
  e.stop();
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const int file = open(e.record_file(0).c_str(), O_RDWR);
    void* const memory = mmap(nullptr, 1, PROT_READ, MAP_SHARED, file, 0);
    const char byte = memory == MAP_FAILED ? 'n' : 'y';
    static_cast<void>(write(ready[1], &byte, 1));
    usleep(300'000);
    _exit(0);
  }
  char mapped = 'n';
  REQUIRE(read(ready[0], &mapped, 1) == 1);
  CHECK(mapped == 'y');
  CHECK(convert::repair(e.path()).ok());
  waitpid(child, nullptr, 0);
}

TEST_CASE("an archive that the processes make before they end is kept") {
  Experiment e(1), other(1);
  for (Experiment* one : {&e, &other}) one->thread(0).program_begin(1);
  e.stop();
  other.finish();
  REQUIRE(convert::repair(other.path()).ok());
  int ready[2];
  REQUIRE(pipe(ready) == 0);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {  // a process in MPI_Finalize: its log is mapped until the archive is there
    const int file = open(e.record_file(0).c_str(), O_RDWR);
    void* const memory = mmap(nullptr, 1, PROT_READ, MAP_SHARED, file, 0);
    const char byte = memory == MAP_FAILED ? 'n' : 'y';
    static_cast<void>(write(ready[1], &byte, 1));
    usleep(300'000);
    std::error_code error;
    for (const char* name : {"/traces", "/traces.def", "/traces.otf2"}) {
      fs::rename(other.path() + name, e.path() + name, error);
    }
    _exit(0);
  }
  char mapped = 'n';
  REQUIRE(read(ready[0], &mapped, 1) == 1);
  CHECK(mapped == 'y');
  const auto result = convert::repair(e.path());
  waitpid(child, nullptr, 0);
  REQUIRE(result.ok());
  CHECK(result->already_complete);
  CHECK(fs::exists(e.record_file(0)));
}

TEST_CASE("two repairs at a time: one is refused") {
  Experiment e(1);
  e.thread(0).program_begin(1);
  e.stop();
  const int folder = open((e.path() + "/records").c_str(), O_RDONLY | O_DIRECTORY);
  REQUIRE(flock(folder, LOCK_EX | LOCK_NB) == 0);
  const auto refused = convert::repair(e.path());
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.problem().what.find("another latecomer-repair") != std::string::npos);
  CHECK_FALSE(has_archive(e));
  close(folder);
  CHECK(convert::repair(e.path()).ok());
}

TEST_CASE("without room for the archive there is one problem, and the records stay") {
  Experiment e(1);
  auto& w = e.thread(0);
  for (std::uint64_t i = 0; i < 400'000; ++i) w.send({0, 0, 1, i}, 10 * i);
  e.finish();
  const auto records = fs::file_size(e.record_file(0));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  // The events have 8 MB, twice the part of a file that OTF2 keeps in memory. The definitions have
  // less than 2 kB, the anchor and the manifest 500 bytes.
  const rlim_t limit = GENERATE(1'000'000, 1000, 100, 0);
  const rlimit small{limit, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto result = convert::repair(e.path());
  setrlimit(RLIMIT_FSIZE, &before);
  REQUIRE_FALSE(result.ok());
  INFO(result.problem().what);
  CHECK(result.problem().what.find("traces/0.evt: File is too large") != std::string::npos);
  CHECK_FALSE(has_archive(e));
  CHECK(fs::file_size(e.record_file(0)) == records);
  CHECK(converted(e).archive.location(0).events.size() == 400'000);
}

TEST_CASE("an anchor that cannot be written is a problem, too") {
  // 12 events: the definitions of 700 bytes are the largest file except the anchor's.
  Experiment e(1);
  barrier(e.thread(0), 1, 2);
  e.finish();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlim_t limit = GENERATE(50, 300, 400);
  const rlimit small{limit, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  const auto result = convert::repair(e.path());
  setrlimit(RLIMIT_FSIZE, &before);
  CHECK_FALSE(result.ok());
  CHECK_FALSE(has_archive(e));
}
