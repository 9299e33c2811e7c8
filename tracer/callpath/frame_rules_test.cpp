// SPDX-License-Identifier: BSD-3-Clause
// Synthetic tables of call frame information, and damaged ones.
#include "tracer/callpath/frame_rules.hpp"

#include <gnu/libc-version.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "tracer/callpath/frame_expression.hpp"

namespace latecomer::callpath::frame_rules_test {

namespace {

using Bytes = std::vector<std::uint8_t>;
using Kind = RegisterRule::Kind;

// Functions of 0x100 bytes, one every 0x200 bytes, from 0x10000 bytes behind the tables on.
constexpr std::uintptr_t kFirst = 0x10000, kDistance = 0x200, kSize = 0x100;

struct Shape {
  std::size_t functions = 1;
  std::string augmentation = "zR";
  Bytes augmentation_data = {0x1b};  // pointers are 32-bit offsets from their own place
  std::uint8_t version = 1;
  std::uint8_t return_address = 16;
  // CFA = rsp + 8, return address at CFA - 8
  Bytes common = {0x0c, 7, 8, 0x90, 1};
};

// .eh_frame_hdr, .eh_frame with one CIE and the FDEs of all functions, which have equal code.
class Tables {
 public:
  explicit Tables(const Bytes& code, const Shape& shape = {}) {
    const std::size_t index_size = 12 + 8 * shape.functions;
    bytes_.resize(index_size);
    const std::size_t common = open();
    number(0, 4);
    bytes_.push_back(shape.version);
    append(Bytes(shape.augmentation.begin(), shape.augmentation.end()));
    append({0, 1, 0x78, shape.return_address});  // code unit 1, data unit -8
    const bool has_data = shape.augmentation.substr(0, 1) == "z";
    if (has_data) bytes_.push_back(static_cast<std::uint8_t>(shape.augmentation_data.size()));
    append(shape.augmentation_data);
    append(shape.common);
    close(common);
    put(0, 0x3b031b01, 4);  // version; encodings of .eh_frame's address, the count and the pairs
    put(8, shape.functions, 4);
    for (std::size_t i = 0; i < shape.functions; ++i) {
      put(12 + 8 * i, kFirst + i * kDistance, 4);
      const std::size_t entry = open();
      put(16 + 8 * i, entry, 4);
      number(bytes_.size() - common, 4);
      number(kFirst + i * kDistance - bytes_.size(), 4);
      number(kSize, 4);
      if (has_data) bytes_.push_back(0);
      append(code);
      close(entry);
    }
  }

  [[nodiscard]] ModuleTables tables() const {
    return {.memory = std::as_bytes(std::span(bytes_)), .index = 0};
  }
  [[nodiscard]] std::uintptr_t base() const {
    return reinterpret_cast<std::uintptr_t>(bytes_.data());
  }
  [[nodiscard]] bool find(std::uintptr_t offset, FrameRow& row) const {
    return find_frame_row(tables(), base() + kFirst + offset, row);
  }
  Bytes& bytes() { return bytes_; }

 private:
  void append(const Bytes& more) { bytes_.insert(bytes_.end(), more.begin(), more.end()); }
  void number(std::uint64_t value, std::size_t size) {
    bytes_.resize(bytes_.size() + size);
    put(bytes_.size() - size, value, size);
  }
  void put(std::size_t at, std::uint64_t value, std::size_t size) {
    std::memcpy(&bytes_[at], &value, size);
  }
  std::size_t open() {
    number(0, 4);
    return bytes_.size() - 4;
  }
  // Entries are filled up with DW_CFA_nop.
  void close(std::size_t entry) {
    while (bytes_.size() % 8 != 0) bytes_.push_back(0);
    put(entry, bytes_.size() - entry - 4, 4);
  }

