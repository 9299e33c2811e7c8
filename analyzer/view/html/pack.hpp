// SPDX-License-Identifier: BSD-3-Clause
// Values of a metric as bytes that compress well; analyzer/view/html/page/unpack.js reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/view/html/own_values.hpp"

namespace latecomer::view {

enum class Precision : std::uint8_t {
  kExact = 0,    // doubles
  kRounded = 1,  // 16 bits for the digits: off by at most 1/32768, so 4 digits are right
};

// Little endian; numbers of n bytes stand as n planes: first bytes of all, second bytes of all, ...
// since equal bytes side by side are what compresses.
//
//   1 byte      precision
//   4 bytes     R, number of rows
//   4 R bytes   call paths of the rows (planes)
//   4 R bytes   number of values of each row (planes): as many as locations, or those not zero
//   4 S bytes   for the rows with fewer values than locations: distance of each column to the one
//               before it in its row, of the first to -1 (planes)
//   values      of all rows: 8 bytes (planes), or digits (2 bytes, planes; with sign) and exponent
//               of two (2 bytes, planes; with sign): value = digits x 2^exponent; what is not a
//               number is 0 x 2^32767
[[nodiscard]] std::vector<std::byte> pack(std::span<const OwnRow> rows, std::size_t locations,
                                          Precision precision);

// Values other than zero, also those that are not numbers.
[[nodiscard]] std::size_t count_values(std::span<const OwnRow> rows);

}  // namespace latecomer::view
