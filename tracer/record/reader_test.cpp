// SPDX-License-Identifier: BSD-3-Clause
// The reader accepts anything: garbage and cuts are values, never a crash, never an endless loop.
#include "tracer/record/reader.hpp"

#include <catch2/catch.hpp>
#include <random>

using namespace latecomer;
using namespace latecomer::record;

namespace {

// A file of words after a header, in chunks of 16 words. The live chunk comes first (empty unless
// given), then the sealed ones.
class FileBuilder {
 public:
  explicit FileBuilder(std::initializer_list<std::uint64_t> live = {}) {
    bytes_.resize(kHeaderBytes);
    words(live).words(std::vector<std::uint64_t>(16 - live.size()));
    set(header_.sealed);
  }
  FileBuilder& words(const std::vector<std::uint64_t>& words) {
    for (const std::uint64_t word : words) {
      const auto* raw = reinterpret_cast<const std::byte*>(&word);
      bytes_.insert(bytes_.end(), raw, raw + sizeof word);
    }
    return *this;
  }
  FileBuilder& fill_chunk() {
    while ((bytes_.size() - kHeaderBytes) % 128 != 0) bytes_.push_back(std::byte{0});
    return set(header_.sealed + 1);
  }
  FileBuilder& set(std::uint64_t sealed) { return set(sealed, sealed); }
  FileBuilder& set(std::uint64_t sealed, std::uint64_t live) {
    header_.chunk_bytes = 16 * 8;
    header_.sealed = sealed;
    header_.live = live;
    std::memcpy(bytes_.data(), &header_, sizeof header_);
    return *this;
  }
  std::vector<std::byte>& bytes() { return bytes_; }

 private:
  FileHeader header_;
  std::vector<std::byte> bytes_;
};

constexpr std::uint64_t head(Kind kind, std::uint64_t id, std::uint64_t distance) {
  return static_cast<std::uint64_t>(kind) | id << kKindBits | distance << kTimeShift;
}
constexpr std::uint64_t kTimeHead = head(Kind::kTime, 0, 0);

struct Read {
  std::vector<Record> records;
  std::vector<Damage> damages;
};

Read read(std::span<const std::byte> bytes) {
  auto reader = RecordReader::over(bytes);
  REQUIRE(reader.ok());
  Read all;
  for (Record r; reader->next(r);) all.records.push_back(r);
  all.damages = reader->damages();
  return all;
}

}  // namespace

TEST_CASE("what is not a record file is a problem") {
  CHECK_FALSE(RecordReader::over({}).ok());
  std::vector<std::byte> zeros(kHeaderBytes + 1000);
  CHECK_FALSE(RecordReader::over(zeros).ok());
  FileBuilder foreign;
  std::reverse(foreign.bytes().begin(), foreign.bytes().begin() + 8);
  const auto problem = RecordReader::over(foreign.bytes()).problem();
  CHECK(problem.what.find("byte order") != std::string::npos);
  FileBuilder version;
  version.bytes()[8] = std::byte{9};
  CHECK(RecordReader::over(version.bytes()).problem().what.find("version 9") != std::string::npos);
  FileBuilder chunk;
  chunk.bytes()[12] = std::byte{3};
  CHECK_FALSE(RecordReader::over(chunk.bytes()).ok());
}

TEST_CASE("chunks that were allocated and never used are no damage") {
  FileBuilder file;
  file.words({kTimeHead, 100, head(Kind::kEnter, 1, 5)}).fill_chunk();
  file.words({0}).fill_chunk();
  file.words({kTimeHead, 200, head(Kind::kLeave, 1, 5)}).fill_chunk();
  const auto all = read(file.bytes());
  REQUIRE(all.records.size() == 2);
  CHECK(all.records[0].ticks == 105);
  CHECK(all.records[1].ticks == 205);
  CHECK(all.damages.empty());
}

TEST_CASE("a damaged chunk is skipped, the next ones are read") {
  FileBuilder file;
  SECTION("unknown kind") {
    file.words({kTimeHead, 100, head(Kind::kEnter, 1, 5), 64, head(Kind::kEnter, 2, 1)});
  }
  SECTION("payload longer than the chunk") {
    file.words({kTimeHead, 100, head(Kind::kEnter, 1, 5)});
    for (int i = 0; i < 12; ++i) file.words({head(Kind::kCollectiveBegin, 0, 0)});
    file.words({head(Kind::kSend, 0, 0)});
  }
  file.fill_chunk();
  file.words({kTimeHead, 200, head(Kind::kLeave, 1, 5)}).fill_chunk();
  const auto all = read(file.bytes());
  CHECK(all.records.front().ticks == 105);
  CHECK(all.records.back().ticks == 205);
  CHECK(all.damages.size() == 1);
}

TEST_CASE("two records in a word, and the leave") {
  FileBuilder file;
  const Contents said{7, 40, 50};
  const unsigned slot = Repeats::slot_of(said);
  file.words({kTimeHead, 100, head(Kind::kSend, 7, 1), 40, 50});
  file.words({join(Kind::kSendAgain, slot, 4095, 16383, 16382) | kLeaves});
  file.words({join(Kind::kSendAgain, slot ^ 1, 1, 2, 3), head(Kind::kEnter, 5, 1)}).fill_chunk();
  const auto all = read(file.bytes());
  REQUIRE(all.records.size() == 5);
  // The times are 101 + 16383, + 16382, + 2.
  const auto is = [&](std::size_t i, Kind kind, std::uint64_t id, std::uint64_t ticks) {
    const Record& r = all.records[i];
    return r.kind == kind && r.id == id && r.ticks == ticks;
  };
  CHECK(is(1, Kind::kEnter, 4095, 16484));
  CHECK(is(2, Kind::kSend, 7, 32866));
  CHECK(all.records[2].bytes() == 50);
  CHECK(is(3, Kind::kLeave, 4095, 32866));
  // The record that the second word repeats is missing, but its enter is read.
  CHECK(is(4, Kind::kEnter, 1, 32868));
  CHECK(all.damages.size() == 1);
}