  Bytes bytes_;
};

void check_register(const FrameRow& row, std::size_t number, Kind kind, std::int64_t value) {
  CHECK(row.rules.registers[number].kind == kind);
  CHECK(row.rules.registers[number].value == value);
}
void check_cfa(const FrameRow& row, std::uint8_t number, std::int64_t offset) {
  CHECK(row.rules.cfa.kind == AddressRule::Kind::kRegister);
  CHECK(row.rules.cfa.number == number);
  CHECK(row.rules.cfa.value == offset);
}

std::size_t rounds(std::size_t usual) {
  const char* const wanted = std::getenv("LATECOMER_RANDOM_PROGRAMS");
  return wanted == nullptr ? usual : static_cast<std::size_t>(std::atoll(wanted));
}

}  // namespace

TEST_CASE("rules change along a function with a frame pointer") {
  // place  instruction       CFA        rbp
  // 0      push rbp          rsp + 8    same
  // 1      mov rsp, rbp      rsp + 16   at CFA - 2 * 8
  // 4      ...               rbp + 16
  // 0x50   ret               rsp + 8    same
  const Tables tables({0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x4c, 0x0c, 7, 8, 0xc6});
  FrameRow row;
  REQUIRE(tables.find(0, row));
  CHECK(row.function == tables.base() + kFirst);
  CHECK_FALSE(row.signal);
  check_cfa(row, 7, 8);
  check_register(row, 6, Kind::kSame, 0);
  check_register(row, 16, Kind::kSaved, -8);
  REQUIRE(tables.find(1, row));
  check_cfa(row, 7, 16);
  check_register(row, 6, Kind::kSaved, -16);
  REQUIRE(tables.find(3, row));
  check_cfa(row, 7, 16);
  REQUIRE(tables.find(4, row));
  check_cfa(row, 6, 16);
  REQUIRE(tables.find(0x4f, row));
  check_cfa(row, 6, 16);
  REQUIRE(tables.find(0x50, row));
  check_cfa(row, 7, 8);
  check_register(row, 6, Kind::kSame, 0);
  REQUIRE(tables.find(0xff, row));
  CHECK_FALSE(tables.find(0x100, row));
  CHECK(row.function == 0);
  CHECK_FALSE(tables.find(~std::uintptr_t{0}, row));
}

TEST_CASE("each call frame instruction has its rule") {
  FrameRow row;
  const auto at_begin = [&](const Bytes& code) {
    const Tables tables(code);
    REQUIRE(tables.find(0, row));
  };
  at_begin({0x05, 3, 2});  // offset_extended: -2 * 8
  check_register(row, 3, Kind::kSaved, -16);
  at_begin({0x11, 3, 0x7e});  // offset_extended_sf: -2 * -8
  check_register(row, 3, Kind::kSaved, 16);
  at_begin({0x83, 2, 0x06, 3});  // restore_extended
  check_register(row, 3, Kind::kSame, 0);
  at_begin({0x07, 16});  // undefined
  check_register(row, 16, Kind::kUndefined, 0);
  at_begin({0x83, 2, 0x08, 3});  // same_value
  check_register(row, 3, Kind::kSame, 0);
  at_begin({0x09, 16, 2});  // register
  check_register(row, 16, Kind::kRegister, 2);
  at_begin({0x09, 16, 40});  // a register that is not known
  CHECK(row.rules.registers[16].kind == Kind::kUndefined);
  at_begin({0x14, 3, 2});  // val_offset
  check_register(row, 3, Kind::kOffset, -16);
  at_begin({0x15, 3, 0x7e});  // val_offset_sf
  check_register(row, 3, Kind::kOffset, 16);
  at_begin({0x12, 6, 0x7d});  // def_cfa_sf: -3 * -8
  check_cfa(row, 6, 24);
  at_begin({0x13, 0x7c});  // def_cfa_offset_sf: -4 * -8
  check_cfa(row, 7, 32);
  at_begin({0x2e, 0x10, 0x0e, 0x80, 0x01});  // GNU_args_size, def_cfa_offset
  check_cfa(row, 7, 128);
  at_begin({0x91, 2, 0x05, 40, 2});  // registers of vectors are skipped
  check_cfa(row, 7, 8);
  at_begin({0x0a, 0x0e, 16, 0x83, 2, 0x0b});  // remember_state, restore_state
  check_cfa(row, 7, 8);
  check_register(row, 3, Kind::kSame, 0);

  // Expressions are found by their position: length, operations.
  const auto expression = [&](const Tables& tables, std::int64_t position) {
    return evaluate_expression(tables.tables(), static_cast<std::size_t>(position), {}, {}, {});
  };
  const Tables cfa({0x0f, 1, 0x35});
  REQUIRE(cfa.find(0, row));
  CHECK(row.rules.cfa.kind == AddressRule::Kind::kExpression);
  CHECK(expression(cfa, row.rules.cfa.value) == 5);
  for (const auto& [code, kind] : {std::pair(0x10, Kind::kSavedAt), {0x16, Kind::kExpression}}) {
    const Tables tables({static_cast<std::uint8_t>(code), 3, 1, 0x36, 0x0e, 24});
    REQUIRE(tables.find(0, row));
    CHECK(row.rules.registers[3].kind == kind);
    CHECK(expression(tables, row.rules.registers[3].value) == 6);
    check_cfa(row, 7, 24);
  }
}

TEST_CASE("places are reached by steps of each size") {
  // def_cfa_offset 16 from 2 on, 24 from 2 + 3, 32 from 5 + 4, 40 from 9 + 5
  const Tables tables(
      {0x42, 0x0e, 16, 0x02, 3, 0x0e, 24, 0x03, 4, 0, 0x0e, 32, 0x04, 5, 0, 0, 0, 0x0e, 40});
  for (std::uintptr_t place = 0; place < 20; ++place) {
    FrameRow row;
    REQUIRE(tables.find(place, row));
    check_cfa(row, 7, place < 2 ? 8 : place < 5 ? 16 : place < 9 ? 24 : place < 14 ? 32 : 40);
  }
}

TEST_CASE("what is not known ends unwinding, but names the function") {
  for (const Bytes& code : {
           Bytes{0x17},                                // no such instruction
           Bytes{0x1d, 3, 0},                          // of another processor
           Bytes{0x0b},                                // nothing remembered
           Bytes{0x0c, 40, 8},                         // no such register
           Bytes{0x0f, 1, 0x35, 0x0e, 8},              // an offset after an expression
           Bytes{0x0f, 1, 0x35, 0x0d, 6},              // a register after an expression
           Bytes{0x0f, 0x7f},                          // beyond the end
           Bytes{0x0e, 0x80, 0x80, 0x80, 0x80, 0x08},  // an offset of 2^31
           Bytes(9, 0x0a),                             // too much to remember
       }) {
    const Tables tables(code);
    FrameRow row;
    CHECK_FALSE(tables.find(0, row));
    CHECK(row.function == tables.base() + kFirst);
  }
  FrameRow row;
  CHECK_FALSE(Tables({}, {.common = {}}).find(0, row));  // no CFA
  CHECK_FALSE(Tables({}, {.version = 4}).find(0, row));
  CHECK_FALSE(Tables({}, {.return_address = 30}).find(0, row));
  CHECK_FALSE(Tables({}, {.augmentation = "zRX"}).find(0, row));
  CHECK_FALSE(Tables({}, {.augmentation = "eh"}).find(0, row));
}

TEST_CASE("augmentations of C++ and of signals") {
  FrameRow row;
  // Personality, through a pointer (0x9b), and data of the language
  CHECK(Tables({}, {.augmentation = "zPLR", .augmentation_data = {0x9b, 1, 2, 3, 4, 0x1b, 0x1b}})
            .find(0, row));
  CHECK_FALSE(row.signal);
  CHECK(Tables({}, {.augmentation = "zRS"}).find(0, row));
  CHECK(row.signal);
  CHECK(Tables({}, {.version = 3}).find(0, row));
  // The same offset counts from .eh_frame_hdr (0x3b): the function lies lower.
  const Tables other({}, {.augmentation_data = {0x3b}});
  CHECK(other.find(0, row));
  CHECK(row.function < other.base() + kFirst);
  CHECK_FALSE(other.find(kSize - 1, row));
  for (const std::uint8_t encoding : {0x2b, 0x4b, 0x9b, 0x50, 0xff, 0x0f}) {
    CHECK_FALSE(Tables({}, {.augmentation_data = {encoding}}).find(0, row));
  }
}

TEST_CASE("the function is found among many") {
  for (const std::size_t functions : {1, 2, 3, 7, 8, 100}) {
    const Tables tables({}, {.functions = functions});
    FrameRow row;
    CHECK_FALSE(tables.find(std::uintptr_t{0} - 1, row));
    for (std::size_t i = 0; i < functions; ++i) {
      const std::uintptr_t begin = i * kDistance;
      for (const std::uintptr_t inside : {std::uintptr_t{0}, kSize / 2, kSize - 1}) {
        REQUIRE(tables.find(begin + inside, row));
        CHECK(row.function == tables.base() + kFirst + begin);
      }
      CHECK_FALSE(tables.find(begin + kSize, row));
      CHECK_FALSE(tables.find(begin + kDistance - 1, row));
    }
  }
}

TEST_CASE("tables that end early have no rules, and are not read beyond") {
  const Tables whole({0x41, 0x0e, 16, 0x86, 2}, {.functions = 3});
  const auto all = whole.tables().memory;
  for (std::size_t length = 0; length < all.size(); ++length) {
    // A block of its own, so that sanitizers see each byte that is read beyond it.
    const std::vector<std::byte> memory(all.begin(),
                                        all.begin() + static_cast<std::ptrdiff_t>(length));
    FrameRow row;
    const std::uintptr_t base = reinterpret_cast<std::uintptr_t>(memory.data());
    CHECK_FALSE(find_frame_row({.memory = memory}, base + kFirst + 2 * kDistance, row));
  }
}

namespace {

// Looks up rules all over the tables; expressions are evaluated on a small stack.
std::size_t look_up(std::span<const std::byte> memory, std::size_t index, std::uintptr_t first,
                    std::uintptr_t size, std::size_t times, std::mt19937_64& random) {
  const ModuleTables tables{.memory = memory, .index = index};
  std::array<std::uint64_t, 8> words{};
  const StackCopy copy{1000, std::as_bytes(std::span(words))};
  Registers registers;
  for (std::size_t i = 0; i < Registers::kCount; ++i) registers.set(i, 1000 + i);
  std::size_t found = 0;
  for (std::size_t i = 0; i < times; ++i) {
    FrameRow row;
    if (!find_frame_row(tables, first + random() % size, row)) continue;
    ++found;
    const auto evaluate = [&](std::int64_t position) {
      static_cast<void>(
          evaluate_expression(tables, static_cast<std::size_t>(position), registers, copy, 1000));
    };
    if (row.rules.cfa.kind == AddressRule::Kind::kExpression) evaluate(row.rules.cfa.value);
    for (const auto& rule : row.rules.registers) {
      if (rule.kind >= Kind::kSavedAt) evaluate(rule.value);
    }
  }
  return found;
}

}  // namespace

TEST_CASE("damaged tables have an end") {
  std::mt19937_64 random(36);
  const Bytes code = {0x41, 0x0e, 16,   0x86, 2,    0x43, 0x0d, 6,    0x0a, 0x02, 0x4c, 0x0c, 7,
                      8,    0x0b, 0x0f, 3,    0x76, 0x78, 0x06, 0x10, 6,    2,    0x76, 0};
  for (std::size_t round = 0; round < rounds(300) * 10; ++round) {
    Tables tables(code, {.functions = 3,
                         .augmentation = "zPLR",
                         .augmentation_data = {0x9b, 1, 2, 3, 4, 0x1b, 0x1b}});
    Bytes& bytes = tables.bytes();
    for (std::size_t i = 0; i <= random() % 8; ++i) {
      bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random());
    }
    look_up(tables.tables().memory, 0, tables.base() + kFirst, 4 * kDistance, 20, random);
  }
}

