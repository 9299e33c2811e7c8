// SPDX-License-Identifier: BSD-3-Clause
// The records of an OTF2 event file, as they are on disk.
//
// A file consists of chunks of equal size; only the last may be shorter. A chunk has a header (byte
// order, numbers of its first and last event) and records. A record of type 0 ends the chunk; the
// rest of it is empty. A record of type 2 ends the file.
//
// A record is a type, its length, and fields. A field is a byte, or a number: first how many bytes
// it has, then these bytes without leading zeros (255: undefined). A time stamp and a list of
// attributes precede the event that they belong to.
//
//   12  1 7             enter (type 12) of region 7: a record of one number has no length
//   11  1  2            recording off (type 11): length 1, and one byte
//
// This was found by comparing files with the data given to the OTF2 library. Tests read the same
// files with that library.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <vector>

namespace latecomer::trace {

// The fields of a record, to be taken in their order. Bounds are not checked before all are taken.
// Then bad() says whether a field is impossible or beyond the end; in that case all values are
// meaningless. The bytes of a record are therefore followed by kSlack readable bytes, enough for
// kMost fields.
class Fields {
 public:
  static constexpr std::size_t kMost = 12, kSlack = 128;

  Fields() = default;
  Fields(const std::uint8_t* begin, const std::uint8_t* end, bool swapped)
      : at_(begin), end_(end), swapped_(swapped) {}

  [[nodiscard]] bool bad() const { return at_ > end_; }
  [[nodiscard]] bool at_end() const { return at_ >= end_; }

  std::uint8_t u8() { return *at_++; }
  std::uint32_t u32() { return static_cast<std::uint32_t>(number(sizeof(std::uint32_t))); }
  std::uint64_t u64() { return number(sizeof(std::uint64_t)); }
  // Takes the only field of a usual record. False: it is impossible.
  template <typename Number>
  bool single(Number& number) {
    const std::uint8_t size = *at_++;
    if (size == 1) [[likely]] {  // the size of most ids
      number = *at_;
      return true;
    }
    if (size > sizeof(Number)) return false;
    number = static_cast<Number>(bytes(size));
    return true;
  }
  // Takes a number with all its bytes, without a size in front.
  std::uint64_t whole(std::size_t size) {
    const std::uint64_t value = bytes(size);
    at_ += size;
    return value;
  }

 private:
  static constexpr std::uint8_t kUndefined = 0xff;
  static constexpr auto kMasks = [] {  // masks of the lowest bytes
    std::array<std::uint64_t, 1 + sizeof(std::uint64_t)> masks{};
    for (std::size_t i = 1; i < masks.size(); ++i) masks[i] = masks[i - 1] << 8 | 0xff;
    return masks;
  }();
  static_assert(kMost * (1 + sizeof(std::uint64_t)) + sizeof(std::uint64_t) < kSlack);

  std::uint64_t number(std::uint8_t most) {
    const std::uint8_t size = *at_++;
    if (size > most) [[unlikely]] {
      if (size == kUndefined) return ~std::uint64_t{0};
      at_ = end_ + 1;
      return 0;
    }
    const std::uint64_t value = bytes(size);
    at_ += size;
    return value;
  }
  [[nodiscard]] std::uint64_t bytes(std::size_t size) const {
    std::uint64_t value = 0;
    std::memcpy(&value, at_, sizeof value);
    if (swapped_) [[unlikely]]
      return size == 0 ? 0 : __builtin_bswap64(value) >> 8 * (sizeof value - size);
    return value & kMasks[size];
  }

  const std::uint8_t* at_ = nullptr;
  const std::uint8_t* end_ = nullptr;
  bool swapped_ = false;
};

static_assert(std::endian::native == std::endian::little);

// A record with the time and attributes that precede it.
struct EventRecord {
  std::uint8_t type = 0;
  std::uint64_t time = 0;  // as written: local ticks
  bool new_time = true;    // next() sets it together with `time`; the user of the time clears it
  Fields fields;
  Fields attributes;  // their number, then id, type and value of each
};

// Reads an event file sequentially. MT: one thread.
class EventFile {
 public:
  using Buffer = std::vector<std::uint8_t>;

  // `chunk`: bytes per chunk of events in the archive. `buffer` is borrowed; its content is lost.
  EventFile(const std::filesystem::path& path, std::size_t chunk, Buffer& buffer);
  EventFile(const EventFile&) = delete;
  EventFile& operator=(const EventFile&) = delete;
  ~EventFile();

  // True if the file exists and is not empty.
  [[nodiscard]] bool opened() const { return opened_; }

  // errno, if the file exists but cannot be read.
  [[nodiscard]] int error() const { return error_; }

  // Reads the next record. False: there is none, or the rest is damaged or missing.
  bool next(EventRecord& record);
  // A range for the fast path. Nearly all records are usual: they and a time before them are
  // complete in the buffer, have no attributes, and have a length of one byte. Such a record, or
  // its time, may begin at `begin`, if that is before `end`. After taking some, the caller reports
  // the position to go_on(). Other records must be read by next().
  struct Usual {
    const std::uint8_t *begin, *end;
  };
  [[nodiscard]] Usual usual() const { return {at_, usual_end_}; }
  void go_on(const std::uint8_t* at) { at_ = at; }
  // Takes a time. False: there is none.
  static bool take_time(const std::uint8_t*& at, std::uint64_t& time) {
    if (*at != kTime) return false;
    std::memcpy(&time, at + 1, sizeof time);
    at += 1 + sizeof time;
    return true;
  }
  // True if a usual record follows the time. Its fields follow its length, unless it is single.
  [[nodiscard]] static bool is_usual(std::uint8_t type, std::uint8_t length) {
    return type > kAttributes && length != kLong;
  }
  // Records of a single number have its size in the place of the length.
  static constexpr bool is_single(std::uint8_t type) {
    constexpr std::uint64_t kSingles = 1u << 12 | 1u << 13 | 1u << 16 | 1u << 17 | 1u << 20 |
                                       1u << 21 | 1u << 24 | 1u << 28 | 1u << 29 | 1u << 30;
    return type < 32 && (kSingles >> type & 1) != 0;
  }

  // True if the mark at the end of the file was reached.
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

  bool read_chunk();

  Buffer& buffer_;
  std::size_t chunk_;
  std::uint64_t offset_ = 0;  // offset of the next chunk in the file
  int file_ = -1;
  int error_ = 0;
  bool opened_ = false, swapped_ = false, complete_ = false;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;
  // Before this address there is room for any usual record and its time.
  const std::uint8_t* usual_end_ = nullptr;  // null at first: the first record is never usual
  static constexpr std::size_t kUsual = 1 + sizeof(std::uint64_t) + 2 + kLong;
};

}  // namespace latecomer::trace
