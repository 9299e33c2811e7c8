// SPDX-License-Identifier: BSD-3-Clause
// Changes of bytes and texts that are useful for many formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace latecomer::fuzz {

using Bytes = std::vector<std::uint8_t>;

[[nodiscard]] Bytes bytes_of(std::string_view text);
[[nodiscard]] std::string text_of(std::span<const std::uint8_t> bytes);

// Pseudo-random numbers that are quick to set up: one generator is made for every input
// (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t number() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  // A number from 0 to end - 1; 0 if end is 0.
  std::size_t below(std::size_t end) { return end == 0 ? 0 : number() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename Range>
  const auto& one_of(const Range& range) {
    return *std::next(std::begin(range), static_cast<std::ptrdiff_t>(below(std::size(range))));
  }
  // Small numbers, powers of two and their neighbors, the largest numbers, and any others.
  std::uint64_t interesting();

 private:
  std::uint64_t state_;
};

// One change: of bits, of bytes or of a number; a piece is removed, repeated, moved or zeroed, or
// the end is removed.
void mutate_bytes(Bytes& bytes, Random& random);

// One change of a text: a word of `words` is inserted or replaces another, or a number is changed.
// A line is removed, repeated or moved, a piece is nested many times, or characters are changed.
void mutate_text(Bytes& bytes, Random& random, std::span<const std::string_view> words);

}  // namespace latecomer::fuzz
