// SPDX-License-Identifier: BSD-3-Clause
// Decodes the members N.index and N.data, which hold the values of metric N.
#include "analyzer/report/container/stored_rows.hpp"

#include <initializer_list>

#include "analyzer/report/container/inflate.hpp"

namespace latecomer::report {
namespace {

constexpr std::string_view kPlain = "CUBEX.DATA", kZipped = "ZCUBEX.DATA";
constexpr std::size_t kEntry = 24;  // bytes per row in the table of compressed rows

template <typename T>
ValueType type_of() {
  return {sizeof(T), [](const NumberReader& number, BytesView from) {
            return static_cast<double>(number.get<T>(from));
          }};
}

ValueType extremum() {
  auto type = type_of<double>();
  type.extremum = true;
  return type;
}

bool starts_with(BytesView bytes, std::string_view marker) {
  return bytes.size() >= marker.size() &&
         std::memcmp(bytes.data(), marker.data(), marker.size()) == 0;
}

}  // namespace

std::optional<ValueType> value_type(std::string_view word) {
  const auto any = [&](std::initializer_list<std::string_view> words) {
    return std::find(words.begin(), words.end(), word) != words.end();
  };
  if (any({"MINDOUBLE", "MAXDOUBLE"})) return extremum();
  if (any({"UINT64", "UNSIGNED INTEGER"})) return type_of<std::uint64_t>();
  if (any({"INT64", "INTEGER", "SIGNED INTEGER"})) return type_of<std::int64_t>();
  if (any({"UINT32", "UNSIGNED INT"})) return type_of<std::uint32_t>();
  if (any({"INT32", "INT", "SIGNED INT"})) return type_of<std::int32_t>();
  if (any({"UINT16", "UNSIGNED SHORT INT", "SHORT UNSIGNED INT"})) return type_of<std::uint16_t>();
  if (any({"INT16", "SHORT INT", "SIGNED SHORT INT"})) return type_of<std::int16_t>();
  if (any({"UINT8", "CHAR"})) return type_of<std::uint8_t>();
  if (any({"INT8"})) return type_of<std::int8_t>();
  const bool compound = any({"COMPLEX", "RATE", "TAU_ATOMIC", "SCALE_FUNC"}) ||
                        word.starts_with("HISTOGRAM") || word.starts_with("NDOUBLES");
  if (compound) return std::nullopt;
  return type_of<double>();  // DOUBLE, FLOAT, and types that CUBE does not know either
}

std::optional<Index> read_index(BytesView bytes, std::size_t call_paths) {
  // Bytes 0 to 10 are the marker, 11 to 14 the byte order mark (1), 15 and 16 the version, 17 the
  // form. In the sparse form the number of rows follows, then their row numbers.
  constexpr std::uint8_t kSparse = 1, kDense = 3;
  if (bytes.size() < 18 || !starts_with(bytes, "CUBEX.INDEX")) return std::nullopt;
  Index index;
  index.number = NumberReader(NumberReader().get<std::uint32_t>(bytes.subspan(11)) != 1);
  if (index.number.get<std::uint32_t>(bytes.subspan(11)) != 1) return std::nullopt;
  const auto form = index.number.get<std::uint8_t>(bytes.subspan(17));
  if (form == kDense) {
    for (std::uint32_t row = 0; row < call_paths; ++row) index.rows.push_back(row);
    return index;
  }
  if (form != kSparse || bytes.size() < 22) return std::nullopt;
  const std::size_t count = index.number.get<std::uint32_t>(bytes.subspan(18));
  if (count > (bytes.size() - 22) / 4) return std::nullopt;
  for (std::size_t k = 0; k < count; ++k) {
    const auto row = index.number.get<std::uint32_t>(bytes.subspan(22 + 4 * k));
    if (!index.rows.empty() && row <= index.rows.back()) return std::nullopt;
    index.rows.push_back(row);
  }
  return index;
}

std::uint64_t RowSource::bytes_for_table(BytesView head, const NumberReader& number) {
  if (!starts_with(head, kZipped) || head.size() < kHead) return kPlain.size();
  const auto count = number.get<std::uint64_t>(head.subspan(kZipped.size()));
  return count > (UINT64_MAX - kHead) / kEntry ? UINT64_MAX : kHead + count * kEntry;
}

std::uint64_t RowSource::bytes_for_rows(BytesView head, std::uint64_t rows, std::size_t row_size) {
  return starts_with(head, kZipped) ? UINT64_MAX : kPlain.size() + rows * row_size;
}

bool RowSource::open(BytesView data, std::uint64_t size, const NumberReader& number,
                     std::size_t row_size) {
  row_size_ = row_size;
  if (starts_with(data, kPlain)) {
    data_ = data.subspan(kPlain.size());
    size_ = size - kPlain.size();
    return true;
  }
  if (!starts_with(data, kZipped)) return false;
  const auto table = bytes_for_table(data, number);
  if (data.size() < kHead || table > data.size()) return false;
  data_ = data.subspan(table);
  size_ = size - table;
  // An entry of the table: start of the row in the uncompressed values, offset and length of its
  // compressed bytes.
  for (auto entry = data.first(table).subspan(kHead); !entry.empty();
       entry = entry.subspan(kEntry)) {
    const auto start = number.get<std::uint64_t>(entry);
    const auto offset = number.get<std::uint64_t>(entry.subspan(8));
    const auto length = number.get<std::uint64_t>(entry.subspan(16));
    if (offset > size_ || length > size_ - offset) return false;
    table_.push_back({start, offset, length});
  }
  // Rows have compressed bytes of their own. Otherwise a few bytes could be any number of rows.
  std::sort(table_.begin(), table_.end(),
            [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::uint64_t end = 0;
  for (const auto& entry : table_) {
    if (entry.offset < end) return false;
    end = entry.offset + entry.length;
  }
  std::stable_sort(table_.begin(), table_.end(),
                   [](const auto& a, const auto& b) { return a.start < b.start; });
  zipped_ = true;
  return true;
}

const RowSource::Compressed* RowSource::find(std::size_t k) const {
  // Compressed rows are found by their start, because they may be stored in any order.
  const std::uint64_t start = std::uint64_t{k} * row_size_;
  const auto found =
      std::lower_bound(table_.begin(), table_.end(), start,
                       [](const auto& entry, std::uint64_t s) { return entry.start < s; });
  return found == table_.end() || found->start != start ? nullptr : &*found;
}

bool RowSource::has(std::size_t k) const {
  return zipped_ ? find(k) != nullptr : (std::uint64_t{k} + 1) * row_size_ <= size_;
}

std::optional<BytesView> RowSource::row(std::size_t k) {
  if (!has(k)) return BytesView{};
  if (!zipped_) return data_.subspan(k * row_size_, row_size_);
  const auto* entry = find(k);
  auto bytes = inflate_bytes(data_.subspan(entry->offset, entry->length), row_size_);
  if (!bytes || bytes->size() != row_size_) return std::nullopt;
  buffer_ = std::move(*bytes);
  return BytesView(buffer_);
}

}  // namespace latecomer::report
