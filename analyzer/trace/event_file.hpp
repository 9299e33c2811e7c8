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

// The fields of a record, to be taken in their order. Nothing is looked at before all are taken:
// then it is bad() if one of them lies beyond the end or cannot be, and all of them mean nothing.
// So the bytes of a record have kSlack readable bytes behind them, enough for kMost fields.
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
  // The number of a usual record that is single, and nothing but that. False: it cannot be.
  template <typename Number>
  bool single(Number& number) {
    const std::uint8_t size = *at_++;
    if (size == 1) [[likely]] {  // as most of all ids have
      number = *at_;
      return true;
    }
    if (size > sizeof(Number)) return false;
    number = static_cast<Number>(bytes(size));
    return true;
  }
  // All bytes are there.
  std::uint64_t whole(std::size_t size) {
    const std::uint64_t value = bytes(size);
    at_ += size;
    return value;
  }

 private:
  static constexpr std::uint8_t kUndefined = 0xff;
  static constexpr auto kMasks = [] {  // of the lowest bytes
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

struct EventRecord {
  std::uint8_t type = 0;
  std::uint64_t time = 0;  // as it was written: local ticks
  bool new_time = true;    // next() sets it with a time; whoever has used that takes it away
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
  bool next(EventRecord& record);
  // Nearly all records need less of a look: they and a time before them are in the buffer as a
  // whole, there are no attributes, and the length is a byte. Such a record, or its time, may begin
  // at `begin`, if that is before `end`. Who has taken some says so by go_on(); what is not that
  // simple is for next().
  struct Usual {
    const std::uint8_t *begin, *end;
  };
  [[nodiscard]] Usual usual() const { return {at_, usual_end_}; }
  void go_on(const std::uint8_t* at) { at_ = at; }
  // Steps over a time. False: there is none.
  static bool take_time(const std::uint8_t*& at, std::uint64_t& time) {
    if (*at != kTime) return false;
    std::memcpy(&time, at + 1, sizeof time);
    at += 1 + sizeof time;
    return true;
  }
  // What stands behind the time is a usual record. Its fields are behind its length, but for one
  // that is single.
  [[nodiscard]] static bool is_usual(std::uint8_t type, std::uint8_t length) {
    return type > kAttributes && length != kLong;
  }
  // Records of one number have its size where others have their length.
  static constexpr bool is_single(std::uint8_t type) {
    constexpr std::uint64_t kSingles = 1u << 12 | 1u << 13 | 1u << 16 | 1u << 17 | 1u << 20 |
                                       1u << 21 | 1u << 24 | 1u << 28 | 1u << 29 | 1u << 30;
    return type < 32 && (kSingles >> type & 1) != 0;
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

  bool read_chunk();

  Buffer& buffer_;
  std::size_t chunk_;
  std::uint64_t offset_ = 0;  // of the next chunk in the file
  int file_ = -1;
  int error_ = 0;
  bool opened_ = false, swapped_ = false, complete_ = false;
  const std::uint8_t *at_ = nullptr, *end_ = nullptr;
  // In front of it there is room for any usual record and its time.
  const std::uint8_t* usual_end_ = nullptr;  // at first: the first record is never usual
  static constexpr std::size_t kUsual = 1 + sizeof(std::uint64_t) + 2 + kLong;
};

}  // namespace latecomer::trace
