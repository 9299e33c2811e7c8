// SPDX-License-Identifier: BSD-3-Clause
// N.index says which rows N.data holds; numbers are unaligned and in the byte order of the index.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace latecomer::report {

using BytesView = std::span<const std::byte>;

// Unaligned numbers of a given byte order.
class NumberReader {
 public:
  explicit NumberReader(bool swap = false) : swap_(swap) {}
  template <typename T>
  [[nodiscard]] T get(BytesView from) const {
    std::byte copy[sizeof(T)];
    std::memcpy(copy, from.data(), sizeof(T));
    if (swap_) std::reverse(copy, copy + sizeof(T));
    T value;
    std::memcpy(&value, copy, sizeof(T));
    return value;
  }

 private:
  bool swap_;
};

// Element types that are one number.
struct ValueType {
  std::size_t size = 0;
  double (*read)(const NumberReader&, BytesView) = nullptr;
  bool extremum = false;
};
// Nothing: its elements are several numbers each.
[[nodiscard]] std::optional<ValueType> value_type(std::string_view word);

struct Index {
  NumberReader number;
  std::vector<std::uint32_t> rows;  // row number of the k-th stored row
};
// Nothing: damaged.
[[nodiscard]] std::optional<Index> read_index(BytesView bytes, std::size_t call_paths);

// The bytes of stored rows, plain or compressed.
class RowSource {
 public:
  // False: damaged. What `data` begins with is enough for has(), if `size` bytes follow in all and
  // it has the table of compressed rows.
  bool open(BytesView data, std::uint64_t size, const NumberReader& number, std::size_t row_size);
  // Bytes that open() needs at least for has(), by the first kHead bytes of the data.
  static constexpr std::size_t kHead = 19;
  [[nodiscard]] static std::uint64_t bytes_for_table(BytesView head, const NumberReader& number);

  // Whether the file holds the k-th stored row.
  [[nodiscard]] bool has(std::size_t k) const;
  // The k-th stored row; empty if the file does not hold it. Nothing: damaged.
  std::optional<BytesView> row(std::size_t k);

 private:
  struct Compressed {
    std::uint64_t start, offset, length;
  };
  [[nodiscard]] const Compressed* find(std::size_t k) const;

  std::size_t row_size_ = 0;
  bool zipped_ = false;
  BytesView data_;          // behind the marker, or behind the table
  std::uint64_t size_ = 0;  // of that in the file
  std::vector<Compressed> table_;
  std::vector<std::byte> buffer_;
};

}  // namespace latecomer::report
