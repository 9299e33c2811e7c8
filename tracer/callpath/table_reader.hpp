// SPDX-License-Identifier: BSD-3-Clause
// Reads numbers from a module's unwind tables, in the encodings of DWARF, never outside of them.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace latecomer::callpath {

// The tables lie in memory where the module has them, so the address of a byte is that of the
// value relative to which it may be encoded. After a read past the end, ok() is false, the position
// is the end and all values are 0.
class TableReader {
 public:
  TableReader(std::span<const std::byte> bytes, std::size_t at) : bytes_(bytes), at_(at) {
    if (at > bytes.size()) fail();
  }

  [[nodiscard]] bool ok() const { return ok_; }
  [[nodiscard]] bool at_end() const { return at_ == bytes_.size(); }
  [[nodiscard]] std::size_t position() const { return at_; }
  [[nodiscard]] std::uintptr_t address() const {
    return reinterpret_cast<std::uintptr_t>(bytes_.data()) + at_;
  }
  void fail() {
    ok_ = false;
    at_ = bytes_.size();
  }

  template <class T>
  [[nodiscard]] T fixed() {
    T value{};
    if (bytes_.size() - at_ < sizeof(T)) {
      fail();
      return value;
    }
    std::memcpy(&value, bytes_.data() + at_, sizeof(T));
    at_ += sizeof(T);
    return value;
  }
  [[nodiscard]] std::uint8_t byte() { return fixed<std::uint8_t>(); }

  void skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) return fail();
    at_ += count;
  }

  // A reader for the next `count` bytes, which this one skips.
  [[nodiscard]] TableReader part(std::uint64_t count) {
    const std::size_t begin = at_;
    skip(count);
    TableReader inner(bytes_.first(at_), ok_ ? begin : at_);
    inner.ok_ = ok_;
    return inner;
  }

  // LEB128; bits beyond the 64th are dropped.
  [[nodiscard]] std::uint64_t unsigned_leb() { return leb().value; }
  [[nodiscard]] std::int64_t signed_leb() {
    const Leb read = leb();
    std::uint64_t value = read.value;
    if (read.negative && read.bits < 64) value |= ~std::uint64_t{0} << read.bits;
    return static_cast<std::int64_t>(value);
  }

  // A pointer in an encoding of .eh_frame (Linux Standard Base Core, "DWARF Exception Header
  // Encoding"). `index` is the address that values relative to data are relative to. Encodings that
  // compilers do not use for code fail.
  [[nodiscard]] std::uintptr_t pointer(std::uint8_t encoding, std::uintptr_t index) {
    const std::uintptr_t here = address();
    const std::uint64_t value = formatted(encoding & 0x0f);
    switch (encoding & 0xf0) {
      case 0x00:
        return value;
      case 0x10:
        return value + here;
      case 0x30:
        return value + index;
      default:
        fail();
        return 0;
    }
  }
  void skip_pointer(std::uint8_t encoding) {
    constexpr std::uint8_t kOmitted = 0xff, kAligned = 0x50;
    if (encoding == kOmitted) return;
    if (encoding == kAligned) return fail();
    static_cast<void>(formatted(encoding & 0x0f));
  }

 private:
  struct Leb {
    std::uint64_t value = 0;
    unsigned bits = 0;
    bool negative = false;
  };
  Leb leb() {
    Leb read;
    for (;;) {
      const std::uint8_t next = byte();
      if (!ok_) return {};
      if (read.bits < 64) read.value |= std::uint64_t{next & 0x7fU} << read.bits;
      read.bits += read.bits < 64 ? 7 : 0;
      read.negative = (next & 0x40) != 0;
      if ((next & 0x80) == 0) return read;
    }
  }

  std::uint64_t formatted(std::uint8_t format) {
    const auto extended = [](std::int64_t value) { return static_cast<std::uint64_t>(value); };
    switch (format) {
      case 0x00:
      case 0x04:
      case 0x0c:
        return fixed<std::uint64_t>();
      case 0x01:
        return unsigned_leb();
      case 0x02:
        return fixed<std::uint16_t>();
      case 0x03:
        return fixed<std::uint32_t>();
      case 0x09:
        return extended(signed_leb());
      case 0x0a:
        return extended(fixed<std::int16_t>());
      case 0x0b:
        return extended(fixed<std::int32_t>());
      default:
        fail();
        return 0;
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t at_;
  bool ok_ = true;
};

}  // namespace latecomer::callpath
