// SPDX-License-Identifier: BSD-3-Clause
// Shares of integers, rounded once.
#pragma once

#include <cstdint>

namespace latecomer::memory {

__extension__ using Wide = __int128;

// a / b to the nearest integer, halves away from zero; b > 0. Most values fit into 64 bits, where a
// division is much cheaper.
[[nodiscard]] constexpr Wide rounded_division(Wide a, std::int64_t b) {
  const Wide sum = a < 0 ? a - b / 2 : a + b / 2;
  const auto narrow = static_cast<std::int64_t>(sum);
  return narrow == sum ? Wide{narrow / b} : sum / b;
}

// a * b / c to the nearest integer, halves away from zero; c > 0.
[[nodiscard]] constexpr std::int64_t rounded_ratio(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0, sum = 0;
  if (!__builtin_mul_overflow(a, b, &product) &&
      !__builtin_add_overflow(product, product < 0 ? -(c / 2) : c / 2, &sum)) [[likely]] {
    return sum / c;
  }
  return static_cast<std::int64_t>(rounded_division(static_cast<Wide>(a) * b, c));
}

}  // namespace latecomer::memory
