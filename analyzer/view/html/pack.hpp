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
  kRounded = 1,  // four decimal digits, and the sum of each row
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
//   values      exact: doubles of all rows (planes)
//               rounded: sums of the rows, R doubles (planes); of all values, which are the digits
//               1000 to 9999 x 10^exponent: low = (digits - 1000) mod 250 (1 byte), high =
//               (digits - 1000) / 250 (1 byte), and 2 x (exponent + 400) + (1 if negative), 0 of
//               zero, 65535 of what is not a number (2 bytes, planes)
//
// Rounded, a value of noise takes 8 + 5.2 bits and those of its decade, and zlib finds no less.
[[nodiscard]] std::vector<std::byte> pack(std::span<const OwnRow> rows, std::size_t locations,
                                          Precision precision);

// Whether few values are there again and again, so that exact ones take little room.
[[nodiscard]] bool repeats(std::span<const OwnRow> rows);

// Values other than zero, also those that are not numbers.
[[nodiscard]] std::size_t count_values(std::span<const OwnRow> rows);

}  // namespace latecomer::view
