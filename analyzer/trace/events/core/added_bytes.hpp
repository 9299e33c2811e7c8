// SPDX-License-Identifier: BSD-3-Clause
// Sums of bytes that a damaged trace cannot overflow.
#pragma once

#include <cstdint>

namespace latecomer::trace {

// Adds bytes; the sum is limited to the largest number.
inline std::int64_t added_bytes(std::int64_t sum, std::uint64_t more) {
  const auto room = static_cast<std::uint64_t>(INT64_MAX - sum);
  return more > room ? INT64_MAX : sum + static_cast<std::int64_t>(more);
}

}  // namespace latecomer::trace
