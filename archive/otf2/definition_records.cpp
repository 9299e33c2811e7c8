// SPDX-License-Identifier: BSD-3-Clause
// Walks through the records of a definition file without the OTF2 library.
#include "archive/otf2/definition_records.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include "archive/plain_file.hpp"

namespace latecomer::otf2 {
namespace {

constexpr char kEndOfChunk = 0, kEndOfBuffer = 1, kEndOfFile = 2, kHeader = 3, kFirstWithLength = 5;
constexpr std::size_t kHeaderSize = 18;
constexpr char kMappingTable = 5, kGroup = 18;  // 5 in traces.def: properties of the clock

// Size of the record at the beginning of `rest`; larger than `rest` if the record does not fit.
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

// Takes the fields of a record one by one.
class Fields {
 public:
  Fields(std::string_view record, bool big_endian) : big_endian_(big_endian) {
    constexpr char kLong = '\xff';
    const std::size_t before = record[1] == kLong ? 2 + sizeof(std::uint64_t) : 2;
    rest_ = record.substr(std::min(before, record.size()));
  }

  void skip_byte() { rest_.remove_prefix(std::min<std::size_t>(1, rest_.size())); }

  // A number of up to eight bytes after a byte with their count. The count 0xff means "undefined",
  // the largest number of all. Returns 0 after the end of the record.
  std::uint64_t number() {
    if (rest_.empty()) return 0;
    const auto bytes = static_cast<std::uint8_t>(rest_[0]);
    rest_.remove_prefix(1);
    if (bytes > sizeof(std::uint64_t)) return std::numeric_limits<std::uint64_t>::max();
    std::uint64_t value = 0;
    const std::string_view digits = rest_.substr(0, bytes);
    for (std::size_t i = 0; i < digits.size(); ++i)
      value =
          value << 8 | static_cast<std::uint8_t>(digits[big_endian_ ? i : digits.size() - 1 - i]);
    rest_.remove_prefix(digits.size());
    return value;
  }

  [[nodiscard]] std::size_t bytes_left() const { return rest_.size(); }

 private:
  std::string_view rest_;
  bool big_endian_;
};

// True if a record states more elements than bytes follow. The OTF2 library allocates memory for
// that many before it reads them. Only groups and mapping tables have counts of more than one byte.
bool counts_too_many(std::string_view record, DefinitionsOf what, bool big_endian) {
  Fields fields(record, big_endian);
  if (record[0] == kGroup) {
    for (int id = 0; id < 2; ++id) fields.number();  // ids of the group and its name
    fields.skip_byte();                              // kind
    // kind of the mapped ids
  } else if (record[0] == kMappingTable && what == DefinitionsOf::kOneLocation) {
    fields.skip_byte();  // what is mapped
  } else {
    return false;
  }
  return fields.number() > fields.bytes_left();
}

// A file that is read chunk by chunk: it may be longer than the memory, and damaged at its begin.
class ChunkedFile {
 public:
  explicit ChunkedFile(const std::filesystem::path& path) : file_(open_plain(path.string())) {
    struct stat status {};
    if (file_ >= 0 && fstat(file_, &status) == 0)
      size_ = static_cast<std::uint64_t>(status.st_size);
  }
  ~ChunkedFile() {
    if (file_ >= 0) close(file_);
  }
  ChunkedFile(const ChunkedFile&) = delete;
  ChunkedFile& operator=(const ChunkedFile&) = delete;

  // At most `most` bytes from `start` on, until the next call; fewer at the end or on an error.
  std::string_view read_at(std::uint64_t start, std::uint64_t most) {
    buffer_.resize(start < size_ ? std::min(most, size_ - start) : 0);
    std::size_t had = 0;
    while (had < buffer_.size()) {
      const ssize_t got =
          pread(file_, buffer_.data() + had, buffer_.size() - had, static_cast<off_t>(start + had));
      if (got == 0 || (got < 0 && errno != EINTR)) break;
      had += static_cast<std::size_t>(std::max<ssize_t>(got, 0));
    }
    return std::string_view(buffer_).substr(0, had);
  }

 private:
  int file_;
  std::uint64_t size_ = 0;
  std::string buffer_;
};

}  // namespace

bool definitions_are_whole(const std::filesystem::path& file, DefinitionsOf what,
                           std::uint64_t chunk) {
  ChunkedFile in(file);
  for (std::uint64_t start = 0;; start += chunk) {
    const std::string_view records = in.read_at(start, chunk);
    if (records.size() <= kHeaderSize || records[0] != kHeader) return false;
    std::size_t at = kHeaderSize;
    while (at < records.size() && records[at] != kEndOfChunk) {
      const char type = records[at];
      if (type == kEndOfFile) return records.substr(at + 1).starts_with(kEndOfBuffer);
      if (type < kFirstWithLength && type >= kEndOfBuffer) return false;
      const bool big_endian = records[1] == '#';
      const std::size_t size = record_size(records.substr(at), big_endian);
      if (at + size > records.size()) return false;
      if (counts_too_many(records.substr(at, size), what, big_endian)) return false;
      at += size;
    }
  }
}

}  // namespace latecomer::otf2