TEST_CASE("a chunk without its time is skipped") {
  FileBuilder file;
  file.words({head(Kind::kEnter, 1, 5)}).fill_chunk();
  file.words({kTimeHead, 200, head(Kind::kLeave, 1, 5)}).fill_chunk();
  const auto all = read(file.bytes());
  CHECK(all.records.size() == 1);
  REQUIRE(all.damages.size() == 1);
  CHECK(all.damages[0].offset == kHeaderBytes + 128);
}

TEST_CASE("time never decreases, not even between chunks") {
  FileBuilder file;
  file.words({kTimeHead, 300, head(Kind::kEnter, 1, 5)}).fill_chunk();
  file.words({kTimeHead, 200, head(Kind::kLeave, 1, 5)}).fill_chunk();
  const auto all = read(file.bytes());
  CHECK(all.records[1].ticks == 310);
  CHECK(all.damages.size() == 1);
}

TEST_CASE("a file that is cut anywhere gives a prefix of its records") {
  FileBuilder file;
  for (std::uint64_t chunk = 0; chunk < 3; ++chunk) {
    file.words({kTimeHead, 1000 * chunk});
    file.words({head(Kind::kSend, 1, 1), 2, 3, head(Kind::kWideId, 0, 0), 1 << 20,
                head(Kind::kNonblockingComplete, 0, 1), 1, 2, 3, 4});
    file.fill_chunk();
  }
  const auto whole = read(file.bytes());
  REQUIRE(whole.records.size() == 6);
  CHECK(whole.records[1].id == 1 << 20);
  for (std::size_t size = kHeaderBytes; size < file.bytes().size(); ++size) {
    const auto cut = read(std::span(file.bytes()).first(size));
    REQUIRE(cut.records.size() <= whole.records.size());
    for (std::size_t i = 0; i < cut.records.size(); ++i) {
      CHECK(cut.records[i].ticks == whole.records[i].ticks);
      CHECK(cut.records[i].id == whole.records[i].id);
    }
  }
}

TEST_CASE("the live chunk comes last") {
  FileBuilder file({kTimeHead, 300, head(Kind::kLeave, 1, 5)});
  file.words({kTimeHead, 200, head(Kind::kEnter, 1, 5)}).fill_chunk();
  const auto all = read(file.bytes());
  REQUIRE(all.records.size() == 2);
  CHECK(all.records[0].ticks == 205);
  CHECK(all.records[1].ticks == 305);
}

TEST_CASE("a live chunk that has been sealed and not begun anew is not read twice") {
  FileBuilder file({kTimeHead, 200, head(Kind::kEnter, 1, 5)});
  file.words({kTimeHead, 200, head(Kind::kEnter, 1, 5)}).fill_chunk().set(1, 0);
  CHECK(read(file.bytes()).records.size() == 1);
}

TEST_CASE("a copy that does not count yet is not read") {
  FileBuilder file({kTimeHead, 200, head(Kind::kEnter, 1, 5)});
  file.words({kTimeHead, 200, head(Kind::kEnter, 1, 5)}).fill_chunk().set(0);
  CHECK(read(file.bytes()).records.size() == 1);
}

TEST_CASE("more sealed chunks than the file holds are a damage, the live one is read") {
  FileBuilder file({kTimeHead, 300, head(Kind::kLeave, 1, 5)});
  file.words({kTimeHead, 200, head(Kind::kEnter, 1, 5)}).fill_chunk();
  file.set(GENERATE(2U, 1000U, ~std::uint64_t{0}));
  const auto all = read(file.bytes());
  CHECK(all.records.size() == 2);
  CHECK(all.damages.size() == 1);
}

TEST_CASE("a header with the largest number of chunks does not make the reader begin again") {
  FileBuilder file({kTimeHead, 7, head(Kind::kEnter, 3, 1)});
  file.set(UINT64_MAX);
  const auto [records, damages] = read(file.bytes());
  CHECK(damages.size() == 1);  // the sealed chunks are not there
  REQUIRE(records.size() == 1);
  CHECK(records.front().ticks == 8);
}

TEST_CASE("random bytes end") {
  std::mt19937_64 random(1);
  for (int round = 0; round < 200; ++round) {
    FileBuilder file;
    for (int i = 0; i < 200; ++i) {
      file.words({i % 16 == 0 ? kTimeHead : random() >> (random() % 64)});
    }
    file.set(12 + random() % 3, 12 + random() % 3);
    file.bytes().resize(file.bytes().size() - random() % 20);
    const auto all = read(file.bytes());
    CHECK(all.records.size() <= 3 * 200);
    for (const Record& r : all.records) {
      CHECK(r.kind > Kind::kTime);
      CHECK((r.kind < Kind::kAfterLast || r.kind == Kind::kExtended));
      CHECK(r.kind != Kind::kWideId);
    }
  }
}
