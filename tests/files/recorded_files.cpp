// SPDX-License-Identifier: BSD-3-Clause
// Records in memory as text.
#include "tests/files/recorded_files.hpp"

#include <catch2/catch.hpp>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

#include "tests/support/temporary_directory.hpp"
#include "tracer/functions/file_functions.hpp"
#include "tracer/record/reader.hpp"
#include "tracer/session/process/session.hpp"

namespace latecomer::test {
namespace {

// Settings are read at the first record of the process.
[[gnu::constructor]] void switch_on() { setenv("LATECOMER_FILES", "on", 1); }

Uncounted uncounted;

std::string hexadecimal(std::uint32_t flags) {
  char text[16];
  std::snprintf(text, sizeof text, "0x%x", flags);
  return text;
}

// Names by id. Those of descriptors that were described in other threads stay.
std::map<std::uint64_t, std::string> names;

std::string base(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string text_of(const record::Record& r) {
  using namespace record;
  const ExtendedKind kind = r.extended();
  const std::uint64_t low = r.words[0] & 0xffffffff, high = r.words[0] >> 32;
  if (kind == kFileDescribed) {
    const FileDescription d = file_description(r.words[0], r.words[1]);
    std::string name(reinterpret_cast<const char*>(r.payload.data()) + 16, r.payload.size() - 16);
    name.resize(d.name_bytes);
    names[d.id] = name;
    return "described " + base(name) + (d.is_stream ? " ISOC " : " POSIX ") +
           std::to_string(d.mode) + " " + hexadecimal(d.creation) + " " + hexadecimal(d.status) +
           (d.was_open ? " before" : "");
  }
  if (kind == kFileName) {
    std::string& name = names[low];
    const std::size_t bytes = std::min(r.payload.size() - 8, name.size() - high);
    name.replace(high, bytes, reinterpret_cast<const char*>(r.payload.data()) + 8, bytes);
    return "named";
  }
  const std::string name = base(names[low]);
  if (kind == kFileCreated) return "created " + name;
  if (kind == kFileDestroyed) return "destroyed " + name;
  if (kind == kFileSought) {
    return "moved " + name + " " + std::to_string(static_cast<std::int64_t>(r.words[1])) +
           " from " + std::to_string(high) + " to " + std::to_string(r.words[2]);
  }
  if (kind != kFileOperated) return "?";
  constexpr const char* kModes[] = {"read ", "wrote ", "flushed "};
  return kModes[high & 0xff] + name + " " + std::to_string(r.words[2]) + " of " +
         std::to_string(r.words[1]);
}

std::string region(std::uint64_t id) {
  if (!record::is_file_region(static_cast<std::uint32_t>(id))) return std::to_string(id);
  return record::kFileFunctions[id - record::kFirstFileRegion].name;
}

}  // namespace

std::vector<std::string> recorded_files(const std::function<void()>& work) {
  const TemporaryDirectory directory;
  session::ThreadWriter* w = nullptr;
  std::thread([&] {
    w = session::writer();
    REQUIRE(w != nullptr);
    const auto& calls = session::detail::thread_state.info->file_calls;
    const std::uint64_t in_memory = calls.in_memory, left_out = calls.left_out;
    work();
    uncounted = {calls.in_memory - in_memory, calls.left_out - left_out};
  }).join();
  REQUIRE(w->losses().records == 0);
  REQUIRE(w->save_to(directory.file("a"), 0) == 0);
  const auto bytes = read_file(directory.file("a"));
  auto reader = record::RecordReader::over(bytes);
  REQUIRE(reader.ok());
  std::vector<std::string> lines;
  for (record::Record r; reader->next(r);) {
    // One file serves a thread after the other.
    if (r.kind == record::Kind::kThreadBegin) lines.clear();
    if (r.kind == record::Kind::kEnter) lines.push_back("enter " + region(r.id));
    if (r.kind == record::Kind::kLeave) lines.push_back("leave " + region(r.id));
    if (r.kind == record::Kind::kExtended) lines.push_back(text_of(r));
  }
  return lines;
}

std::vector<std::string> recorded_calls(const std::function<void()>& work) {
  std::vector<std::string> lines = recorded_files(work);
  std::erase_if(lines, [](const std::string& line) { return line.starts_with("described "); });
  return lines;
}

Uncounted last_uncounted() { return uncounted; }

}  // namespace latecomer::test
