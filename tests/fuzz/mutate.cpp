// SPDX-License-Identifier: BSD-3-Clause
// Changes of bytes and texts that are useful for many formats.
#include "tests/fuzz/mutate.hpp"

#include <algorithm>
#include <cctype>

namespace latecomer::fuzz {
namespace {

using Offset = std::ptrdiff_t;

// A piece of the input, [from, to).
struct Piece {
  std::size_t from, to;
};

Piece any_piece(const Bytes& bytes, Random& random) {
  const std::size_t from = random.below(bytes.size());
  const std::size_t most = random.one_in(4) ? bytes.size() : 16;
  return {from, std::min(bytes.size(), from + 1 + random.below(most))};
}

Bytes copy(const Bytes& bytes, Piece piece) {
  return {bytes.begin() + static_cast<Offset>(piece.from),
          bytes.begin() + static_cast<Offset>(piece.to)};
}

// Copies of copies would reach tens of megabytes in a few steps: such inputs would only test the
// running time.
constexpr std::size_t kMostBytes = 256 << 10;

void insert(Bytes& bytes, std::size_t at, std::span<const std::uint8_t> what) {
  if (bytes.size() + what.size() > kMostBytes) return;
  bytes.insert(bytes.begin() + static_cast<Offset>(at), what.begin(), what.end());
}

void erase(Bytes& bytes, Piece piece) {
  bytes.erase(bytes.begin() + static_cast<Offset>(piece.from),
              bytes.begin() + static_cast<Offset>(piece.to));
}

void replace(Bytes& bytes, Piece piece, std::span<const std::uint8_t> what) {
  erase(bytes, piece);
  insert(bytes, piece.from, what);
}

// The word or number around a position: letters, digits, and characters that join them.
Piece word_at(const Bytes& bytes, std::size_t at) {
  const auto in_word = [&](std::size_t i) {
    return std::isalnum(bytes[i]) != 0 || bytes[i] == '_' || bytes[i] == '.' || bytes[i] == '-';
  };
  std::size_t from = at, to = at;
  while (from > 0 && in_word(from - 1)) --from;
  while (to < bytes.size() && in_word(to)) ++to;
  return {from, to};
}

Piece line_at(const Bytes& bytes, std::size_t at) {
  std::size_t from = at, to = at;
  while (from > 0 && bytes[from - 1] != '\n') --from;
  while (to < bytes.size() && bytes[to] != '\n') ++to;
  return {from, std::min(bytes.size(), to + 1)};
}

Bytes number_text(Random& random) {
  const std::string digits = std::to_string(random.interesting());
  switch (random.below(8)) {
    case 0:
      return bytes_of("-" + digits);
    case 1:
      return bytes_of(digits + "." + digits);
    case 2:
      return bytes_of(digits + "e" + std::to_string(random.below(600)));
    case 3:
      return bytes_of(digits + digits + digits);
    case 4:
      return bytes_of(random.one_in(2) ? "nan" : "-inf");
    default:
      return bytes_of(digits);
  }
}

}  // namespace

Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

std::string text_of(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

std::uint64_t Random::interesting() {
  switch (below(5)) {
    case 0:
      return below(20);
    case 1:
      return (std::uint64_t{1} << below(64)) + below(3) - 1;
    case 2:
      return ~std::uint64_t{0} >> below(64);
    case 3:
      return ~below(20);
    default:
      return number() >> below(64);
  }
}

void mutate_bytes(Bytes& bytes, Random& random) {
  if (bytes.empty()) {
    bytes.push_back(static_cast<std::uint8_t>(random.number()));
    return;
  }
  const Piece piece = any_piece(bytes, random);
  switch (random.below(9)) {
    case 0:
      bytes[piece.from] ^= static_cast<std::uint8_t>(1U << random.below(8));
      break;
    case 1:
      bytes[piece.from] = static_cast<std::uint8_t>(random.number());
      break;
    case 2: {  // a number, in either byte order
      const std::uint64_t value = random.interesting();
      const std::size_t size = std::size_t{1} << random.below(4);
      const bool big = random.one_in(4);
      for (std::size_t i = 0; i < size && piece.from + i < bytes.size(); ++i) {
        const std::size_t place = big ? size - 1 - i : i;
        bytes[piece.from + i] = static_cast<std::uint8_t>(value >> (8 * place));
      }
      break;
    }
    case 3:
      bytes[piece.from] += static_cast<std::uint8_t>(random.below(9) - 4);
      break;
    case 4:
      erase(bytes, piece);
      break;
    case 5:
      insert(bytes, piece.from, copy(bytes, piece));
      break;
    case 6: {
      const Bytes moved = copy(bytes, piece);
      erase(bytes, piece);
      insert(bytes, random.below(bytes.size() + 1), moved);
      break;
    }
    case 7:
      std::fill(bytes.begin() + static_cast<Offset>(piece.from),
                bytes.begin() + static_cast<Offset>(piece.to), random.one_in(2) ? 0 : 0xff);
      break;
    default:
      bytes.resize(random.one_in(8) ? piece.from : bytes.size() - 1);
  }
}

void mutate_text(Bytes& bytes, Random& random, std::span<const std::string_view> words) {
  if (bytes.empty() && words.empty()) return mutate_bytes(bytes, random);
  const std::size_t at = random.below(bytes.size());
  const Piece word = word_at(bytes, at), line = line_at(bytes, at);
  switch (random.below(8)) {
    case 0:
      if (!words.empty()) insert(bytes, at, bytes_of(random.one_of(words)));
      break;
    case 1:
      if (!words.empty()) replace(bytes, word, bytes_of(random.one_of(words)));
      break;
    case 2:
      replace(bytes, word, number_text(random));
      break;
    case 3:
      erase(bytes, line);
      break;
    case 4: {
      const Bytes same = copy(bytes, line);
      insert(bytes, line_at(bytes, random.below(bytes.size())).from, same);
      break;
    }
    case 5: {  // many copies in a row, or nested in each other
      const Bytes same = copy(bytes, random.one_in(2) ? word : any_piece(bytes, random));
      for (std::size_t left = random.below(200); left > 0; --left) {
        insert(bytes, std::min(at, bytes.size()), same);
      }
      break;
    }
    case 6: {
      const std::string_view some = " \t\n\r\0\"'\\#:;,()[]{}<>&*?%+-=/|\x7f\x80\xff\xc3";
      insert(bytes, at, bytes_of(some.substr(random.below(some.size()), 1)));
      break;
    }
    default:
      mutate_bytes(bytes, random);
  }
}

}  // namespace latecomer::fuzz
