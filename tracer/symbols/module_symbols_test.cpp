// SPDX-License-Identifier: BSD-3-Clause
// Names and lines of functions, read from files of several kinds.
#include "tracer/symbols/module_symbols.hpp"

#include <dlfcn.h>

#include <catch2/catch.hpp>
#include <fstream>
#include <string>
#include <string_view>

#include "tests/support/temporary_directory.hpp"
#include "tracer/symbols/loaded_modules.hpp"

using namespace latecomer;
using namespace latecomer::user;

namespace {

// A loaded library, and one of its functions.
struct Probe {
  explicit Probe(const char* path) : library(dlopen(path, RTLD_NOW | RTLD_LOCAL)) {
    REQUIRE(library != nullptr);
    address = reinterpret_cast<const void* (*)(int)>(dlsym(library, "probe_address"));
    REQUIRE(address != nullptr);
  }
  ~Probe() { dlclose(library); }

  SourceFunction function(int which) {
    const auto at = reinterpret_cast<std::uintptr_t>(address(which));
    const auto* module = modules.find(at);
    REQUIRE(module != nullptr);
    definition = module->definition;
    auto symbols = ModuleSymbols::open(definition);
    REQUIRE(symbols.ok());
    offset = at - module->bias;
    return symbols->function_at(offset);
  }

  void* library;
  const void* (*address)(int);
  LoadedModules modules;
  record::ModuleDefinition definition;
  std::uint64_t offset = 0;
};

}  // namespace

TEST_CASE("debug information gives names, files and lines") {
  Probe probe(PROBE);
  const auto member = probe.function(0);
  CHECK(member.name == "probe::Solver::step(int) const");
  CHECK(member.mangled == "_ZNK5probe6Solver4stepEi");
  CHECK(member.file.ends_with("tests/user/probe.cpp"));
  CHECK(member.file.front() == '/');
  CHECK(member.line == 10);
  const auto instance = probe.function(1);
  CHECK(instance.name == "double probe::twice<double>(double)");
  CHECK(instance.line == 13);
  const auto hidden = probe.function(2);
  CHECK(hidden.name == "probe::(anonymous namespace)::hidden(int)");
  CHECK(hidden.line == 19);
  const auto plain = probe.function(3);
  CHECK(plain.name == "plain_c");
  CHECK(plain.mangled == "plain_c");
  CHECK(plain.line == 24);
}

TEST_CASE("without debug information the symbol table gives names") {
  Probe probe(PROBE_PLAIN);
  const auto hidden = probe.function(2);
  CHECK(hidden.name == "probe::(anonymous namespace)::hidden(int)");
  CHECK(hidden.file.empty());
  CHECK(hidden.line == 0);
  CHECK(probe.function(3).name == "plain_c");
}

TEST_CASE("a separate file with debug information that the program names") {
  Probe probe(PROBE_LINKED);
  const auto member = probe.function(0);
  CHECK(member.name == "probe::Solver::step(int) const");
  CHECK(member.line == 10);
  Probe of_another_version(PROBE_MISLINKED);
  CHECK(of_another_version.function(0).line == 0);
}

TEST_CASE("modules are found by address and have path and build id") {
  LoadedModules modules;
  const auto* program = modules.find(reinterpret_cast<std::uintptr_t>(&nameless));
  REQUIRE(program != nullptr);
  CHECK(program->definition.id == 0);
  CHECK(program->definition.path.ends_with("/user_test"));
  const auto* libc = modules.find(reinterpret_cast<std::uintptr_t>(dlsym(RTLD_DEFAULT, "abort")));
  REQUIRE(libc != nullptr);
  CHECK(libc->definition.id == 1);
  CHECK(libc->definition.build_id.size() == 40);
  CHECK(libc->definition.build_id.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(modules.find(16) == nullptr);
  int on_the_stack = 0;
  CHECK(modules.find(reinterpret_cast<std::uintptr_t>(&on_the_stack)) == nullptr);
}

TEST_CASE("a function in the middle of another has no name") {
  Probe probe(PROBE);
  static_cast<void>(probe.function(3));
  auto symbols = ModuleSymbols::open(probe.definition);
  REQUIRE(symbols.ok());
  CHECK(symbols->function_at(probe.offset + 1).name.empty());
  CHECK(symbols->function_at(0xfffffff).name.empty());
}

TEST_CASE("a file that has changed since the run gives no wrong names") {
  Probe probe(PROBE);
  static_cast<void>(probe.function(3));
  auto changed = probe.definition;
  changed.build_id = "00";
  const auto symbols = ModuleSymbols::open(changed);
  REQUIRE_FALSE(symbols.ok());
  CHECK(symbols.problem().what.find("has been changed since it ran") != std::string::npos);
}

TEST_CASE("files that are no programs are problems, not crashes") {
  const test::TemporaryDirectory directory;
  CHECK_FALSE(ModuleSymbols::open({0, directory.file("missing"), ""}).ok());
  std::ofstream(directory.file("text")) << "no program";
  CHECK_FALSE(ModuleSymbols::open({0, directory.file("text"), ""}).ok());
  // Half of a library: the parts that the headers describe are missing.
  const auto bytes = test::read_file(PROBE);
  std::ofstream(directory.file("half"), std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()),
             static_cast<std::streamsize>(bytes.size() / 2));
  if (auto symbols = ModuleSymbols::open({0, directory.file("half"), ""}); symbols) {
    CHECK(symbols->function_at(0x1100).line == 0);
  }
}

