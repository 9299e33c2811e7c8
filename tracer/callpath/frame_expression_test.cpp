// SPDX-License-Identifier: BSD-3-Clause
// Expressions as compilers write them, and each operation.
#include "tracer/callpath/frame_expression.hpp"

#include <array>
#include <catch2/catch.hpp>
#include <vector>

namespace latecomer::callpath::frame_expression_test {

namespace {

using Value = std::optional<std::uintptr_t>;

// The stack has the words 100, 101, ... 107 from 0x1000 on.
Value evaluate(std::vector<std::uint8_t> code, Value first = {}, const Registers& registers = {}) {
  std::array<std::uint64_t, 8> words;
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = 100 + i;
  code.insert(code.begin(), static_cast<std::uint8_t>(code.size()));
  return evaluate_expression({.memory = std::as_bytes(std::span(code))}, 0, registers,
                             {0x1000, std::as_bytes(std::span(words))}, first);
}

}  // namespace

TEST_CASE("the CFA in a stub of the PLT") {
  // A stub has 16 bytes: jmp (6), push (5), jmp (5). After the push, from byte 11 on, the CFA is 8
  // bytes further: rsp + 8 + ((rip & 15) >= 11) << 3.
  const std::vector<std::uint8_t> code = {0x77, 8,    0x80, 0,    0x3f, 0x1a,
                                          0x3b, 0x2a, 0x33, 0x24, 0x22};
  for (std::uintptr_t byte = 0; byte < 16; ++byte) {
    Registers registers;
    registers.set(Registers::kSp, 0x7000);
    registers.set(Registers::kIp, 0x400010 + byte);
    CHECK(evaluate(code, {}, registers) == (byte < 11 ? 0x7008U : 0x7010U));
  }
}

TEST_CASE("the CFA in a frame with a larger alignment") {
  // It is in memory at rbp - 8.
  Registers registers;
  registers.set(Registers::kBp, 0x1010);
  CHECK(evaluate({0x76, 0x78, 0x06}, {}, registers) == 101);
  registers.set(Registers::kBp, 0x1000);
  CHECK_FALSE(evaluate({0x76, 0x78, 0x06}, {}, registers));  // below the copy
  registers.forget(Registers::kBp);
  CHECK_FALSE(evaluate({0x76, 0x78, 0x06}, {}, registers));
}

TEST_CASE("constants") {
  CHECK(evaluate({0x30}) == 0);
  CHECK(evaluate({0x4f}) == 31);
  CHECK(evaluate({0x08, 0xff}) == 255);
  CHECK(evaluate({0x09, 0xff}) == ~std::uintptr_t{0});
  CHECK(evaluate({0x0a, 0xfe, 0xff}) == 0xfffe);
  CHECK(evaluate({0x0b, 0xfe, 0xff}) == ~std::uintptr_t{1});
  CHECK(evaluate({0x0c, 0xfe, 0xff, 0xff, 0xff}) == 0xfffffffe);
  CHECK(evaluate({0x0d, 0xfe, 0xff, 0xff, 0xff}) == ~std::uintptr_t{1});
  CHECK(evaluate({0x03, 1, 2, 3, 4, 5, 6, 7, 8}) == 0x0807060504030201);
  CHECK(evaluate({0x0e, 1, 2, 3, 4, 5, 6, 7, 8}) == 0x0807060504030201);
  CHECK(evaluate({0x0f, 1, 2, 3, 4, 5, 6, 7, 8}) == 0x0807060504030201);
  CHECK(evaluate({0x10, 0x80, 0x01}) == 128);
  CHECK(evaluate({0x11, 0x80, 0x7f}) == ~std::uintptr_t{127});
}

TEST_CASE("operations on two values: 7 below, 2 above") {
  const auto both = [](std::uint8_t operation) { return evaluate({0x37, 0x32, operation}); };
  CHECK(both(0x1a) == 2);                        // 0b111 & 0b010
  CHECK(both(0x1c) == 5);                        // 7 - 2
  CHECK(both(0x1e) == 14);                       // 7 * 2
  CHECK(both(0x21) == 7);                        // 0b111 | 0b010
  CHECK(both(0x22) == 9);                        // 7 + 2
  CHECK(both(0x24) == 28);                       // 7 << 2
  CHECK(both(0x25) == 1);                        // 7 >> 2
  CHECK(both(0x27) == 5);                        // 0b111 ^ 0b010
  CHECK(both(0x29) == 0);                        // 7 == 2
  CHECK(both(0x2a) == 1);                        // 7 >= 2
  CHECK(both(0x2b) == 1);                        // 7 > 2
  CHECK(both(0x2c) == 0);                        // 7 <= 2
  CHECK(both(0x2d) == 0);                        // 7 < 2
  CHECK(both(0x2e) == 1);                        // 7 != 2
  CHECK(both(0x14) == 7);                        // over
  CHECK(both(0x16) == 7);                        // swap
  CHECK(both(0x13) == 7);                        // drop
  CHECK(both(0x12) == 2);                        // dup
  CHECK(evaluate({0x31, 0x08, 64, 0x24}) == 0);  // shifted by 64
  CHECK(evaluate({0x31, 0x08, 64, 0x25}) == 0);
  CHECK(evaluate({0x09, 0xff, 0x30, 0x2d}) == 1);  // -1 < 0: comparisons are signed
}

TEST_CASE("other operations") {
  CHECK(evaluate({0x23, 5}, 10) == 15);  // the CFA first; plus_uconst
  CHECK(evaluate({}, 10) == 10);
  CHECK(evaluate({0x37, 0x1f}) == ~std::uintptr_t{6});  // neg
  CHECK(evaluate({0x37, 0x20}) == ~std::uintptr_t{7});  // not
  CHECK(evaluate({0x31, 0x32, 0x33, 0x15, 2}) == 1);    // pick
  CHECK(evaluate({0x37, 0x96}) == 7);                   // nop
  CHECK(evaluate({0x0a, 0x38, 0x10, 0x06}) == 107);     // deref
  CHECK_FALSE(evaluate({0x0a, 0x39, 0x10, 0x06}));      // a part of the word only
  Registers registers;
  registers.set(3, 1000);
  CHECK(evaluate({0x92, 3, 0x7f}, {}, registers) == 999);             // bregx
  CHECK_FALSE(evaluate({0x92, 0xff, 0xff, 0x03, 0}, {}, registers));  // no such register
}

TEST_CASE("expressions that do not end with a value") {
  CHECK_FALSE(evaluate({}));
  CHECK_FALSE(evaluate({0x06}));
  CHECK_FALSE(evaluate({0x22}));
  CHECK_FALSE(evaluate({0x31, 0x22}));        // a value is missing
  CHECK_FALSE(evaluate({0x31, 0x13, 0x13}));  // two are
  CHECK_FALSE(evaluate({0x0c, 1, 2}));        // ends within a number
  CHECK_FALSE(evaluate({0x31, 0x2f, 0, 0}));  // a jump
  CHECK_FALSE(evaluate({0x31, 0xff}));
  CHECK_FALSE(evaluate(std::vector<std::uint8_t>(100, 0x31)));  // too many values
  const std::vector<std::byte> longer = {std::byte{5}, std::byte{0x31}};
  CHECK_FALSE(evaluate_expression({.memory = longer}, 0, {}, {}, {}));
  CHECK_FALSE(evaluate_expression({.memory = longer}, 3, {}, {}, {}));
}

}  // namespace latecomer::callpath::frame_expression_test
