// SPDX-License-Identifier: BSD-3-Clause
// Operations on files outside MPI become OTF2's I/O records.
#include <array>
#include <catch2/catch.hpp>
#include <cstring>
#include <string>

#include "tests/convert/converted.hpp"
#include "tracer/functions/file_functions.hpp"
#include "tracer/record/extended.hpp"

using namespace latecomer;
using namespace latecomer::test;
using record::FileFunction;

namespace {

void describe(record::ThreadWriter& w, record::FileDescription about, const std::string& name) {
  about.name_bytes = static_cast<std::uint32_t>(name.size());
  std::array<std::uint64_t, record::kMostExtendedWords> words{first_word(about),
                                                              second_word(about)};
  const std::size_t first = std::min(name.size(), record::kMostNameBytes);
  std::memcpy(&words[2], name.data(), first);
  w.extended(record::kFileDescribed, w.last_time(), {words.data(), 2 + (first + 7) / 8});
  for (std::size_t from = first; from < name.size();) {
    const std::size_t bytes = std::min(name.size() - from, record::kMostMoreBytes);
    words = {about.id | std::uint64_t{from} << 32};
    std::memcpy(&words[1], &name[from], bytes);
    w.extended(record::kFileName, w.last_time(), {words.data(), 1 + (bytes + 7) / 8});
    from += bytes;
  }
}
void one(record::ThreadWriter& w, record::ExtendedKind kind, std::uint64_t time, std::uint64_t id) {
  w.extended(kind, time, {&id, 1});
}
void operate(record::ThreadWriter& w, FileFunction function, std::uint64_t begin, std::uint64_t end,
             std::uint64_t id, std::uint64_t mode, std::uint64_t asked, std::uint64_t got) {
  w.enter(region_of(function), begin);
  const std::array<std::uint64_t, 3> words = {id | mode << 32, asked, got};
  w.extended(record::kFileOperated, end, words);
  w.leave(region_of(function), end);
}

}  // namespace

TEST_CASE("a call on a file has an operation from its enter to its leave") {
  Experiment e(1);
  auto& w = e.thread(0);
  w.enter(mpi("MPI_Init"), 1);
  w.leave(mpi("MPI_Init"), 2);
  w.enter(region_of(FileFunction::kOpen), 10);
  describe(w, {.id = 1, .mode = 1, .creation = 3, .status = 2, .descriptor = 4}, "/tmp/out");
  one(w, record::kFileCreated, 12, 1);
  w.leave(region_of(FileFunction::kOpen), 12);
  operate(w, FileFunction::kWrite, 20, 25, 1, 1, 100, 60);
  operate(w, FileFunction::kFsync, 30, 35, 1, 2, 0, 0);
  w.enter(region_of(FileFunction::kLseek), 40);
  const std::array<std::uint64_t, 3> seek = {1 | std::uint64_t{1} << 32, ~std::uint64_t{4}, 55};
  w.extended(record::kFileSought, 41, seek);
  w.leave(region_of(FileFunction::kLseek), 41);
  w.enter(region_of(FileFunction::kClose), 50);
  one(w, record::kFileDestroyed, 51, 1);
  w.leave(region_of(FileFunction::kClose), 51);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  const auto& events = c.archive.location(0).events;
  const Lines found(events.begin() + 2, events.end());
  CHECK(found == Lines{"10 Enter open", "12 IoCreateHandle 0 mode 1 creation 3 status 2",
                       "12 Leave open", "20 Enter write",
                       "20 IoOperationBegin 0 mode 1 flags 0 bytes 100 request 0",
                       "25 IoOperationComplete 0 bytes 60 request 0", "25 Leave write",
                       "30 Enter fsync", "30 IoOperationBegin 0 mode 2 flags 0 bytes 0 request 0",
                       "35 IoOperationComplete 0 bytes 0 request 0", "35 Leave fsync",
                       "40 Enter lseek", "41 IoSeek 0 by -5 from 1 to 55", "41 Leave lseek",
                       "50 Enter close", "51 IoDestroyHandle 0", "51 Leave close"});
}

TEST_CASE("processes share files and handles, and names may be long") {
  const std::string name = "/tmp/" + std::string(900, 'n');
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    auto& w = e.thread(rank);
    // The ids of the processes differ.
    describe(w, {.id = 1 + rank, .descriptor = 3}, name);
    describe(w, {.id = 2 - rank, .descriptor = 4, .is_stream = true}, name);
    describe(w, {.id = 3, .mode = 1, .descriptor = 1, .is_stream = true, .was_open = true},
             rank == 0 ? "stdout" : "pipe");
    operate(w, FileFunction::kRead, 5, 6, 1 + rank, 0, 1, 1);
    operate(w, FileFunction::kFread, 7, 8, 2 - rank, 0, 1, 1);
    operate(w, FileFunction::kPuts, 9, 10, 3, 1, 1, 1);
  }
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "0");
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    const auto& events = c.archive.location(rank).events;
    CHECK(std::ranges::count(events, "5 IoOperationBegin 0 mode 0 flags 0 bytes 1 request 0") == 1);
    CHECK(std::ranges::count(events, "7 IoOperationBegin 1 mode 0 flags 0 bytes 1 request 0") == 1);
    const std::string handle = rank == 0 ? "2" : "3";
    CHECK(std::ranges::count(
              events, "9 IoOperationBegin " + handle + " mode 1 flags 0 bytes 1 request 0") == 1);
  }
}

TEST_CASE("damaged records of files are counted and left out") {
  Experiment e(1);
  auto& w = e.thread(0);
  w.enter(mpi("MPI_Init"), 1);
  describe(w, {.id = 1}, "/tmp/out");
  describe(w, {.id = 0x70000000}, "/tmp/no");  // no process has so many
  one(w, record::kFileCreated, 2, 9);          // not described
  one(w, record::kFileOperated, 3, 1);         // too short
  const std::array<std::uint64_t, 3> mode = {1 | std::uint64_t{99} << 32, 0, 0};
  w.extended(record::kFileOperated, 4, mode);
  w.extended(record::kFileSought, 5, mode);
  w.extended({record::Family::kFiles, 99}, 6, mode);  // a kind of a later release
  w.extended(record::kFileDestroyed, 7, {});
  const std::array<std::uint64_t, 2> beyond = {1 | std::uint64_t{0xffffff} << 32, 5};
  w.extended(record::kFileName, 8, beyond);
  const std::uint64_t alone = 1;
  w.extended(record::kFileDescribed, 8, {&alone, 1});
  w.leave(mpi("MPI_Init"), 9);
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.errors.empty());
  CHECK(c.archive.location(0).events == Lines{"1 Enter MPI_Init", "9 Leave MPI_Init"});
  CHECK(c.archive.properties.at("LATECOMER::RECORDS_MENDED") == "6");
}

TEST_CASE("numbers of calls without a record are added up") {
  Experiment e(2);
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    e.thread(rank).enter(mpi("MPI_Init"), 1);
    e.add(rank, record::Property{"file_calls_in_memory", "30"});
    e.add(rank, record::Property{"file_calls_left_out", rank == 0 ? "1" : "2"});
  }
  e.finish();
  const Converted c = converted(e);
  CHECK(c.archive.properties.at("LATECOMER::FILE_CALLS_IN_MEMORY") == "60");
  CHECK(c.archive.properties.at("LATECOMER::FILE_CALLS_LEFT_OUT") == "3");
}
