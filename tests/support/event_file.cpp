// SPDX-License-Identifier: BSD-3-Clause
// Parser of event files. A record is a type byte, a length and data; chunk headers and time stamps
// have fixed sizes.
#include "tests/support/event_file.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace latecomer::test {
namespace {

constexpr std::size_t kHeaderSize = 18;
constexpr std::size_t kTimeStampSize = 9;

// Records with one compressed integer have its size byte where others have their length.
bool is_single(std::uint8_t type) {
  return type == 12 || type == 13 || type == 16 || type == 17 || type == 20 || type == 21 ||
         type == 24 || (type >= 28 && type <= 30);
}

// Size of the record at `at`. A length byte of 255 means that the length follows in 8 bytes; in
// records with one integer it means an undefined value without further bytes.
std::size_t size_of(const std::string& bytes, std::size_t at, std::uint8_t type) {
  if (type == kChunkHeader) return kHeaderSize;
  if (type == kTimeStamp) return kTimeStampSize;
  if (type < kTimeStamp) return 1;
  const auto length = static_cast<std::uint8_t>(bytes.at(at + 1));
  if (length != 0xff) return 2 + std::size_t{length};
  if (is_single(type)) return 2;
  std::uint64_t large = 0;
  std::memcpy(&large, bytes.data() + at + 2, sizeof large);
  return 10 + large;
}

}  // namespace

std::string read_bytes(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error("cannot read " + file.string());
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& file, const std::string& bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!out.flush()) throw std::runtime_error("cannot write " + file.string());
}

std::vector<FileRecord> event_records(const std::string& bytes, std::size_t chunk) {
  std::vector<FileRecord> out;
  for (std::size_t start = 0; start < bytes.size(); start += chunk) {
    const std::size_t end = std::min(start + chunk, bytes.size());
    for (std::size_t at = start; at < end;) {
      const auto type = static_cast<std::uint8_t>(bytes[at]);
      const std::size_t size = size_of(bytes, at, type);
      out.push_back({at, size, type});
      if (type == kEndOfFile) return out;
      if (type == kEndOfChunk) break;
      at += size;
    }
  }
  return out;
}

}  // namespace latecomer::test
