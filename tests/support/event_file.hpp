// SPDX-License-Identifier: BSD-3-Clause
// The records of an OTF2 event file as bytes, so that tests can damage the file at chosen places.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace latecomer::test {

// Record types of OTF2's file format that the tests need.
inline constexpr std::uint8_t kEndOfChunk = 0;
inline constexpr std::uint8_t kEndOfFile = 2;
inline constexpr std::uint8_t kChunkHeader = 3;
inline constexpr std::uint8_t kTimeStamp = 5;
inline constexpr std::uint8_t kParameterInt = 33;
inline constexpr std::uint8_t kUnknownType = 200;  // in no OTF2 version

struct FileRecord {
  std::size_t offset = 0;  // of the type byte
  std::size_t size = 0;    // with the type byte
  std::uint8_t type = 0;
};

[[nodiscard]] std::string read_bytes(const std::filesystem::path& file);
void write_bytes(const std::filesystem::path& file, const std::string& bytes);

// All records of an event file with chunks of `chunk` bytes: headers, time stamps, events, ends.
[[nodiscard]] std::vector<FileRecord> event_records(const std::string& bytes, std::size_t chunk);

}  // namespace latecomer::test
