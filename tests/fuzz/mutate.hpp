// SPDX-License-Identifier: BSD-3-Clause
// Changes of bytes and texts that mean something in many formats.
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

// Numbers of no pattern, quick to set up: one is made for every input (splitmix64).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t number() {
    std::uint64_t x = state_ += 0x9e3779b97f4a7c15U;
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31U);
  }
  // 0 to end - 1; 0 where there is nothing to choose from.
  std::size_t below(std::size_t end) { return end == 0 ? 0 : number() % end; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <typename Range>
  const auto& one_of(const Range& range) {
    return *std::next(std::begin(range), static_cast<std::ptrdiff_t>(below(std::size(range))));
  }
  // Small ones, powers of two and their neighbors, largest ones, any.
  std::uint64_t interesting();

 private:
  std::uint64_t state_;
};

// One change: bits, bytes, a number, a piece gone, twice, moved, or zeroed, the end gone.
void mutate_bytes(Bytes& bytes, Random& random);

// One change of a text: a word of `words` inserted or in place of another, a number changed, a
// line gone, twice or moved, a piece nested often, characters.
void mutate_text(Bytes& bytes, Random& random, std::span<const std::string_view> words);

}  // namespace latecomer::fuzz
