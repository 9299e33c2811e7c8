// SPDX-License-Identifier: BSD-3-Clause
// Converts records in memory to text. All definitions of the test program are collected in one log.
#include "tests/user/recorded.hpp"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/session/process/session.hpp"
#include "tracer/state/process.hpp"
#include "tracer/symbols/module_symbols.hpp"

namespace latecomer::test {
namespace {

// Shortens "void instrumented::(anonymous namespace)::f<1>(int)" to "f<1>".
std::string short_name(std::string name) {
  static const std::string kAnonymous = "(anonymous namespace)::";
  if (const auto at = name.find(kAnonymous); at != std::string::npos) {
    name.erase(at, kAnonymous.size());
  }
  name = name.substr(0, name.find('('));
  const auto start = name.find("instrumented::");
  return start == std::string::npos ? name : name.substr(start + 14);
}

// Maps the ids of all regions that the session has defined so far to their names.
std::map<std::uint64_t, std::string> region_names() {
  static const TemporaryDirectory directory;
  static const int moved = process().session.definitions.move_to(directory.file("log"));
  REQUIRE(moved == 0);
  const auto bytes = read_file(directory.file("log"));
  auto all = record::parse_definitions({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  REQUIRE(all.bad_lines.empty());
  REQUIRE(user::NameLookup().resolve(all).empty());
  std::map<std::uint64_t, std::string> names;
  for (const auto& region : all.regions) {
    names[region.id] = short_name(region.name);
  }
  return names;
}

}  // namespace

std::string recorded(const std::function<void()>& work) {
  const TemporaryDirectory directory;
  session::ThreadWriter* w = nullptr;
  std::thread([&] {
    w = session::writer();
    REQUIRE(w != nullptr);
    work();
  }).join();
  REQUIRE(w->save_to(directory.file("a"), 0) == 0);
  const auto bytes = read_file(directory.file("a"));
  auto reader = record::RecordReader::over(bytes);
  REQUIRE(reader.ok());
  const auto names = region_names();
  std::string text;
  for (record::Record r; reader->next(r);) {
    const auto known = names.find(r.id);
    const std::string name = known != names.end() ? known->second : "?";
    if (r.kind == record::Kind::kEnter) text += "(" + name + " ";
    if (r.kind == record::Kind::kLeave) text += name + ") ";
    if (r.kind == record::Kind::kMeasurement) text += r.id != 0 ? "on " : "off ";
  }
  return text;
}

std::size_t events(const std::string& text) {
  return static_cast<std::size_t>(std::ranges::count(text, ' '));
}

}  // namespace latecomer::test
