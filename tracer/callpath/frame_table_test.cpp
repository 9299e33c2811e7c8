// SPDX-License-Identifier: BSD-3-Clause
// Python functions among native ones: their order, and the lines of the log.
#include "tracer/callpath/frame_table.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <climits>

#include "tests/callpath/python_image.hpp"

using namespace latecomer;
using callpath::FrameId;
using callpath::FrameTable;
using test::PythonImage;

namespace {

std::vector<std::string> log_lines;

// Names of the frames from the path's innermost to its outermost: those of Python, or "native".
std::vector<std::string> names(FrameId path) {
  std::string text;
  for (const auto& line : log_lines) text += line;
  const auto d = record::parse_definitions(text);
  CHECK(d.bad_lines.empty());
  std::vector<std::string> found;
  while (path != 0) {
    std::string name = "native";
    for (const auto& f : d.frame_functions) {
      if (f.frame == path) name = f.name + ":" + std::to_string(f.place_line);
    }
    found.push_back(name);
    path = d.frames.at(path - 1).parent;
  }
  return found;
}

using Names = std::vector<std::string>;

[[gnu::noinline]] void some_function() { asm volatile(""); }

// A stack of native functions whose return addresses are in the given slots.
callpath::Stack native(std::initializer_list<std::uintptr_t> slots) {
  callpath::Stack stack{};
  for (const auto slot : slots) {
    stack.slots[stack.depth] = slot;
    const auto place = reinterpret_cast<std::uintptr_t>(&some_function) + stack.depth;
    stack.frames[stack.depth++] = {place, 0};
  }
  return stack;
}

struct Table {
  explicit Table(const python::Layout& layout) : image(layout) {
    log_lines.clear();
    frames = std::make_unique<FrameTable>(
        512, [](const std::string& line) { log_lines.push_back(line); },
        python::FoundInterpreter{python::Interpreter{layout, image.types, image.runtime}, ""});
  }
  python::Frame function(std::string_view name, std::uintptr_t loop,
                         std::string_view file = "/a.py") {
    return {image.code(name, file, 12, image.three_lines()), 0, loop};
  }
  PythonImage image;
  std::unique_ptr<FrameTable> frames;
};

}  // namespace

TEST_CASE("frames of Python take the place of the loops that run them") {
  Table t(*python::layout_of(11));
  // Innermost first: a native function, a loop with two functions, a native one, a loop, main.
  const auto stack = native({100, 200, 300, 400, 500});
  const std::vector functions = {t.function("inner", 250), t.function("middle", 250),
                                 t.function("<module>", 450)};
  const FrameId path = t.frames->path(stack, functions);
  CHECK(names(path) == Names{"native", "inner:13", "middle:13", "native", "<module>:13", "native"});
  CHECK(t.frames->path(stack, functions) == path);
  CHECK(t.frames->outermost(path) != path);
}

TEST_CASE("frames of Python whose loops are at no known place are the outermost ones") {
  Table t(*python::layout_of(9));
  const std::vector functions = {t.function("inner", 0), t.function("outer", 0)};
  CHECK(names(t.frames->path(native({100, 200}), functions)) ==
        Names{"native", "native", "inner:13", "outer:13"});
  // The unwinder did not get beyond the first function.
  Table other(*python::layout_of(11));
  const std::vector far = {other.function("inner", 250), other.function("outer", 450)};
  CHECK(names(other.frames->path(native({100}), far)) == Names{"native", "inner:13", "outer:13"});
}

TEST_CASE("frames of Python: the import system is left out, and so is what cannot be read") {
  Table t(*python::layout_of(12));
  const std::vector functions = {t.function("<module>", 150, "/b.py"),
                                 t.function("_load", 150, "<frozen importlib._bootstrap>"),
                                 python::Frame{8, 0, 150}, t.function("<module>", 150, "<string>")};
  CHECK(names(t.frames->path(native({100, 200}), functions)) ==
        Names{"<module>:13", "<module>:13", "native"});
}

TEST_CASE("frames of Python: files are absolute if they are there") {
  char directory[PATH_MAX];
  REQUIRE(getcwd(directory, sizeof directory) != nullptr);
  const auto file_of = [](std::string_view file) {
    Table t(*python::layout_of(8));
    const std::vector functions = {t.function("f", 0, file)};
    (void)t.frames->path(native({}), functions);
    const auto d = record::parse_definitions(log_lines.at(0));
    CHECK(d.frames.at(0).module == FrameTable::kPython);
    return d.frame_functions.at(0).file;
  };
  CHECK(file_of(".") == directory);
  CHECK(file_of("not/there.py") == "not/there.py");
  CHECK(file_of("<string>") == "<string>");
  CHECK(file_of("").empty());
}

TEST_CASE("frames without a known interpreter are native ones") {
  log_lines.clear();
  FrameTable frames(512, [](const std::string& line) { log_lines.push_back(line); });
  CHECK(names(frames.path(native({100, 200}))) == Names{"native", "native"});
}
