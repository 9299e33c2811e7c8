// SPDX-License-Identifier: BSD-3-Clause
// Lists are gathered first and written as planes at the end.
#include "analyzer/view/html/pack.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace latecomer::view {
namespace {

template <typename T>
void put_planes(std::vector<std::byte>& out, const std::vector<T>& numbers) {
  for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
    for (const T number : numbers) out.push_back(std::byte((number >> (8 * byte)) & 0xff));
  }
}

struct Rounded {
  std::uint16_t digits, exponent;  // two's complement
};

//   1.0 = 16384 x 2^-14, -3 = -24576 x 2^-13
Rounded rounded(double value) {
  if (std::isnan(value)) return {0, 0x7fff};  // 0 x infinity
  constexpr int kBits = 15;
  int exponent = 0;
  double digits = std::round(std::frexp(value, &exponent) * (1 << kBits));
  if (std::abs(digits) == (1 << kBits)) {  // rounded up to the next power of two
    digits /= 2;
    ++exponent;
  }
  return {static_cast<std::uint16_t>(static_cast<std::int16_t>(digits)),
          static_cast<std::uint16_t>(static_cast<std::int16_t>(value == 0 ? 0 : exponent - kBits))};
}

std::size_t count_of(const OwnRow& row) {
  return static_cast<std::size_t>(
      std::count_if(row.values.begin(), row.values.end(), [](double v) { return v != 0; }));
}

}  // namespace

std::size_t count_values(std::span<const OwnRow> rows) {
  std::size_t count = 0;
  for (const auto& row : rows) count += count_of(row);
  return count;
}

std::vector<std::byte> pack(std::span<const OwnRow> rows, std::size_t locations,
                            Precision precision) {
  std::vector<std::uint32_t> call_paths, counts, distances;
  std::vector<double> values;
  for (const auto& row : rows) {
    const std::size_t count = count_of(row);
    const bool all = 2 * count >= locations;  // a distance takes as much room as a zero, or more
    call_paths.push_back(row.call_path);
    counts.push_back(static_cast<std::uint32_t>(all ? locations : count));
    std::uint32_t next = 0;
    for (std::uint32_t i = 0; i < locations; ++i) {
      if (!all && row.values[i] == 0) continue;
      values.push_back(row.values[i]);
      if (all) continue;
      distances.push_back(i + 1 - next);
      next = i + 1;
    }
  }
  std::vector<std::byte> out = {std::byte(precision)};
  const auto number = static_cast<std::uint32_t>(rows.size());
  put_planes(out, std::vector<std::uint32_t>{number});
  put_planes(out, call_paths);
  put_planes(out, counts);
  put_planes(out, distances);
  if (precision == Precision::kExact) {
    std::vector<std::uint64_t> bits;
    for (const double value : values) bits.push_back(std::bit_cast<std::uint64_t>(value));
    put_planes(out, bits);
  } else {
    std::vector<std::uint16_t> digits, exponents;
    for (const double value : values) {
      const auto code = rounded(value);
      digits.push_back(code.digits);
      exponents.push_back(code.exponent);
    }
    put_planes(out, digits);
    put_planes(out, exponents);
  }
  return out;
}

}  // namespace latecomer::view