TEST_CASE("address definitions become regions, each once") {
  Probe probe(PROBE);
  static_cast<void>(probe.function(0));
  record::Definitions all;
  all.modules.push_back(probe.definition);
  all.regions.push_back({5000, "user", "code", "own", "", "", 1, 0});
  all.addresses.push_back({5001, probe.definition.id, probe.offset});
  all.addresses.push_back({5000, probe.definition.id, probe.offset});  // its name is known
  all.addresses.push_back({5002, probe.definition.id, 0x10});          // in the headers
  all.addresses.push_back({5003, 77, 0x1234});                         // in a lost module
  NameLookup names;
  const auto problems = names.resolve(all);
  REQUIRE(all.regions.size() == 4);
  CHECK(all.regions[1].id == 5001);
  CHECK(all.regions[1].name == "probe::Solver::step(int) const");
  CHECK(all.regions[1].paradigm == "compiler");
  CHECK(all.regions[1].role == "function");
  CHECK(all.regions[1].first_line == 10);
  CHECK(all.regions[2].name == "libuser_probe.so+0x10");
  CHECK(all.regions[3].name == "?+0x1234");
  REQUIRE(problems.size() == 1);
  CHECK(problems[0].starts_with("names of the functions of ? are unknown"));
  // No message is repeated for the same log or for that of another process.
  CHECK(names.resolve(all).empty());
  CHECK(all.regions.size() == 4);
  record::Definitions other;
  other.addresses.push_back({9000, 77, 0x1234});
  CHECK(names.resolve(other).empty());
  CHECK(other.regions.at(0).name == "?+0x1234");
}

namespace {

// Names and lines of the functions at a place: "outer:23 inner:7".
struct Around {
  std::string text;
  std::vector<std::uint32_t> instances;
  std::vector<std::uint32_t> lines;  // of the place, and of the calls on the way to it
};

Around around(const char* path, int which) {
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto place = reinterpret_cast<const void* (*)(int)>(dlsym(library, "inlined_place"));
  REQUIRE(place != nullptr);
  const auto at = reinterpret_cast<std::uintptr_t>(place(which)) - 1;
  LoadedModules modules;
  const auto* module = modules.find(at);
  REQUIRE(module != nullptr);
  auto symbols = ModuleSymbols::open(module->definition);
  REQUIRE(symbols.ok());
  Around found;
  for (const auto& [f, instance, file, line] : symbols->functions_around(at - module->bias)) {
    if (!found.text.empty()) found.text += ' ';
    found.text += f.name + ':' + std::to_string(f.line);
    found.instances.push_back(instance);
    found.lines.push_back(line);
    CHECK(file.ends_with("inlined_probe.cpp") == (line != 0));
    CHECK(f.file.ends_with("inlined_probe.cpp") == (f.line != 0));
  }
  CHECK(symbols->functions_around(0xfffffff).empty());
  CHECK(symbols->functions_around(1).empty());
  dlclose(library);
  return found;
}

// GCC gives functions of an anonymous namespace no name for the linker, so their parameters are
// unknown.
std::string without_parameters(std::string text) {
  constexpr std::string_view kParameters = "(int)";
  for (auto at = text.find(kParameters); at != std::string::npos; at = text.find(kParameters)) {
    text.erase(at, kParameters.size());
  }
  return text;
}

}  // namespace

TEST_CASE("functions around a place: with those that were put into it") {
  const std::string outer = "inlined_place:24", inner = " (anonymous namespace)::inner:7";
  CHECK(around(PROBE_INLINED, 0).text == outer);
  CHECK(around(PROBE_INLINED, 0).instances == std::vector<std::uint32_t>{0});
  const Around first = around(PROBE_INLINED, 1), second = around(PROBE_INLINED, 2);
  CHECK(without_parameters(first.text) == outer + inner);
  CHECK(without_parameters(second.text) == outer + inner);
  REQUIRE(first.instances.size() == 2);
  CHECK(first.instances[1] != second.instances[1]);
  CHECK(around(PROBE_INLINED, 0).lines == std::vector<std::uint32_t>{27});
  CHECK(first.lines == std::vector<std::uint32_t>{30, 8});
  CHECK(around(PROBE_INLINED, 3).lines == std::vector<std::uint32_t>{36, 14, 8});
  CHECK(without_parameters(around(PROBE_INLINED, 3).text) ==
        outer + " (anonymous namespace)::middle:13" + inner);
}

TEST_CASE("functions around a place, without debug information: the one that was called") {
  for (int which = 0; which < 4; ++which) {
    CHECK(around(PROBE_INLINED_PLAIN, which).text == "inlined_place:0");
    CHECK(around(PROBE_INLINED_PLAIN, which).lines == std::vector<std::uint32_t>{0});
  }
}

TEST_CASE("frames get their functions, each once") {
  Probe probe(PROBE);
  static_cast<void>(probe.function(3));
  record::Definitions all;
  all.modules.push_back(probe.definition);
  all.frames.push_back({1, 0, probe.definition.id, probe.offset + 2, probe.offset});
  all.frames.push_back({2, 1, probe.definition.id, 0x10, 0x8});  // in the headers
  all.frames.push_back({3, 2, 77, 0x1234, 0x1230});              // in a lost module
  all.frames.push_back({4, 3, 77, 0x1234, 0});  // in a function whose begin is unknown
  NameLookup names;
  const auto problems = names.resolve(all);
  CHECK(problems.size() == 1);
  REQUIRE(all.frame_functions.size() == 4);
  CHECK(all.frame_functions[0].frame == 1);
  CHECK(all.frame_functions[0].name == "plain_c");
  CHECK(all.frame_functions[0].line == 24);
  CHECK(all.frame_functions[1].name == "libuser_probe.so+0x8");
  CHECK(all.frame_functions[2].name == "?+0x1230");
  CHECK(all.frame_functions[3].name == "?+0x1234");
  CHECK(names.resolve(all).empty());
  CHECK(all.frame_functions.size() == 4);
}