TEST_CASE("tables of random bytes have an end") {
  std::mt19937_64 random(36);
  for (std::size_t round = 0; round < rounds(300) * 10; ++round) {
    Bytes bytes(32 + random() % 500);
    for (auto& byte : bytes) byte = static_cast<std::uint8_t>(random() >> random() % 56);
    // Index, one pair, and the entry's position are right, so that the rest is looked at.
    const std::uint32_t begin[] = {0x3b031b01, 0, 1, 0xffff0000, 20};
    std::memcpy(bytes.data(), begin, sizeof begin);
    const auto memory = std::as_bytes(std::span(bytes));
    const auto base = reinterpret_cast<std::uintptr_t>(bytes.data());
    look_up(memory, 0, base, 1000, 20, random);
    for (std::size_t i = 0; i < 20; ++i) {
      static_cast<void>(
          evaluate_expression({.memory = memory}, random() % (bytes.size() + 2), {}, {}, random()));
    }
  }
}

#if defined(__x86_64__)
TEST_CASE("a copy of the C library's tables, whole and damaged") {
  std::mt19937_64 random(36);
  // Sanitizers replace many functions, but not this one.
  const auto inside = reinterpret_cast<std::uintptr_t>(&gnu_get_libc_version);
  const ModuleTables real = find_module_tables(inside);
  REQUIRE_FALSE(real.memory.empty());
  std::vector<std::byte> memory(real.memory.begin(), real.memory.end());
  // Addresses in the copy are relative to the copy.
  const std::uintptr_t moved = reinterpret_cast<std::uintptr_t>(memory.data()) -
                               reinterpret_cast<std::uintptr_t>(real.memory.data());
  const std::size_t size = real.high - real.low;
  CHECK(look_up(memory, real.index, real.low + moved, size, 2000, random) > 1500);
  for (std::size_t i = 0; i < 500; ++i) {
    const std::uintptr_t place = real.low + random() % size;
    FrameRow here, there;
    const bool known = find_frame_row(real, place, here);
    REQUIRE(find_frame_row({.memory = memory, .index = real.index}, place + moved, there) == known);
    if (known) REQUIRE(here.function + moved == there.function);
  }
  for (std::size_t i = 0; i < memory.size() / 20; ++i) {
    memory[real.index + 12 + random() % (memory.size() - real.index - 12)] =
        static_cast<std::byte>(random());
  }
  look_up(memory, real.index, real.low + moved, size, rounds(300) * 10, random);
}
#endif

}  // namespace latecomer::callpath::frame_rules_test
