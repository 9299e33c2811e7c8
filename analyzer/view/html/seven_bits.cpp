// SPDX-License-Identifier: BSD-3-Clause
// Encodes bytes as text with seven bits per character.
#include "analyzer/view/html/seven_bits.hpp"

#include <cstdint>
#include <string_view>

namespace latecomer::view {
namespace {

constexpr std::string_view kForbidden("\0\n\r\"&<>", 7);

void put_two_bytes(std::string& text, std::uint32_t character) {
  text += static_cast<char>(0xc0 | character >> 6);
  text += static_cast<char>(0x80 | (character & 63));
}

}  // namespace

std::string seven_bits(std::span<const std::byte> bytes) {
  const std::size_t groups = (8 * bytes.size() + 6) / 7;
  const auto group = [&](std::size_t i) {
    // Seven bits from bit 7 i on lie within two bytes.
    const std::size_t first = 7 * i / 8;
    const auto at = [&](std::size_t k) {
      return k < bytes.size() ? std::to_integer<std::uint32_t>(bytes[k]) : 0U;
    };
    return (at(first) << 8 | at(first + 1)) >> (9 - 7 * i % 8) & 127;
  };
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 7 + 2);
  for (std::size_t i = 0; i < groups; ++i) {
    const std::uint32_t bits = group(i);
    const auto index = kForbidden.find(static_cast<char>(bits));
    if (index == std::string_view::npos) {
      text += static_cast<char>(bits);
    } else if (++i < groups) {
      put_two_bytes(text, static_cast<std::uint32_t>(0x100 + 128 * index) + group(i));
    } else {
      put_two_bytes(text, static_cast<std::uint32_t>(0x500 + index));
    }
  }
  return text;
}

}  // namespace latecomer::view
