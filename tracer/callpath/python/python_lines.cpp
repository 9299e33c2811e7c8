// SPDX-License-Identifier: BSD-3-Clause
// Interprets tables of lines (CPython's Objects/lnotab_notes.txt, Objects/locations.md, PEP 626).
#include "tracer/callpath/python/python_lines.hpp"

namespace latecomer::python {
namespace {

std::uint32_t line_number(std::int64_t line) {
  constexpr std::int64_t kMost = 1'000'000'000;
  return line > 0 && line < kMost ? static_cast<std::uint32_t>(line) : 0;
}

std::int8_t as_signed(std::byte b) { return static_cast<std::int8_t>(b); }

// Pairs of bytes: so many bytes of code further, the line is so many further.
std::uint32_t from_increments(std::span<const std::byte> table, std::int64_t line,
                              std::int64_t offset) {
  std::int64_t at = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    at += std::to_integer<std::int64_t>(table[i]);
    if (at > offset) break;
    line += as_signed(table[i + 1]);
  }
  return line_number(line);
}

// Pairs of bytes: the length of a range of code, and the difference of its line to the line of the
// range before. -128: it has no line.
std::uint32_t from_ranges(std::span<const std::byte> table, std::int64_t line,
                          std::int64_t offset) {
  constexpr std::int8_t kNoLine = -128;
  std::int64_t end = 0;
  for (std::size_t i = 0; i + 1 < table.size(); i += 2) {
    end += std::to_integer<std::int64_t>(table[i]);
    const std::int8_t step = as_signed(table[i + 1]);
    if (step != kNoLine) line += step;
    if (offset < end) return step == kNoLine ? 0 : line_number(line);
  }
  return 0;
}

// Entries of several bytes, of which only the first has bit 7 set.
class Locations {
 public:
  explicit Locations(std::span<const std::byte> table) : rest_(table) {}

  [[nodiscard]] std::uint32_t line_at(std::int64_t line, std::int64_t offset) {
    std::int64_t end = 0;
    while (!rest_.empty()) {
      const std::uint32_t first = next();
      end += 2 * ((first & 7) + 1);
      const std::uint32_t kind = first >> 3 & 15;
      line += step(kind);
      if (offset < end) return kind == kNone ? 0 : line_number(line);
      while (!rest_.empty() && (std::to_integer<unsigned>(rest_.front()) & 128) == 0) next();
    }
    return 0;
  }

 private:
  // Kinds of entries. Those up to 9 are on the line of the entry before.
  enum : std::uint32_t { kOneLine = 10, kLines = 13, kLong = 14, kNone = 15 };

  std::int64_t step(std::uint32_t kind) {
    if (kind < kOneLine || kind == kNone) return 0;
    if (kind < kLines) return kind - kOneLine;
    const std::uint64_t value = number();
    const auto size = static_cast<std::int64_t>(value >> 1);
    return (value & 1) != 0 ? -size : size;
  }
  // Six bits per byte, the lowest first; bit 6 says that more follow.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (unsigned shift = 0; !rest_.empty() && shift < 36; shift += 6) {
      const std::uint32_t byte = next();
      value |= std::uint64_t{byte & 63} << shift;
      if ((byte & 64) == 0) break;
    }
    return value;
  }
  std::uint32_t next() {
    const auto value = std::to_integer<std::uint32_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return value;
  }

  std::span<const std::byte> rest_;
};

}  // namespace

std::uint32_t line_at(LineFormat format, std::span<const std::byte> table, std::uint32_t first,
                      std::int64_t offset) {
  if (offset < 0) return first;  // the function has not begun
  switch (format) {
    case LineFormat::kIncrements:
      return from_increments(table, first, offset);
    case LineFormat::kRanges:
      return from_ranges(table, first, offset);
    case LineFormat::kLocations:
      return Locations(table).line_at(first, offset);
  }
  return 0;
}

}  // namespace latecomer::python
