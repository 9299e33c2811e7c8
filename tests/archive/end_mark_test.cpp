// SPDX-License-Identifier: BSD-3-Clause
// Files of definitions that the OTF2 library must not read: it would not end.
#include "archive/otf2/end_mark.hpp"

#include <catch2/catch.hpp>
#include <fstream>
#include <string>

#include "tests/record/temporary_directory.hpp"

using latecomer::otf2::definitions_lead_to_end;
using namespace std::string_literals;

namespace {

constexpr std::size_t kChunk = 64;

std::string header(char order) { return "\x03"s + order + std::string(16, '\0'); }
std::string record(std::size_t size) {
  return "\x0a"s + static_cast<char>(size) + std::string(size, 'x');
}
const std::string kEnd = "\x02\x01"s;
const std::string kChunkEnd(1, '\0');

bool leads_to_end(const std::string& bytes) {
  latecomer::test::TemporaryDirectory directory;
  const std::string file = directory.file("traces.def");
  std::ofstream(file, std::ios::binary) << bytes;
  return definitions_lead_to_end(file, kChunk);
}

}  // namespace

TEST_CASE("records that lead to the mark of the end") {
  const std::string begin = header('B');
  CHECK(leads_to_end(begin + kEnd));
  CHECK(leads_to_end(begin + record(5) + record(0) + kEnd));
  // 18 bytes of header, records of 22 and 23, a mark: 64.
  const std::string first = begin + record(20) + record(21) + kChunkEnd;
  REQUIRE(first.size() == kChunk);
  CHECK(leads_to_end(first + begin + record(3) + kEnd));
  // A length of eight bytes, in both byte orders.
  CHECK(leads_to_end(begin + "\x0a\xff"s + "\x03"s + std::string(7, '\0') + "xyz" + kEnd));
  CHECK(leads_to_end(header('#') + "\x0a\xff"s + std::string(7, '\0') + "\x03xyz" + kEnd));
}

TEST_CASE("records that do not") {
  const std::string begin = header('B');
  CHECK_FALSE(definitions_lead_to_end("/no/such/file", kChunk));
  CHECK_FALSE(leads_to_end(""));
  CHECK_FALSE(leads_to_end(begin));
  CHECK_FALSE(leads_to_end(begin + record(5)));
  CHECK_FALSE(leads_to_end(begin + record(5) + "\x02"));
  CHECK_FALSE(leads_to_end(begin + record(5) + kChunkEnd + record(5) + kEnd));  // no further chunk
  CHECK_FALSE(leads_to_end(begin + "\x0a\x30" + kEnd));                         // beyond the file
  CHECK_FALSE(leads_to_end(begin + "\x0a\xff"s + std::string(8, '\xff') + kEnd));
  CHECK_FALSE(leads_to_end(begin + record(5) + "\x04" + kEnd));  // no record of definitions
  // A record over the end of its chunk.
  CHECK_FALSE(leads_to_end(begin + record(20) + record(30) + begin + kEnd));
}
