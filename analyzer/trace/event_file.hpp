// SPDX-License-Identifier: BSD-3-Clause
// The records of an OTF2 event file, as they lie there.
//
// A file is chunks of equal size; only the last may be shorter. A chunk is a header (byte order,
// numbers of its first and last event) and records; one of type 0 says that the rest of it is
// empty, one of type 2 that nothing follows. A record is a type, its length, and fields: bytes, or
// numbers without their leading zero bytes behind the number of bytes that are there (255:
// undefined). A time stamp and a list of attributes stand before the events they are for. Found by
// comparing files with what the OTF2 library was given; tests read the same files with it.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

namespace latecomer::trace {

// The fields of a record, to be taken in their order. What is not there or cannot be is 0, and
// bad() from then on. The bytes of a record have kSlack readable bytes behind them.
class Fields {
 public:
  static constexpr std::size_t kSlack = 16;

  Fields() = default;
  Fields(const std::uint8_t* begin, const std::uint8_t* end, bool swapped)
      : at_(begin), end_(end), swapped_(swapped) {}

  [[nodiscard]] bool bad() const { return at_ > end_; }
  [[nodiscard]] bool at_end() const { return at_ >= end_; }

  std::uint8_t u8() { return at_ < end_ ? *at_++ : fail(); }
  std::uint32_t u32() {
    if (at_ >= end_) return fail();
    const std::uint8_t size = *at_++;
    if (size == kUndefined) return ~std::uint32_t{0};
    if (size > sizeof(std::uint32_t)) return fail();
    return static_cast<std::uint32_t>(number(size));
  }
  std::uint64_t u64() {
    if (at_ >= end_) return fail();
    const std::uint8_t size = *at_++;
    if (size == kUndefined) return ~std::uint64_t{0};
    if (size > sizeof(std::uint64_t)) return fail();
    return number(size);
  }
  // All bytes are there.
  std::uint64_t whole(std::size_t size) { return number(size); }

 private:
  static constexpr std::uint8_t kUndefined = 0xff;

  // Beyond the end it becomes bad; the bytes that it looks at are within the slack.
  std::uint64_t number(std::size_t size) {
    if (size == 0) return 0;
    std::uint64_t value = 0;
    std::memcpy(&value, at_, sizeof value);
    at_ += size;
    const std::size_t missing = 8 * (sizeof value - size);
    if (swapped_) [[unlikely]]
      return __builtin_bswap64(value) >> missing;
    return value << missing >> missing;
  }
  std::uint8_t fail() {
    at_ = end_ + 1;
    return 0;
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool swapped_ = false;
};

static_assert(std::endian::native == std::endian::little);

struct EventRecord {
  std::uint8_t type = 0;
  std::uint64_t time = 0;  // as it was written: local ticks
  Fields fields;
  Fields attributes;  // their number, then for each one id, type, and value
};

// MT: one thread.
class EventFile {
 public:
  using Buffer = std::vector<std::uint8_t>;

  // `chunk`: the archive's bytes per chunk of events. `buffer` is lent, and may have been used.
  EventFile(const std::filesystem::path& path, std::size_t chunk, Buffer& buffer);
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;
  ~EventFile();

  // There is a file, with something in it.
  [[nodiscard]] bool opened() const { return opened_; }

  // errno, where the file is there and cannot be read.
  [[nodiscard]] int error() const { return error_; }

  // False: there is none any more, or what follows is damaged or missing.
  bool next(EventRecord& record) {
    record.attributes = {};
    const std::uint8_t* at = at_;  // in a register: each step depends on the one before
    for (;;) {
      if (at >= end_) {
        // Attributes stand in the chunk of their event.
        at_ = at;
        if (!record.attributes.at_end() || !read_chunk()) return false;
        at = at_;
        continue;
      }
      const std::uint8_t type = *at++;
      if (type == kTime) {
        Fields field(at, end_, swapped_);
        record.time = field.whole(sizeof record.time);
        if (field.bad()) return false;
        at += sizeof record.time;
        continue;
      }
      if (type < kFirstWithLength) {
        if (type == kEndOfChunk) {
          at = end_;
          continue;
        }
        complete_ = type == kEndOfFile;
        return false;
      }
      const std::uint8_t* begin = at;
      std::size_t size = at < end_ ? *at : 0;
      if (is_single(type)) {
        size = size == kLong ? 1 : size + 1;  // that of its field
      } else if (size == kLong) {
        begin = at + 1;
        size = Fields(begin, end_, swapped_).whole(sizeof(std::uint64_t));
        begin += sizeof(std::uint64_t);
      } else {
        begin = at + 1;
      }
      if (begin > end_ || size > static_cast<std::size_t>(end_ - begin)) return false;
      at = begin + size;
      if (type == kAttributes) {
        record.attributes = Fields(begin, at, swapped_);
        continue;
      }
      at_ = at;
      record.type = type;
      record.fields = Fields(begin, at, swapped_);
      return true;
    }
  }

  // The mark of the file's end was reached.
  [[nodiscard]] bool complete() const { return complete_; }

 private:
  enum Type : std::uint8_t {
    kEndOfChunk = 0,
    kEndOfFile = 2,
    kHeader = 3,
    kTime = 5,
    kFirstWithLength = 6,
    kAttributes = 6
  };
  static constexpr std::uint8_t kLong = 0xff;  // a length of eight bytes follows

  // Records of one number have its size where others have their length.
  static bool is_single(std::uint8_t type) {
    constexpr std::uint64_t kSingles = 1u << 12 | 1u << 13 | 1u << 16 | 1u << 17 | 1u << 20 |
                                       1u << 21 | 1u << 24 | 1u << 28 | 1u << 29 | 1u << 30;
    return type < 32 && (kSingles >> type & 1) != 0;
  }

  bool read_chunk();

  Buffer& buffer_;
  std::size_t chunk_;
  std::uint64_t offset_ = 0;  // of the next chunk in the file
  int file_ = -1;
  int error_ = 0;
  bool opened_ = false, swapped_ = false, complete_ = false;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;
};

}  // namespace latecomer::trace
