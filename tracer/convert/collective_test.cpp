// SPDX-License-Identifier: BSD-3-Clause
// collective_test DIRECTORY: an MPI program that does what the session does in MPI_Finalize.
#include <mpi.h>
#include <sys/resource.h>

#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>

#include "tests/convert/converted.hpp"
#include "tracer/convert/convert.hpp"
#include "tracer/exchange/mpi_group.hpp"

using namespace latecomer;
using namespace latecomer::test;
namespace fs = std::filesystem;

namespace {

int rank = 0, size = 0;
int failures = 0;

Status convert_all(convert::Destination where) {
  exchange::MpiGroup group(MPI_COMM_WORLD);
  where.comm = MPI_COMM_WORLD;
  return convert::convert_collectively(group, where);
}

void check(bool condition, const char* what) {
  if (condition) return;
  std::printf("rank %d of %d: FAILED: %s\n", rank, size, what);
  ++failures;
}

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Rank r has a region of its own and a common one, world, and a communicator of the even or odd
// ranks.
void record(const std::string& directory) {
  const auto me = static_cast<std::uint32_t>(rank);
  Experiment e(static_cast<std::uint32_t>(size), directory);
  auto& w = e.thread(me);
  e.add(me, record::RegionDefinition{4096, "user", "function", "own " + std::to_string(rank), "",
                                     "a.c", 1, 2});
  e.add(me, record::RegionDefinition{4097, "user", "function", "common", "", "a.c", 3, 4});
  if (rank != 0) {
    // Rank 1 is rank 0's neighbor; all others are measured against rank 1.
    const std::uint32_t parent = me == 1 ? 0 : 1;
    sync::Measurement m{0, me, parent, parent, 4, false, {}};
    m.found.offset = 1000 * static_cast<std::int64_t>(me - parent);
    m.found.round_trip = 100;
    e.add(me, record::ClockDefinition{"monotonic", 0, 0, 1.0, me});
    e.add(me, m);
  }
  std::vector<std::uint32_t> members;
  for (std::uint32_t other = me % 2; other < e.size(); other += 2) members.push_back(other);
  e.add(me, record::CommDefinition{
                2, "intra", me % 2, 2, 0, me < 2 ? members : std::vector<std::uint32_t>{}, {}});
  w.program_begin(10);
  w.enter(4096, 20);
  w.enter(4097, 30);
  w.collective_begin(30);
  w.collective_end({2, 0, record::kRootNone, 0, 0}, 40);
  w.leave(4097, 50);
  w.leave(4096, 60 + me);
  w.program_end(100);
  e.finish();
}

void check_archive(const std::string& directory) {
  const ReadArchive archive = read_archive(directory);
  const auto count = static_cast<std::size_t>(size);
  check(archive.opened && archive.errors.empty(), "the archive can be read");
  check(archive.locations.size() == count, "one location per process");
  // There are world, self, and even and odd. With two or fewer processes each of the last two has
  // one member, and both become one communicator like self.
  check(archive.comms.size() == (count < 3 ? 3 : 4), "communicators");
  check(archive.regions.size() == 3 + count + 1, "regions");
  check(archive.begin == 10 && archive.length == 90 + 1000 * (count - 1), "the time line");
  check(archive.process_properties.size() == 2 * count - 1, "clocks and measurements");
  check((count > 1) == archive.properties.contains("LATECOMER::CLOCKS::MIN_LATENCIES"), "latency");
  check(archive.properties.at("OTF2::MPI_COMMUNICATION_COMPLETE") == "true", "complete");
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t offset = 1000 * i;
    const ReadLocation& d = archive.location(i);
    check(d.events.size() == 8 && d.stated_events == 8, "the number of events");
    check(d.events.at(1) == std::to_string(offset + 20) + " Enter own " + std::to_string(i),
          "the first enter");
    check(d.events.at(6) == std::to_string(offset + 60 + i) + " Leave own " + std::to_string(i),
          "the last leave");
  }
}

// One process makes the same archive of the same records.
void check_repair(const std::string& directory) {
  const std::string copy = directory + ".copy";
  fs::create_directory(copy);
  fs::copy(directory + "/records", copy + "/records");
  check(convert::repair(copy).ok(), "repair");
  check(content(copy + "/traces.def") == content(directory + "/traces.def"), "equal definitions");
  for (int i = 0; i < size; ++i) {
    for (const char* kind : {".evt", ".def"}) {
      const std::string name = "/traces/" + std::to_string(i) + kind;
      check(content(copy + name) == content(directory + name), "equal files of locations");
    }
  }
}

// All processes have the same problem, which names `what`, and only records are left.
void check_problem(const Status& status, const std::string& directory, const std::string& what) {
  check(!status.ok(), "it is a problem");
  const std::string mine = status.ok() ? "" : status.problem().text();
  check(mine.find(what) != std::string::npos, mine.c_str());
  check(exchange::MpiGroup(MPI_COMM_WORLD).broadcast_text(mine) == mine,
        "the same on all processes");
  check(fs::exists(directory + "/records/" + std::to_string(rank) + ".0.rec"), "records are kept");
  MPI_Barrier(MPI_COMM_WORLD);
  check(!fs::exists(directory + "/traces.otf2") && !fs::exists(directory + "/traces.def"),
        "no archive");
}

