// SPDX-License-Identifier: BSD-3-Clause
// Reads code objects and the strings in them.
#include "tracer/callpath/python/python_code.hpp"

#include <string_view>

#include "archive/hash.hpp"
#include "tracer/callpath/python/python_lines.hpp"
#include "tracer/callpath/python/readable.hpp"

namespace latecomer::python {
namespace {

constexpr std::size_t kLongestText = 4096;
constexpr std::size_t kLongestTable = std::size_t{1} << 24;

void add_utf8(std::string& text, std::uint32_t c) {
  const bool is_character = c < 0xd800 || (c >= 0xe000 && c < 0x110000);
  if (!is_character) c = 0xfffd;
  if (c < 0x80) {
    text += static_cast<char>(c);
    return;
  }
  const int more = c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;
  constexpr unsigned kFirst[] = {0, 0xc0, 0xe0, 0xf0};
  text += static_cast<char>(kFirst[more] | c >> (6 * more));
  for (int i = more - 1; i >= 0; --i) text += static_cast<char>(0x80 | (c >> (6 * i) & 0x3f));
}

// The state of a string has 3 bits for the bytes per character, and one each for compact and ASCII
// strings, after those for interning.
std::optional<std::string> text_at(const Layout& l, const Types& types, std::uintptr_t object) {
  if (!readable(object, l.text_compact) || read_address(object + l.object_type) != types.text) {
    return std::nullopt;
  }
  const auto length = read<std::uint64_t>(object + l.text_length);
  const std::uint32_t kind = read<std::uint32_t>(object + l.text_state) >> l.text_kind;
  const std::uint32_t width = kind & 7;
  const bool is_compact = (kind >> 3 & 1) != 0, is_ascii = (kind >> 4 & 1) != 0;
  if (!is_compact || length > kLongestText || (width != 1 && width != 2 && width != 4)) {
    return std::nullopt;
  }
  const std::uintptr_t data = object + (is_ascii ? l.text_ascii : l.text_compact);
  if (!readable(data, length * width)) return std::nullopt;
  std::string text;
  for (std::uintptr_t at = data; at != data + length * width; at += width) {
    add_utf8(text, width == 1   ? read<std::uint8_t>(at)
                   : width == 2 ? read<std::uint16_t>(at)
                                : read<std::uint32_t>(at));
  }
  return text;
}

std::optional<std::span<const std::byte>> bytes_at(const Layout& l, const Types& types,
                                                   std::uintptr_t object) {
  if (!readable(object, l.bytes_data) || read_address(object + l.object_type) != types.bytes) {
    return std::nullopt;
  }
  const auto size = read<std::uint64_t>(object + l.bytes_size);
  if (size > kLongestTable || !readable(object + l.bytes_data, size)) return std::nullopt;
  return std::span(reinterpret_cast<const std::byte*>(object + l.bytes_data), size);
}

}  // namespace

std::optional<SourcePlace> describe(const Layout& l, const Types& types, const Frame& frame) {
  const std::uintptr_t code = frame.code;
  if (!readable(code, l.code_size()) || read_address(code + l.object_type) != types.code) {
    return std::nullopt;
  }
  auto name = text_at(l, types, read_address(code + l.code_name));
  auto file = text_at(l, types, read_address(code + l.code_filename));
  const auto lines = bytes_at(l, types, read_address(code + l.code_lines));
  if (!name || !file || !lines) return std::nullopt;
  const auto first = read<std::int32_t>(code + l.code_first_line);
  const std::uint32_t first_line = first > 0 ? static_cast<std::uint32_t>(first) : 0;
  return SourcePlace{std::move(*name), std::move(*file), first_line,
                     line_at(l.lines, *lines, first_line, frame.offset)};
}

// A sum of products, since a processor computes these side by side.
std::uint64_t fingerprint(const Layout& l, const Types& types, std::uintptr_t code) {
  if (read_address(code + l.object_type) != types.code) return 0;
  std::uint64_t sum = spread(code), factor = kGoldenRatio;
  const auto add = [&](std::uint64_t part) {
    factor = hash_with(factor, kGoldenRatio) | 1;  // a constant for the compiler
    sum += part * factor;
  };
  for (const auto field : {l.code_name, l.code_filename}) {
    const std::uintptr_t text = read_address(code + field);
    add(text);
    add(read<std::uint64_t>(text + l.text_length));
    add(read<std::uint64_t>(text + l.text_hash));  // Python's own hash of the characters
  }
  add(read_address(code + l.code_lines));
  add(read<std::uint32_t>(code + l.code_first_line));
  add(read<std::uint64_t>(code + l.object_size));
  return hash_with(sum, 0) | 1;
}

}  // namespace latecomer::python
