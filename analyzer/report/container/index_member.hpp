// SPDX-License-Identifier: BSD-3-Clause
// Builds the member N.index, which lists the rows that a report stores for metric N.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace latecomer::report {

// The sparse form of an index, little endian, with the numbers of the rows present.
inline std::string index_member(std::span<const std::uint32_t> row_numbers) {
  std::string out = "CUBEX.INDEX";
  const auto put = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xff);
  };
  put(1, 4);  // byte order mark
  put(0, 2);  // version
  put(1, 1);  // sparse
  put(row_numbers.size(), 4);
  for (const auto number : row_numbers) put(number, 4);
  return out;
}

}  // namespace latecomer::report
