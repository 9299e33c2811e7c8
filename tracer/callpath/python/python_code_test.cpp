// SPDX-License-Identifier: BSD-3-Clause
// Names, files and lines of functions in made-up memory, and objects that are something else.
#include "tracer/callpath/python/python_code.hpp"

#include <sys/mman.h>

#include <catch2/catch.hpp>

#include "tests/callpath/python_image.hpp"

using namespace latecomer;
using python::SourcePlace;
using test::PythonImage;

namespace {

std::string name_of(const python::Layout& layout, std::u32string_view characters,
                    std::uint32_t width) {
  PythonImage image(layout);
  const auto code = image.code("", "a.py", 1, {});
  PythonImage::set(code + layout.code_name, image.text(characters, width));
  const auto place = python::describe(layout, image.types, {code});
  return place ? place->name : "none";
}

}  // namespace

TEST_CASE("Python code: name, file, first line, and the line of an instruction") {
  for (const python::Layout& layout : test::known_layouts()) {
    CAPTURE(layout.minor);
    PythonImage image(layout);
    const auto code = image.code("Solver.step", "/home/me/solver.py", 12, image.three_lines());
    const auto place = [&](std::int64_t offset) {
      return python::describe(layout, image.types, {code, offset});
    };
    CHECK(place(0) == SourcePlace{"Solver.step", "/home/me/solver.py", 12, 13});
    CHECK(place(4) == SourcePlace{"Solver.step", "/home/me/solver.py", 12, 14});
    CHECK(place(-2) == SourcePlace{"Solver.step", "/home/me/solver.py", 12, 12});
  }
}

TEST_CASE("Python code: names are UTF-8, whatever the width of their characters") {
  for (const python::Layout& layout : test::known_layouts()) {
    CHECK(name_of(layout, U"", 1).empty());
    CHECK(name_of(layout, U"größe", 1) == "größe");
    CHECK(name_of(layout, U"λ.ж€", 2) == "λ.ж€");
    CHECK(name_of(layout, U"𝛼f", 4) == "𝛼f");
    const char32_t surrogate[] = {U'a', 0xdc80, U'b'};
    CHECK(name_of(layout, {surrogate, 3}, 2) == "a\ufffdb");
    const char32_t none[] = {0x110000};
    CHECK(name_of(layout, {none, 1}, 4) == "\ufffd");
    CHECK(name_of(layout, std::u32string(5000, U'x'), 1) == "none");
  }
}

TEST_CASE("Python code: what is no code object, string or table has no place") {
  void* const nothing = mmap(nullptr, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(nothing != MAP_FAILED);
  for (const python::Layout& layout : test::known_layouts()) {
    CAPTURE(layout.minor);
    for (const auto field : {layout.code_name, layout.code_filename, layout.code_lines}) {
      PythonImage image(layout);
      const auto code = image.code("f", "a.py", 1, {});
      REQUIRE(python::describe(layout, image.types, {code}));
      for (const auto value :
           {std::uintptr_t{0}, reinterpret_cast<std::uintptr_t>(nothing), code, image.runtime}) {
        PythonImage::set(code + field, value);
        CHECK_FALSE(python::describe(layout, image.types, {code}));
      }
    }
    PythonImage image(layout);
    const auto text = image.text("f");
    CHECK_FALSE(python::describe(layout, image.types, {text}));
    CHECK_FALSE(python::describe(layout, image.types, {0}));
    CHECK(python::fingerprint(layout, image.types, text) == 0);
    // A string that claims to be longer than its memory.
    const auto code = image.code("f", "a.py", 1, {});
    PythonImage::set(text + layout.text_length, std::uint64_t{1} << 40);
    PythonImage::set(code + layout.code_name, text);
    CHECK_FALSE(python::describe(layout, image.types, {code}));
  }
  munmap(nothing, 4096);
}

TEST_CASE("Python code: a fingerprint tells functions at the same address apart") {
  for (const python::Layout& layout : test::known_layouts()) {
    CAPTURE(layout.minor);
    PythonImage image(layout);
    const auto code = image.code("f", "a.py", 1, image.three_lines());
    const auto of_code = [&] { return python::fingerprint(layout, image.types, code); };
    const auto before = of_code();
    CHECK(before != 0);
    CHECK(of_code() == before);
    // The interpreter put a name of the same length into the same memory.
    const auto name = image.text("f");
    PythonImage::set(code + layout.code_name, name);
    const auto with_name = of_code();
    PythonImage::set(name + layout.text_hash, std::uint64_t{12345});
    CHECK(of_code() != with_name);
    PythonImage::set(code + layout.code_first_line, std::int32_t{2});
    const auto with_line = of_code();
    CHECK(with_line != with_name);
    PythonImage::set(code + layout.code_lines, image.bytes({9, 9}));
    const auto with_lines = of_code();
    CHECK(with_lines != with_line);
    PythonImage::set(code + layout.object_size, std::uint64_t{77});
    CHECK(of_code() != with_lines);
  }
}
