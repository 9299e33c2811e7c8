// SPDX-License-Identifier: BSD-3-Clause
// Ends of functions in machine code.
#include "tracer/callpath/epilogue.hpp"

#include <catch2/catch.hpp>
#include <cstdint>
#include <vector>

using latecomer::callpath::only_returns;

namespace {

bool returns(const std::vector<std::uint8_t>& code) {
  return only_returns(std::as_bytes(std::span(code)));
}

}  // namespace

TEST_CASE("code that only restores registers and returns") {
  CHECK(returns({0xc3}));                                            // ret
  CHECK(returns({0xf3, 0xc3}));                                      // repz ret
  CHECK(returns({0xc2, 0x08, 0x00}));                                // ret $8
  CHECK(returns({0x5b, 0x5d, 0x41, 0x5c, 0xc3}));                    // pop rbx, rbp, r12
  CHECK(returns({0x48, 0x83, 0xc4, 0x18, 0x5b, 0xc3}));              // add $0x18, rsp; pop rbx
  CHECK(returns({0x48, 0x81, 0xc4, 0x00, 0x10, 0x00, 0x00, 0xc3}));  // add $0x1000, rsp
  CHECK(returns({0xc9, 0xc3}));                                      // leave
  CHECK(returns({0xc5, 0xf8, 0x77, 0xc3, 0x90}));                    // vzeroupper
}

TEST_CASE("other code may still need the registers") {
  CHECK_FALSE(returns({}));
  CHECK_FALSE(returns({0x90, 0xc3}));                    // nop
  CHECK_FALSE(returns({0x5b, 0x53, 0xc3}));              // pop rbx; push rbx
  CHECK_FALSE(returns({0x5b, 0xe9, 0, 0, 0, 0}));        // pop rbx; jmp
  CHECK_FALSE(returns({0x41, 0x50, 0xc3}));              // push r8
  CHECK_FALSE(returns({0x48, 0x83, 0xec, 0x18, 0xc3}));  // sub $0x18, rsp
  CHECK_FALSE(returns(std::vector<std::uint8_t>(100, 0x5b)));
}

TEST_CASE("the code may end within an instruction") {
  const std::vector<std::uint8_t> code = {0x48, 0x81, 0xc4, 0x00, 0x10, 0x00, 0x00, 0x48, 0x83,
                                          0xc4, 0x18, 0x41, 0x5c, 0xc5, 0xf8, 0x77, 0xc3};
  for (std::size_t length = 0; length < code.size(); ++length) {
    CHECK_FALSE(returns({code.begin(), code.begin() + static_cast<std::ptrdiff_t>(length)}));
  }
  CHECK(returns(code));
}
