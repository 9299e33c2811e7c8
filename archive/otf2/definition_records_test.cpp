// SPDX-License-Identifier: BSD-3-Clause
// Files of definitions that the OTF2 library must not read, because it would not end or would take
// unlimited memory.
#include "archive/otf2/definition_records.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/support/temporary_directory.hpp"

using latecomer::otf2::definitions_are_whole;
using latecomer::otf2::DefinitionsOf;
using namespace std::string_literals;

namespace {

constexpr std::size_t kChunk = 64;

std::string header(char order) { return "\x03"s + order + std::string(16, '\0'); }
std::string record(std::size_t size) {
  return "\x0a"s + static_cast<char>(size) + std::string(size, 'x');
}
const std::string kEnd = "\x02\x01"s;
const std::string kChunkEnd(1, '\0');

bool are_whole(const std::string& bytes, DefinitionsOf what = DefinitionsOf::kAll) {
  latecomer::test::TemporaryDirectory directory;
  const std::string file = directory.file("traces.def");
  std::ofstream(file, std::ios::binary) << bytes;
  return definitions_are_whole(file, what, kChunk);
}

}  // namespace

TEST_CASE("a file that is longer than any memory is read up to its damage") {
  latecomer::test::TemporaryDirectory directory;
  const std::string file = directory.file("traces.def");
  std::ofstream(file, std::ios::binary) << header('B') << record(5);
  std::filesystem::resize_file(file, std::uintmax_t{1} << 40);
  CHECK_FALSE(definitions_are_whole(file, DefinitionsOf::kAll, kChunk));
}

TEST_CASE("records that lead to the mark of the end") {
  const std::string begin = header('B');
  CHECK(are_whole(begin + kEnd));
  CHECK(are_whole(begin + record(5) + record(0) + kEnd));
  // The chunk has 18 bytes of header, records of 22 and 23, and a mark: 64.
  const std::string first = begin + record(20) + record(21) + kChunkEnd;
  REQUIRE(first.size() == kChunk);
  CHECK(are_whole(first + begin + record(3) + kEnd));
  // The length has eight bytes, in both byte orders.
  CHECK(are_whole(begin + "\x0a\xff"s + "\x03"s + std::string(7, '\0') + "xyz" + kEnd));
  CHECK(are_whole(header('#') + "\x0a\xff"s + std::string(7, '\0') + "\x03xyz" + kEnd));
}

TEST_CASE("records that do not") {
  const std::string begin = header('B');
  CHECK_FALSE(definitions_are_whole("/no/such/file", DefinitionsOf::kAll, kChunk));
  CHECK_FALSE(are_whole(""));
  CHECK_FALSE(are_whole(begin));
  CHECK_FALSE(are_whole(begin + record(5)));
  CHECK_FALSE(are_whole(begin + record(5) + "\x02"));
  CHECK_FALSE(are_whole(begin + record(5) + kChunkEnd + record(5) + kEnd));  // no further chunk
  CHECK_FALSE(are_whole(begin + "\x0a\x30" + kEnd));                         // beyond the file
  CHECK_FALSE(are_whole(begin + "\x0a\xff"s + std::string(8, '\xff') + kEnd));
  CHECK_FALSE(are_whole(begin + record(5) + "\x04" + kEnd));  // not a record of definitions
  // A record that exceeds its chunk.
  CHECK_FALSE(are_whole(begin + record(20) + record(30) + begin + kEnd));
}

TEST_CASE("a count of elements is believed up to the bytes of the record") {
  const std::string begin = header('B');
  const auto with_type = [](char type, const std::string& fields) {
    return std::string(1, type) + static_cast<char>(fields.size()) + fields;
  };
  // The record is as OTF2 3.0.2 writes it: group 7, name 8, kind, count, members 1, 300, 70000,
  // further kinds. The count "undefined" is 2^32 - 1 for the library, which asked for 34 GB.
  const auto group = [&](const std::string& count) {
    return with_type('\x12', "\x01\x07\x01\x08\x04" + count +
                                 "\x01\x01\x02\x2c\x01\x03\x70\x11\x01\x05\x04\x00"s);
  };
  CHECK(are_whole(begin + group("\x01\x03") + kEnd));
  CHECK(are_whole(begin + group("\x00"s) + kEnd));
  CHECK_FALSE(are_whole(begin + group("\xff") + kEnd));
  CHECK_FALSE(are_whole(begin + group("\x04\xff\xff\xff\x7f") + kEnd));
  CHECK_FALSE(are_whole(begin + group("\x01\x0d") + kEnd));  // 12 bytes follow
  // 00 01 is 256 in files that begin with the last byte of a number, 1 in others.
  CHECK_FALSE(are_whole(begin + group("\x02\x00\x01"s) + kEnd));
  CHECK(are_whole(header('#') + group("\x02\x00\x01"s) + kEnd));
  CHECK_FALSE(are_whole(header('#') + group("\x02\x01\x00"s) + kEnd));
  constexpr auto kLocal = DefinitionsOf::kOneLocation;
  // A mapping table of regions has the count, dense, and three numbers.
  const auto table = [&](const std::string& count) {
    return with_type('\x05', "\x03" + count + "\x00\x01\x01\x02\x2c\x01\x03\x70\x11\x01"s);
  };
  CHECK(are_whole(begin + table("\x01\x03") + kEnd, kLocal));
  CHECK_FALSE(are_whole(begin + table("\xff") + kEnd, kLocal));
  CHECK_FALSE(are_whole(begin + table("\x04\x01\x01\x01\x01") + kEnd, kLocal));
  // In the definitions of all locations such a record is about the clock: 2,100,000,891 ticks per
  // second.
  const auto clock = with_type('\x05', "\x04\x7b\x78\x2b\x7d\x01\x05\x01\x06\xff");
  CHECK(are_whole(begin + clock + kEnd));
  CHECK_FALSE(are_whole(begin + clock + kEnd, kLocal));
  // These records end before their count, or lack bytes of the count.
  CHECK(are_whole(begin + with_type('\x12', "\x01") + kEnd, kLocal));
  CHECK(are_whole(begin + with_type('\x05', "") + kEnd, kLocal));
  CHECK_FALSE(are_whole(begin + with_type('\x05', "\x03\x04\x01") + kEnd, kLocal));
}
