// SPDX-License-Identifier: BSD-3-Clause
// Packs values: collects lists first and writes them as planes at the end.
#include "analyzer/view/html/pack.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <numeric>
#include <set>

namespace latecomer::view {
namespace {

// Appends numbers as planes: the lowest bytes of all, then the second bytes of all, and so on.
template <typename T>
void put_planes(std::vector<std::byte>& out, const std::vector<T>& numbers) {
  for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
    for (const T number : numbers) out.push_back(std::byte((number >> (8 * byte)) & 0xff));
  }
}

// A rounded value in the three parts that pack.hpp describes.
struct Rounded {
  std::uint8_t low = 0, high = 0;
  std::uint16_t rest = 0;
};

//   1.0 = 1000 x 10^-3: 0, 0, 2 x 397; -9.9996 = -1000 x 10^-2: 0, 0, 2 x 398 + 1
Rounded rounded(double value) {
  if (std::isnan(value)) return {0, 0, 0xffff};
  if (value == 0 || std::isinf(value)) return {};
  // The text is e.g. "1.235e-05": the digits that people see. Halves are rounded up, as in
  // JavaScript; only counts can be exact halves.
  const double size = std::abs(value);
  const double up = std::floor(size) == size ? std::nextafter(size, HUGE_VAL) : size;
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.begin(), text.end(), up, std::chars_format::scientific, 3).ptr;
  int digits = text[0] - '0', exponent = 0;
  for (const std::size_t i : {2U, 3U, 4U}) digits = 10 * digits + (text[i] - '0');
  const char* const sign = text.data() + 6;
  std::from_chars(*sign == '+' ? sign + 1 : sign, end, exponent);
  return {static_cast<std::uint8_t>((digits - 1000) % 250),
          static_cast<std::uint8_t>((digits - 1000) / 250),
          static_cast<std::uint16_t>(2 * (exponent - 3 + 400) + (value < 0 ? 1 : 0))};
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

bool repeats(std::span<const OwnRow> rows) {
  constexpr std::size_t kTimes = 16;
  std::set<std::uint64_t> different;
  std::size_t count = 0;
  for (const auto& row : rows) count += count_of(row);
  for (const auto& row : rows) {
    for (const double value : row.values) {
      different.insert(std::bit_cast<std::uint64_t>(value));
      if (kTimes * different.size() > count) return false;
    }
  }
  return true;
}

std::vector<std::byte> pack(std::span<const OwnRow> rows, std::size_t locations,
                            Precision precision) {
  std::vector<std::uint32_t> call_paths, counts, distances;
  std::vector<double> values;
  for (const auto& row : rows) {
    const std::size_t count = count_of(row);
    // True: store zeros, too, because distances would take at least as much room.
    const bool all = 2 * count >= locations;
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
    std::vector<std::uint64_t> sums;
    for (const auto& row : rows) {
      sums.push_back(
          std::bit_cast<std::uint64_t>(std::accumulate(row.values.begin(), row.values.end(), 0.0)));
    }
    std::vector<std::uint8_t> low, high;
    std::vector<std::uint16_t> rest;
    for (const double value : values) {
      const auto code = rounded(value);
      low.push_back(code.low);
      high.push_back(code.high);
      rest.push_back(code.rest);
    }
    put_planes(out, sums);
    put_planes(out, low);
    put_planes(out, high);
    put_planes(out, rest);
  }
  return out;
}

}  // namespace latecomer::view
