// SPDX-License-Identifier: BSD-3-Clause
// Functions by the address of an instruction, in made-up memory.
#include "tracer/callpath/python/running_code.hpp"

#include <sys/mman.h>

#include <catch2/catch.hpp>
#include <vector>

#include "tests/callpath/python_image.hpp"

using namespace latecomer;
using python::Frame;
using python::RunningCode;
using test::PythonImage;

namespace {

// A code object with 100 instructions of 2 bytes.
std::uintptr_t make_code(PythonImage& image, const python::Layout& layout) {
  const auto code = image.code("f", "a.py", 1, {});
  PythonImage::set(code + layout.object_size, std::uint64_t{100});
  return code;
}

std::vector<python::Layout> layouts() {
  std::vector<python::Layout> all;
  for (const auto& layout : test::known_layouts()) {
    if (RunningCode::supports(layout)) all.push_back(layout);
  }
  return all;
}

}  // namespace

TEST_CASE("code objects contain their instructions from Python 3.11 on") {
  CHECK(layouts().size() == 4);  // 3.11 to 3.14
  CHECK(layouts().front().minor == 11);
}

TEST_CASE("the code that runs is around the address of its next instruction") {
  for (const auto& layout : layouts()) {
    CAPTURE(layout.minor);
    PythonImage image(layout);
    const python::Interpreter interpreter{layout, image.types};
    RunningCode running(interpreter);
    const auto find = [&](std::vector<std::uintptr_t> registers) {
      return running.find(registers, {});
    };
    const auto code = make_code(image, layout), other = make_code(image, layout);
    const auto begin = code + layout.code_bytes;
    for (int again = 0; again < 2; ++again) {  // then the object is known
      // The next instruction is the 11th, so the one that runs is the 10th, after 9 * 2 bytes.
      CHECK(find({begin + 20}) == Frame{.code = code, .offset = 18});
      CHECK(find({begin + 198}) == Frame{.code = code, .offset = 196});
      CHECK(find({other + layout.code_bytes + 4}) == Frame{.code = other, .offset = 2});
      // Other values of registers.
      CHECK_FALSE(find({}));
      CHECK_FALSE(find({0, 1, 12345, ~std::uintptr_t{0}, image.types.code, code, begin - 2}));
      CHECK_FALSE(find({begin + 200}));  // after the last instruction
      CHECK_FALSE(find({begin + 21}));   // inside an instruction
      // Several registers: the instruction before the first of them runs, if they agree.
      CHECK(find({7, begin + 22, begin + 20, 0}) == Frame{.code = code, .offset = 18});
      CHECK_FALSE(find({begin + 20, other + layout.code_bytes + 4}));
    }
    PythonImage::set(code + layout.object_type, image.types.text);  // it was deleted
    CHECK_FALSE(find({begin + 20}));
  }
}

TEST_CASE("in 3.11 the first instruction of a function in the loop's frame counts most") {
  for (const auto& layout : layouts()) {
    if (layout.minor != 11) continue;
    PythonImage image(layout);
    const python::Interpreter interpreter{layout, image.types};
    RunningCode running(interpreter);
    using Words = std::vector<std::uintptr_t>;
    const auto find = [&](const Words& registers, const Words& words) {
      return running.find(registers, words);
    };
    const auto code = make_code(image, layout), caller = make_code(image, layout);
    const auto begin = code + layout.code_bytes, outside = caller + layout.code_bytes;
    // The register still has the caller's instruction.
    CHECK(find({outside + 8}, {3, begin, begin + 16}) == Frame{.code = code, .offset = 14});
    CHECK(find({outside + 8, begin + 30}, {begin, begin + 16}) ==
          Frame{.code = code, .offset = 28});
    // Several instructions in the frame: old ones are among them.
    CHECK(find({}, {begin + 40, begin, begin + 16, outside + 8}) ==
          Frame{.code = code, .offset = -1});
    CHECK(find({}, {begin}) == Frame{.code = code, .offset = -1});
    CHECK(find({begin}, {}) == Frame{.code = code, .offset = -1});
    CHECK_FALSE(find({begin + 20}, {begin, outside}));
    // The frame has the instruction that no register has, and other values.
    CHECK(find({}, {begin + 16, 9}) == Frame{.code = code, .offset = 14});
    CHECK_FALSE(find({}, {begin + 16, outside + 8}));
  }
}

TEST_CASE("from 3.12 on the loop's frame has a first instruction that is none of the script") {
  for (const auto& layout : layouts()) {
    if (layout.minor == 11) continue;
    CAPTURE(layout.minor);
    PythonImage image(layout);
    const python::Interpreter interpreter{layout, image.types};
    RunningCode running(interpreter);
    const auto code = make_code(image, layout), entry = make_code(image, layout);
    const std::vector registers = {code + layout.code_bytes + 20};
    const std::vector words = {entry + layout.code_bytes, code + layout.code_bytes + 16};
    CHECK(running.find(registers, words) == Frame{.code = code, .offset = 18});
    CHECK_FALSE(running.find({}, words));  // they do not agree
    // A register may have its address, too.
    const auto shim = image.code("<interpreter trampoline>", "<shim>", 1, {});
    PythonImage::set(shim + layout.object_size, std::uint64_t{100});
    for (int again = 0; again < 2; ++again) {
      CHECK(running.find(std::vector{registers[0], shim + layout.code_bytes + 4}, {}) ==
            Frame{.code = code, .offset = 18});
      CHECK_FALSE(running.find(std::vector{shim + layout.code_bytes + 4}, {}));
    }
  }
}

TEST_CASE("memory that cannot be read ends the search") {
  constexpr std::size_t kPage = 4096;
  auto* const pages = static_cast<std::byte*>(
      mmap(nullptr, 3 * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  REQUIRE(static_cast<void*>(pages) != MAP_FAILED);
  REQUIRE(mprotect(pages, kPage, PROT_NONE) == 0);
  const auto address = reinterpret_cast<std::uintptr_t>(pages);
  for (const auto& layout : layouts()) {
    PythonImage image(layout);
    const python::Interpreter interpreter{layout, image.types};
    RunningCode running(interpreter);
    for (const auto at : {address, address + kPage, address + 2 * kPage - 2, address + 3 * kPage}) {
      CHECK_FALSE(running.find(std::vector{at}, {}));
    }
    // An object that claims to have more instructions than are looked at.
    const auto code = address + kPage;
    PythonImage::set(code + layout.object_type, image.types.code);
    PythonImage::set(code + layout.object_size, std::uint64_t{RunningCode::kLongest});
    CHECK_FALSE(running.find(std::vector{code + layout.code_bytes + 20}, {}));
    PythonImage::set(code + layout.object_size, std::uint64_t{RunningCode::kLongest} / 2);
    CHECK(running.find(std::vector{code + layout.code_bytes + 20}, {}) ==
          Frame{.code = code, .offset = 18});
    PythonImage::set(code + layout.object_type, std::uintptr_t{0});
  }
  munmap(pages, 3 * kPage);
}
