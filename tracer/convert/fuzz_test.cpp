// SPDX-License-Identifier: BSD-3-Clause
// Damaged records and logs, with fixed seeds: every result can be read, and its regions nest.
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/convert/converted.hpp"
#include "tracer/record/reader.hpp"

using namespace latecomer;
using namespace latecomer::test;
namespace fs = std::filesystem;

namespace {

using Random = std::mt19937_64;

std::uint64_t below(Random& random, std::uint64_t limit) { return random() % limit; }

std::string content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// Two processes do one of each operation.
void play(Experiment& e) {
  for (std::uint32_t rank = 0; rank < 2; ++rank) {
    auto& w = e.thread(rank);
    e.add(rank, record::CommDefinition{
                    2,
                    "intra",
                    0,
                    2,
                    0,
                    rank == 0 ? std::vector<std::uint32_t>{0, 1} : std::vector<std::uint32_t>{},
                    {}});
    e.add(rank, record::RegionDefinition{4096, "user", "function", "f", "", "f.c", 1, 2});
    w.program_begin(1);
    for (std::uint64_t i = 1; i < 60; ++i) {
      const std::uint64_t t = 100 * i;
      w.enter(4096, t);
      w.send({2, 1, 3, i}, t + 1);
      w.irecv_request(i, t + 2);
      w.isend({0, 1, 3, i}, i, t + 3);
      w.isend_complete(i, t + 4);
      w.irecv({0, 1, 3, i}, i, t + 5);
      w.collective_begin(t + 6);
      w.comm_create(2, t + 6);
      w.collective_end({0, 17, record::kRootNone, 0, 0}, t + 7);
      w.nonblocking_request(i, t + 8);
      w.nonblocking_complete({2, 1, 0, i, i}, i, t + 9);
      const std::uint64_t team = 4096 | i << 32;
      const std::uint64_t begun[] = {team, i % 2};
      w.extended(record::kFork, t + 9, {&team, 1});
      w.extended(record::kTeamBegun, t + 9, begun);
      w.extended(record::kLockAcquired, t + 9, {&team, 1});
      if (i % 3 != 0) w.extended(record::kTeamArrived, t + 9, {&team, 1});
      if (i % 2 == 1) w.leave(4096, t + 10);
      const record::TeamPart part{4096, 4096, static_cast<std::uint32_t>(i), 2};
      w.team_begun(part, t + 10, t + 10);
      if (i % 4 != 0) w.team_arrived(part, t + 10);
      w.team_left(part, t + 10);
      w.lock_wanted(4096, 4096, 1, static_cast<std::uint32_t>(i), t + 10);
      w.lock_acquired(4096, 4096, 1, static_cast<std::uint32_t>(i), t + 10);
      if (i % 5 != 0) w.lock_released(4096, 4096, 1, static_cast<std::uint32_t>(i), t + 10);
      w.lock_left(4096, 1, t + 10);
      w.measurement(i % 2 == 0, t + 10);
      w.extended({record::Family::kMadeUp, 0x80}, t + 10, std::vector<std::uint64_t>(i % 16, 4096));
      w.leave(4096, t + 11);
    }
    w.program_end(10'000);
  }
  e.finish();
}

void damage(std::string& bytes, Random& random, std::size_t from) {
  switch (below(random, 4)) {
    case 0:  // bits
      for (std::uint64_t i = 0; i <= below(random, 8); ++i) {
        bytes[from + below(random, bytes.size() - from)] ^=
            static_cast<char>(1U << below(random, 8));
      }
      break;
    case 1:  // a word
      for (std::size_t i = from + below(random, bytes.size() - from), end = i + 8;
           i < end && i < bytes.size(); ++i) {
        bytes[i] = static_cast<char>(random());
      }
      break;
    case 2:  // a hole of zeros
      for (std::size_t i = from + below(random, bytes.size() - from), end = i + 512;
           i < end && i < bytes.size(); ++i) {
        bytes[i] = 0;
      }
      break;
    default:
      bytes.resize(below(random, bytes.size()));
  }
}

void check_location(const ReadLocation& d) {
  CHECK(d.events.size() == d.stated_events);
  std::vector<std::string> open;
  std::uint64_t last = 0;
  bool sound = true;
  for (const std::string& event : d.events) {
    const auto space = event.find(' ');
    const std::uint64_t time = std::stoull(event.substr(0, space));
    sound = sound && time >= last && event.find("undefined") == std::string::npos;
    last = time;
    if (event.compare(space, 7, " Enter ") == 0) {
      open.push_back(event.substr(space + 7));
    } else if (event.compare(space, 7, " Leave ") == 0) {
      sound = sound && !open.empty() && open.back() == event.substr(space + 7);
      if (!open.empty()) open.pop_back();
    }
  }
  CHECK(sound);
  CHECK(open.empty());
}

// The repair ends with a problem or a sound archive.
void check_repair(const Experiment& e) {
  fs::remove(e.path() + "/traces.otf2");
  const auto report = convert::repair(e.path());
  if (!report) {
    CHECK_FALSE(report.problem().what.empty());
    return;
  }
  const ReadArchive archive = read_archive(e.path());
  CHECK(archive.opened);
  CHECK(archive.errors.empty());
  for (const ReadLocation& d : archive.locations) check_location(d);
}

}  // namespace

TEST_CASE("damaged record files") {
  Experiment e(2);
  play(e);
  const std::string whole = content(e.record_file(0));
  const auto seed = GENERATE(range(0, 120));
  Random random(static_cast<std::uint64_t>(seed));
  std::string bytes = whole;
  damage(bytes, random, seed % 4 == 0 ? 0 : 4096);
  write_file(e.record_file(0), bytes);
  INFO("seed " << seed);
  check_repair(e);
}

TEST_CASE("damaged logs") {
  Experiment e(2);
  play(e);
  const auto seed = GENERATE(range(0, 120));
  Random random(static_cast<std::uint64_t>(seed));
  std::string bytes = content(e.log_file(0));
  damage(bytes, random, 0);
  write_file(e.log_file(0), bytes);
  INFO("seed " << seed);
  check_repair(e);
}

TEST_CASE("records of random words behind a good head") {
  Experiment e(1);
  e.thread(0).program_begin(1);
  e.finish();
  const std::string head = content(e.record_file(0)).substr(0, record::kHeaderBytes + 16);
  const auto seed = GENERATE(range(0, 100));
  Random random(static_cast<std::uint64_t>(seed));
  std::string bytes = head;
  for (int i = 0; i < 500; ++i) {
    // Most kinds exist, and most ids are plausible.
    std::uint64_t word = random();
    if (i % 3 != 0) word = word % 22 | (word >> 8 & 0xfff) << 6 | (word & 0xff) << 24;
    bytes.append(reinterpret_cast<const char*>(&word), sizeof word);
  }
  write_file(e.record_file(0), bytes);
  INFO("seed " << seed);
  check_repair(e);
}

TEST_CASE("the reader of records ends on any bytes") {
  const auto seed = GENERATE(range(0, 100));
  Random random(static_cast<std::uint64_t>(seed));
  std::vector<std::byte> bytes(4096 + below(random, 20'000));
  for (auto& byte : bytes) byte = static_cast<std::byte>(random());
  record::FileHeader header;
  header.chunk_bytes = static_cast<std::uint32_t>(8 * (16 + below(random, 600)));
  header.sealed = below(random, 12);
  header.live = below(random, 2) == 0 ? header.sealed : random();
  std::memcpy(bytes.data(), &header, sizeof header);
  auto reader = record::RecordReader::over(bytes);
  REQUIRE(reader.ok());
  std::size_t count = 0;
  for (record::Record r; reader->next(r);) ++count;
  CHECK(count <= bytes.size() / 8);
}
