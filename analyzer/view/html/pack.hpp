// SPDX-License-Identifier: BSD-3-Clause
// Packs the values of a metric into bytes that compress well. analyzer/view/html/page/unpack.js
// reads them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "analyzer/view/html/own_values.hpp"

namespace latecomer::view {

// Form of the packed values.
enum class Precision : std::uint8_t {
  kExact = 0,    // doubles
  kRounded = 1,  // four decimal digits, and the sum of each row
};

// Packs rows. Numbers are little endian. Numbers of n bytes are stored as n planes: the first bytes
// of all, the second bytes of all, and so on. Equal bytes side by side compress well.
//
//   1 byte      precision
//   4 bytes     R, number of rows
//   4 R bytes   call paths of the rows (planes)
//   4 R bytes   number of values of each row (planes): the number of locations, or of non-zeros
//   4 S bytes   rows with fewer values than locations: distance of each column from the previous
//               one in its row, of the first one from -1 (planes)
//   values      exact: doubles of all rows (planes)
//               rounded: sums of the rows, R doubles (planes); then, of all values, which are
//               the digits 1000 to 9999 x 10^exponent: low = (digits - 1000) mod 250 (1 byte),
//               high = (digits - 1000) / 250 (1 byte), and 2 x (exponent + 400) + (1 if
//               negative), 0 for zero, 65535 for NaN (2 bytes, planes)
//
// A rounded value of noise takes 8 + 5.2 bits plus those of its decade; zlib finds no shorter form.
[[nodiscard]] std::vector<std::byte> pack(std::span<const OwnRow> rows, std::size_t locations,
                                          Precision precision);

// True if few different values occur again and again, so that exact ones need little room.
[[nodiscard]] bool repeats(std::span<const OwnRow> rows);

// Number of values other than zero, including NaN.
[[nodiscard]] std::size_t count_values(std::span<const OwnRow> rows);

}  // namespace latecomer::view
