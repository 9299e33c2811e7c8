// SPDX-License-Identifier: BSD-3-Clause
// How much was done with files outside MPI, and how long it took.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analyzer/report/extras/json_writer.hpp"
#include "analyzer/report/extras/read_json.hpp"

namespace latecomer::report {

// Key "file_uses", only if there are any. A file at a call path, on one location.
struct FileUse {
  static constexpr std::size_t kMostRows = 200;  // those with most time

  std::uint32_t call_path = 0;  // number of the call path in the report
  std::uint32_t location = 0;   // column of the report
  std::string file;             // absolute path, or what it is: stdout, pipe
  std::int64_t operations = 0;  // that read, wrote, or waited until it was stored
  std::int64_t bytes_read = 0, bytes_written = 0;
  double reading = 0, writing = 0, storing = 0;  // seconds
  double opening = 0;                            // seconds in calls that open or close it

  [[nodiscard]] double seconds() const { return reading + writing + storing + opening; }
};

// Key "other_file_uses", only if there are any: rows that are not listed.
struct OtherFileUses {
  std::int64_t rows = 0;
  std::int64_t bytes_read = 0, bytes_written = 0;
  double seconds = 0;
};

inline void write(JsonWriter& out, const FileUse& use) {
  const auto whole = out.object();
  out.member("bytes_read", use.bytes_read);
  out.member("bytes_written", use.bytes_written);
  out.member("call_path", use.call_path);
  out.member("file", use.file);
  out.member("location", use.location);
  out.member("opening", use.opening);
  out.member("operations", use.operations);
  out.member("reading", use.reading);
  out.member("storing", use.storing);
  out.member("writing", use.writing);
}

inline void write(JsonWriter& out, const OtherFileUses& others) {
  const auto whole = out.object();
  out.member("bytes_read", others.bytes_read);
  out.member("bytes_written", others.bytes_written);
  out.member("rows", others.rows);
  out.member("seconds", others.seconds);
}

[[nodiscard]] inline OtherFileUses other_file_uses_from_json(const nlohmann::json& json) {
  OtherFileUses others;
  read(member(json, "rows"), others.rows);
  read(member(json, "bytes_read"), others.bytes_read);
  read(member(json, "bytes_written"), others.bytes_written);
  read(member(json, "seconds"), others.seconds);
  return others;
}

[[nodiscard]] inline std::vector<FileUse> file_uses_from_json(const nlohmann::json& json) {
  std::vector<FileUse> all;
  for (const auto& from : elements(json)) {
    FileUse& to = all.emplace_back();
    to.call_path = small_count_in(member(from, "call_path"));
    to.location = small_count_in(member(from, "location"));
    read(member(from, "file"), to.file);
    read(member(from, "operations"), to.operations);
    read(member(from, "bytes_read"), to.bytes_read);
    read(member(from, "bytes_written"), to.bytes_written);
    read(member(from, "reading"), to.reading);
    read(member(from, "writing"), to.writing);
    read(member(from, "storing"), to.storing);
    read(member(from, "opening"), to.opening);
  }
  return all;
}

}  // namespace latecomer::report
