// SPDX-License-Identifier: BSD-3-Clause
// Compares the bytes of instructions with those that compilers have in epilogues.
#include "tracer/callpath/epilogue.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>

namespace latecomer::callpath {

bool only_returns(std::span<const std::byte> code) {
  constexpr std::size_t kMostInstructions = 16;
  const auto begins = [&](std::initializer_list<std::uint8_t> bytes) {
    return code.size() >= bytes.size() &&
           std::equal(bytes.begin(), bytes.end(), code.begin(),
                      [](std::uint8_t a, std::byte b) { return std::byte{a} == b; });
  };
  const auto is_pop = [&](std::size_t at) {
    return code.size() > at && (code[at] & std::byte{0xf8}) == std::byte{0x58};
  };
  for (std::size_t i = 0; i < kMostInstructions; ++i) {
    std::size_t length = 0;
    if (begins({0xc3}) || begins({0xf3, 0xc3}) || begins({0xc2})) return true;  // ret
    if (is_pop(0) || begins({0xc9})) {                                          // pop, leave
      length = 1;
    } else if (begins({0x41}) && is_pop(1)) {  // pop of r8 to r15
      length = 2;
    } else if (begins({0x48, 0x83, 0xc4})) {  // add $byte, %rsp
      length = 4;
    } else if (begins({0x48, 0x81, 0xc4})) {  // add $number, %rsp
      length = 7;
    } else if (begins({0xc5, 0xf8, 0x77})) {  // vzeroupper
      length = 3;
    }
    if (length == 0 || length > code.size()) return false;
    code = code.subspan(length);
  }
  return false;
}

}  // namespace latecomer::callpath
