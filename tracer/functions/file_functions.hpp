// SPDX-License-Identifier: BSD-3-Clause
// Functions on files that the measurement library knows by number, like those of MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "tracer/record/format.hpp"

namespace latecomer::record {

// The numbers are in records, so new functions come last. Functions for large files and checked
// ones (open64, __read_chk) count as the plain ones.
enum class FileFunction : std::uint8_t {
  kOpen,
  kOpenat,
  kCreat,
  kClose,
  kRead,
  kWrite,
  kPread,
  kPwrite,
  kReadv,
  kWritev,
  kPreadv,
  kPwritev,
  kFsync,
  kFdatasync,
  kFtruncate,
  kLseek,
  kFopen,
  kFreopen,
  kFclose,
  kFread,
  kFwrite,
  kFflush,
  kFseek,
  kFseeko,
  kRewind,
  kFgets,
  kGetline,
  kGetdelim,
  kFputs,
  kPuts,
  kPrintf,
  kFprintf,
  kVprintf,
  kVfprintf,
  kCount
};

struct FileFunctionName {
  const char* name;
  bool is_stream;  // of C's streams, else of POSIX
  bool moves;      // reads or writes data, or waits until they are stored
};

inline constexpr std::size_t kFileFunctionCount = static_cast<std::size_t>(FileFunction::kCount);
inline constexpr std::array<FileFunctionName, kFileFunctionCount> kFileFunctions = {{
    {"open", false, false},   {"openat", false, false},   {"creat", false, false},
    {"close", false, false},  {"read", false, true},      {"write", false, true},
    {"pread", false, true},   {"pwrite", false, true},    {"readv", false, true},
    {"writev", false, true},  {"preadv", false, true},    {"pwritev", false, true},
    {"fsync", false, true},   {"fdatasync", false, true}, {"ftruncate", false, false},
    {"lseek", false, false},  {"fopen", true, false},     {"freopen", true, false},
    {"fclose", true, true},   {"fread", true, true},      {"fwrite", true, true},
    {"fflush", true, true},   {"fseek", true, true},      {"fseeko", true, true},
    {"rewind", true, true},   {"fgets", true, true},      {"getline", true, true},
    {"getdelim", true, true}, {"fputs", true, true},      {"puts", true, true},
    {"printf", true, true},   {"fprintf", true, true},    {"vprintf", true, true},
    {"vfprintf", true, true},
}};

// Ids of their regions, between those of MPI functions and those of the program.
inline constexpr std::uint32_t kFirstFileRegion = kFirstOwnRegion - 256;
constexpr std::uint32_t region_of(FileFunction function) {
  return kFirstFileRegion + static_cast<std::uint32_t>(function);
}
constexpr bool is_file_region(std::uint32_t id) {
  return id >= kFirstFileRegion && id - kFirstFileRegion < kFileFunctionCount;
}

}  // namespace latecomer::record