// Files of one process cannot grow.
Status convert_without_room(const std::string& directory, int where) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit none{0, before.rlim_max};
  if (rank == where) setrlimit(RLIMIT_FSIZE, &none);
  const Status status = convert_all({directory});
  setrlimit(RLIMIT_FSIZE, &before);
  return status;
}

void test_conversion(const std::string& base) {
  const std::string directory = base + "/good";
  record(directory);
  check(convert_all({directory}).ok(), "conversion");
  if (rank == 0) check_archive(directory);
  if (rank == 0) check_repair(directory);
}

void test_no_room(const std::string& base) {
  for (const int where : size > 1 ? std::vector{0, size - 1} : std::vector{0}) {
    const std::string directory = base + "/full" + std::to_string(where);
    record(directory);
    check_problem(convert_without_room(directory, where), directory,
                  "traces/" + std::to_string(where) + ".evt: File is too large");
    MPI_Barrier(MPI_COMM_WORLD);
    check(convert_all({directory}).ok(), "with room again");
    if (rank == 0) check_archive(directory);
  }
}

void test_no_directory(const std::string& base) {
  const std::string directory = base + "/blocked";
  record(directory);
  if (rank == 0) fs::create_directory(directory + "/traces");
  check_problem(convert_all({directory}), directory, "blocked/traces: File does already exist");
}

void test_missing_process(const std::string& base) {
  const std::string directory = base + "/missing";
  record(directory);
  if (rank == size - 1) fs::remove(directory + "/records/" + std::to_string(rank) + ".0.rec");
  check(convert_all({directory}).ok(), "what is there counts");
  if (rank != 0) return;
  const ReadArchive archive = read_archive(directory);
  check(archive.errors.empty(), "the partial archive can be read");
  check(archive.properties.at("LATECOMER::PARTIAL") == "true", "partial");
  check(archive.locations.back().events.empty(), "an empty location");
}

// Even ranks have one directory, odd ranks another one. Both get the same definitions, and the same
// as one process makes of all records.
void test_parts(const std::string& base) {
  const std::string first = base + "/even", second = size > 1 ? base + "/odd" : first;
  const bool odd = rank % 2 == 1;
  record(odd ? second : first);
  const convert::Destination where{odd ? second : first, odd ? 1 : 0, size > 1 ? 2 : 1};
  if (size > 1) {
    if (rank == 1) fs::create_directory(second + "/traces");
    check_problem(convert_all(where), where.directory, "odd/traces: File exists");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  check(convert_all(where).ok(), "conversion into parts");
  if (rank != 0) return;
  const std::string whole = base + "/whole";
  fs::create_directory(whole);
  for (const std::string& part : {first, second}) {
    fs::copy(part + "/records", whole + "/records",
             fs::copy_options::recursive | fs::copy_options::skip_existing);
  }
  check(convert::repair(whole).ok(), "repair of all records");
  for (const std::string& part : {first, second}) {
    check(content(part + "/traces.def") == content(whole + "/traces.def"), "the definitions");
    for (const char* name : {"/traces.otf2", "/MANIFEST.md"}) {
      check(!content(part + name).empty() && content(part + name) == content(first + name),
            "equal copies");
    }
    const ReadArchive archive = read_archive(part);
    check(archive.opened, "the part can be read");
    check(archive.properties.at("LATECOMER::PARTIAL") == (size > 1 ? "true" : "false"), "partial");
    check(archive.properties.contains("LATECOMER::PARTS") == (size > 1), "a part");
  }
  for (int i = 0; i < size; ++i) {
    for (const char* kind : {".evt", ".def"}) {
      const std::string name = "/traces/" + std::to_string(i) + kind;
      check(content((i % 2 == 1 ? second : first) + name) == content(whole + name), "own files");
      check(size == 1 || !fs::exists((i % 2 == 1 ? first : second) + name), "no others");
    }
  }
}

void test_texts() {
  const auto text_of = [](int i) {
    return std::string(static_cast<std::size_t>(i * 37 % 100), static_cast<char>('a' + i));
  };
  for (const std::size_t round : {std::size_t{1}, std::size_t{64}, exchange::kRoundBytes}) {
    exchange::MpiGroup group(MPI_COMM_WORLD, round);
    const auto all = group.gather_texts(text_of(rank));
    check(all.size() == (rank == 0 ? static_cast<std::size_t>(size) : 0), "texts on rank 0");
    for (std::size_t i = 0; i < all.size(); ++i) {
      check(all[i] == text_of(static_cast<int>(i)), "gathered text");
    }
    check(group.scatter_texts(all) == text_of(rank), "scattered text");
    const std::string word = rank == 0 ? "abcdefgh" : "";
    check(group.broadcast_text(word) == "abcdefgh", "broadcast text");
  }
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (argc != 2) return 2;
  const std::string base = argv[1];
  const std::vector<std::function<void()>> tests = {test_texts,
                                                    [&] { test_conversion(base); },
                                                    [&] { test_no_room(base); },
                                                    [&] { test_no_directory(base); },
                                                    [&] { test_missing_process(base); },
                                                    [&] { test_parts(base); }};
  for (const auto& test : tests) {
    test();
    MPI_Barrier(MPI_COMM_WORLD);
  }
  int all = 0;
  MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return all == 0 ? 0 : 1;
}
