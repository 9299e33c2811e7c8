// SPDX-License-Identifier: BSD-3-Clause
// Places and headers of the members of a tar archive.
#include "analyzer/report/container/tar_layout.hpp"

#include <catch2/catch.hpp>

using namespace latecomer;
using namespace latecomer::report;

TEST_CASE("members of a tar archive") {
  TarLayout layout;
  CHECK(layout.add("a", "12345") == 512);
  CHECK(layout.add("b", std::uint64_t{513}) == 1536);
  CHECK(layout.file_size() == 1536 + 1024 + 1024);
  const auto& header = layout.pieces()[0].bytes;
  REQUIRE(header.size() == 512);
  CHECK(header.substr(124, 12) == std::string("00000000005\0", 12));
  CHECK(header.substr(257, 8) == std::string("ustar\0"
                                             "00",
                                             8));
  unsigned sum = 8 * ' ';
  for (std::size_t i = 0; i < 512; ++i) {
    if (i < 148 || i >= 156) sum += static_cast<unsigned char>(header[i]);
  }
  CHECK(std::stoul(header.substr(148, 6), nullptr, 8) == sum);
  CHECK(header.substr(154, 2) == std::string("\0 ", 2));
}

TEST_CASE("members of 8 GiB and more get a pax header") {
  TarLayout layout;
  const std::uint64_t largest = 0x1fffffffe;
  CHECK(layout.add("a", largest) == 512);
  CHECK(layout.pieces()[0].bytes.substr(124, 11) == "77777777776");
  const std::uint64_t next = 512 + (largest / 512 + 1) * 512;
  CHECK(layout.add("b", largest + 1) == next + 1536);
  const auto& pax = layout.pieces()[1];
  CHECK(pax.offset == next);
  REQUIRE(pax.bytes.size() == 1024);
  CHECK(pax.bytes.substr(0, 12) == std::string("PaxHeader/b\0", 12));
  CHECK(pax.bytes[156] == 'x');
  CHECK(pax.bytes.substr(124, 11) == "00000000023");
  CHECK(pax.bytes.substr(512, 19) == std::string("19 size=8589934591\n"));
  CHECK(layout.pieces()[2].offset == next + 1024);
}

TEST_CASE("no member is made of full blocks") {
  CHECK(never_full_blocks(std::string(512, 'x'), '\n').size() == 513);
  CHECK(never_full_blocks(std::string(511, 'x'), '\n').size() == 511);
}
