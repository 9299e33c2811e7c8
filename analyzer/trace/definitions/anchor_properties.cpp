// SPDX-License-Identifier: BSD-3-Clause
// Layout of OTF2's anchor: a head of fixed length; machine, creator and description; the number of
// properties, their names and values; the rest. Texts end with a zero. Numbers are in the byte
// order that the head states.
#include "analyzer/trace/definitions/anchor_properties.hpp"

#include <cstddef>
#include <cstdint>

namespace latecomer::trace {
namespace {

constexpr std::size_t kByteOrder = 1, kFormat = 7, kHead = 46;
constexpr char kBigEndian = '#';
constexpr std::size_t kCountBytes = 4;

// Returns the text at `position` and moves `position` past it.
std::string_view text_at(std::string_view bytes, std::size_t& position) {
  const std::string_view text = bytes.substr(position, bytes.find('\0', position) - position);
  position += text.size() + 1;
  return text;
}

// The place of byte i of a number, counted from the lowest byte.
std::size_t place(std::size_t i, bool big_endian, std::size_t bytes = kCountBytes) {
  return big_endian ? bytes - 1 - i : i;
}

bool is_big_endian(std::string_view anchor) { return anchor[kByteOrder] == kBigEndian; }

// Returns the number of properties at `position` and moves `position` past it.
std::uint32_t number_at(std::string_view anchor, std::size_t& position) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < kCountBytes; ++i) {
    const auto byte = static_cast<std::uint8_t>(anchor[position + place(i, is_big_endian(anchor))]);
    number |= std::uint32_t{byte} << (8 * i);
  }
  position += kCountBytes;
  return number;
}

}  // namespace

std::string with_trace_id(std::string_view anchor, std::uint64_t id) {
  if (anchor.size() < kHead || anchor[kFormat] < 2) return std::string(anchor);
  std::size_t position = kHead;
  for (int i = 0; i < 3; ++i) text_at(anchor, position);
  for (std::uint32_t left = 2 * number_at(anchor, position); left > 0; --left) {
    text_at(anchor, position);
  }
  std::string out(anchor);
  for (std::size_t i = 0; i < sizeof id && position + sizeof id <= out.size(); ++i) {
    out[position + place(i, is_big_endian(anchor), sizeof id)] =
        static_cast<char>(id >> (8 * i) & 0xff);
  }
  return out;
}

std::string with_properties(std::string_view anchor, const PropertyChanges& changes) {
  if (anchor.size() < kHead || anchor[kFormat] < 2) return std::string(anchor);
  const bool big_endian = is_big_endian(anchor);
  std::size_t position = kHead;
  for (int i = 0; i < 3; ++i) text_at(anchor, position);
  const std::size_t at_count = position;
  const std::uint32_t count = number_at(anchor, position);
  std::string out(anchor.substr(0, position));
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::string_view name = text_at(anchor, position);
    std::string_view value = text_at(anchor, position);
    const auto change = changes.find(std::string(name));
    if (change != changes.end()) {
      if (!change->second) continue;
      value = *change->second;
    }
    ++kept;
    out.append(name).append(1, '\0').append(value).append(1, '\0');
  }
  for (std::size_t i = 0; i < kCountBytes; ++i) {
    out[at_count + place(i, big_endian)] = static_cast<char>(kept >> (8 * i) & 0xff);
  }
  return out.append(anchor.substr(position));
}

}  // namespace latecomer::trace
