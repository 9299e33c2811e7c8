// SPDX-License-Identifier: BSD-3-Clause
// Multiplicative hashing, for the hash tables of the measurement library and of the analyzer.
#pragma once

#include <cstdint>

namespace latecomer {

// 2^64 divided by the golden ratio. A product with it spreads neighboring keys over all values, and
// its upper bits are the best ones (Knuth, The Art of Computer Programming, volume 3, section 6.4).
inline constexpr std::uint64_t kGoldenRatio = 0x9e3779b97f4a7c15;

constexpr std::uint64_t spread(std::uint64_t key) { return key * kGoldenRatio; }

// Slot of a key in a table of 2^bits slots; `bits` is 1 to 63.
constexpr std::uint64_t slot_in_table(std::uint64_t key, unsigned bits) {
  return spread(key) >> (64 - bits);
}

// Hash of a sequence to which `part` is added.
constexpr std::uint64_t hash_with(std::uint64_t hash, std::uint64_t part) {
  hash = spread(hash ^ part);
  return hash ^ hash >> 29;
}

}  // namespace latecomer
