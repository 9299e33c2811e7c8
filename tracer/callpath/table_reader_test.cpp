// SPDX-License-Identifier: BSD-3-Clause
// Numbers and pointers in the encodings of DWARF.
#include "tracer/callpath/table_reader.hpp"

#include <catch2/catch.hpp>
#include <vector>

using latecomer::callpath::TableReader;

namespace {

using Encoded = std::vector<std::uint8_t>;

TableReader reader_of(const Encoded& bytes) { return {std::as_bytes(std::span(bytes)), 0}; }

}  // namespace

TEST_CASE("numbers of variable length (DWARF 5, figures 22 and 23)") {
  const auto check = [](const Encoded& bytes, std::uint64_t value, std::int64_t signed_value) {
    TableReader first = reader_of(bytes), second = first;
    CHECK(first.unsigned_leb() == value);
    CHECK(second.signed_leb() == signed_value);
    CHECK(first.ok());
    CHECK(first.at_end());
  };
  check({2}, 2, 2);
  check({0x7e}, 126, -2);
  check({127 + 0x80, 0}, 127, 127);
  check({1 + 0x80, 0x7f}, 1 + (127 << 7), -127);
  check({0 + 0x80, 1}, 128, 128);
  check({0 + 0x80, 0x7f}, 127 << 7, -128);
  check({57 + 0x80, 100}, 12857, -3527);
  check(Encoded{0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01}, ~std::uint64_t{0}, -1);
  check({0x81, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0}, 1, 1);  // padded
}

TEST_CASE("pointers are absolute, or relative to their place or to the index") {
  const auto pointer = [](const Encoded& bytes, std::uint8_t encoding, bool relative = false) {
    TableReader reader = reader_of(bytes);
    const std::uintptr_t base = relative ? reader.address() : 0;
    const std::uintptr_t value = reader.pointer(encoding, 0x5000) - base;
    CHECK(reader.ok());
    CHECK(reader.at_end());
    return value;
  };
  CHECK(pointer({1, 2, 3, 4, 5, 6, 7, 8}, 0x00) == 0x0807060504030201);
  CHECK(pointer({0x80, 1}, 0x01) == 128);
  CHECK(pointer({0xfe, 0xff}, 0x02) == 0xfffe);
  CHECK(pointer({0xfe, 0xff, 0xff, 0xff}, 0x03) == 0xfffffffe);
  CHECK(pointer({1, 2, 3, 4, 5, 6, 7, 8}, 0x04) == 0x0807060504030201);
  CHECK(pointer({0x7e}, 0x09) == ~std::uintptr_t{1});
  CHECK(pointer({0xfe, 0xff}, 0x0a) == ~std::uintptr_t{1});
  CHECK(pointer({0xfe, 0xff, 0xff, 0xff}, 0x0b) == ~std::uintptr_t{1});
  CHECK(pointer({1, 2, 3, 4, 5, 6, 7, 8}, 0x0c) == 0x0807060504030201);
  CHECK(pointer({0xfe, 0xff, 0xff, 0xff}, 0x1b, true) == ~std::uintptr_t{1});
  CHECK(pointer({0xfe, 0xff, 0xff, 0xff}, 0x3b) == 0x4ffe);
}

TEST_CASE("reads beyond the end and unknown encodings fail") {
  for (const std::uint8_t encoding : {0x05, 0x0f, 0x2b, 0x4b, 0x50, 0x9b, 0xff}) {
    const Encoded bytes(8, 1);
    TableReader reader = reader_of(bytes);
    static_cast<void>(reader.pointer(encoding, 0));
    CHECK_FALSE(reader.ok());
    CHECK(reader.at_end());
  }
  const Encoded bytes = {0x80, 0x80, 0x80};
  TableReader reader = reader_of(bytes);
  CHECK(reader.fixed<std::uint32_t>() == 0);
  CHECK_FALSE(reader.ok());
  reader = reader_of(bytes);
  CHECK(reader.unsigned_leb() == 0);
  CHECK_FALSE(reader.ok());
  CHECK(reader.byte() == 0);
  reader = reader_of(bytes);
  reader.skip(3);
  CHECK(reader.ok());
  CHECK(reader.at_end());
  reader.skip(~std::uint64_t{0});
  CHECK_FALSE(reader.ok());
  CHECK_FALSE(TableReader(std::as_bytes(std::span(bytes)), 4).ok());
  CHECK_FALSE(reader_of(bytes).part(4).ok());
}

TEST_CASE("a part has an end of its own") {
  const Encoded bytes = {1, 2, 3, 4};
  TableReader reader = reader_of(bytes);
  TableReader part = reader.part(2);
  CHECK(part.byte() == 1);
  CHECK(part.byte() == 2);
  CHECK(part.ok());
  CHECK(part.byte() == 0);
  CHECK_FALSE(part.ok());
  CHECK(reader.byte() == 3);
  CHECK(reader.position() == 3);
}
