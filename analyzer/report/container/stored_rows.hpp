// SPDX-License-Identifier: BSD-3-Clause
// Reads the rows of a metric: N.index lists the rows that N.data holds. Numbers are unaligned and
// in the byte order of the index.
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

// Reads unaligned numbers of a given byte order.
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

// An element type that is a single number.
struct ValueType {
  std::size_t size = 0;
  double (*read)(const NumberReader&, BytesView) = nullptr;
  bool extremum = false;
};
// Returns nothing if an element of this type is several numbers.
[[nodiscard]] std::optional<ValueType> value_type(std::string_view word);

// The rows of a metric, as N.index lists them.
struct Index {
  NumberReader number;
  std::vector<std::uint32_t> rows;  // row number of the k-th stored row
};
// Returns nothing if the index is damaged.
[[nodiscard]] std::optional<Index> read_index(BytesView bytes, std::size_t call_paths);

// The bytes of stored rows, plain or compressed.
class RowSource {
 public:
  // Returns false if the data is damaged. For has() alone, `data` may be the begin of the member,
  // with the whole table of compressed rows. `size` is the size of the whole member.
  bool open(BytesView data, std::uint64_t size, const NumberReader& number, std::size_t row_size);
  // Number of bytes that open() needs for has(), computed from the first kHead bytes of the data.
  static constexpr std::size_t kHead = 19;
  [[nodiscard]] static std::uint64_t bytes_for_table(BytesView head, const NumberReader& number);

  // Number of bytes that open() needs for row(). A member may be longer, even without taking room
  // on the disk.
  [[nodiscard]] static std::uint64_t bytes_for_rows(BytesView head, std::uint64_t rows,
                                                    std::size_t row_size);

  // True if the file holds the k-th stored row.
  [[nodiscard]] bool has(std::size_t k) const;
  // The k-th stored row; empty if the file does not hold it, nothing if it is damaged.
  std::optional<BytesView> row(std::size_t k);

 private:
  // Place of a compressed row: `start` in the uncompressed values, the rest in data_.
  struct Compressed {
    std::uint64_t start, offset, length;
  };
  [[nodiscard]] const Compressed* find(std::size_t k) const;

  std::size_t row_size_ = 0;
  bool zipped_ = false;
  BytesView data_;          // bytes after the marker, or after the table
  std::uint64_t size_ = 0;  // full size of these bytes in the file
  std::vector<Compressed> table_;
  std::vector<std::byte> buffer_;
};

}  // namespace latecomer::report
