// SPDX-License-Identifier: BSD-3-Clause
#include "archive/otf2/end_mark.hpp"

#include <unistd.h>

#include <cstring>
#include <string_view>

#include "archive/plain_file.hpp"

namespace latecomer::otf2 {
namespace {

constexpr char kEndOfChunk = 0, kEndOfBuffer = 1, kEndOfFile = 2, kHeader = 3, kFirstWithLength = 5;
constexpr std::size_t kHeaderSize = 18;

// Of the record at the begin of `rest`; one byte more than there is where it does not fit.
std::size_t record_size(std::string_view rest, bool big_endian) {
  constexpr std::uint8_t kLong = 0xff;  // a length of eight bytes follows
  const std::size_t too_large = rest.size() + 1;
  if (rest.size() < 2) return too_large;
  const auto length = static_cast<std::uint8_t>(rest[1]);
  if (length != kLong) return 2 + std::size_t{length};
  std::uint64_t large = 0;
  if (rest.size() < 2 + sizeof large) return too_large;
  std::memcpy(&large, rest.data() + 2, sizeof large);
  if (big_endian) large = __builtin_bswap64(large);
  return large < rest.size() ? 2 + sizeof large + large : too_large;
}

}  // namespace

bool definitions_lead_to_end(const std::filesystem::path& file, std::uint64_t chunk) {
  const auto bytes = plain_content(file.string());
  if (!bytes) return false;
  for (std::size_t start = 0; start < bytes->size(); start += chunk) {
    const std::string_view records = std::string_view(*bytes).substr(start, chunk);
    if (records.size() <= kHeaderSize || records[0] != kHeader) return false;
    std::size_t at = kHeaderSize;
    while (at < records.size() && records[at] != kEndOfChunk) {
      const char type = records[at];
      if (type == kEndOfFile) return records.substr(at + 1).starts_with(kEndOfBuffer);
      if (type < kFirstWithLength && type >= kEndOfBuffer) return false;
      at += record_size(records.substr(at), records[1] == '#');
    }
    if (at > records.size()) return false;
  }
  return false;
}

bool has_end_mark(const std::filesystem::path& file) {
  const int opened = open_plain(file.string());
  if (opened < 0) return false;
  char end[2] = {};
  const bool read = lseek(opened, -2, SEEK_END) >= 0 && ::read(opened, end, 2) == 2;
  close(opened);
  return read && end[0] == kEndOfFile && end[1] == kEndOfBuffer;
}

}  // namespace latecomer::otf2
