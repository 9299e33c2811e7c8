// SPDX-License-Identifier: BSD-3-Clause
// N.index says which rows N.data holds; numbers are unaligned and in the byte order of the index.
#include "analyzer/report/metric_values.hpp"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>

#include "analyzer/report/inflate.hpp"
#include "analyzer/report/tree_order.hpp"

namespace latecomer::report {
namespace {

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
  return type_of<double>();  // DOUBLE, FLOAT, and what CUBE does not know either
}

bool starts_with(BytesView bytes, std::string_view marker) {
  return bytes.size() >= marker.size() &&
         std::memcmp(bytes.data(), marker.data(), marker.size()) == 0;
}

struct Index {
  NumberReader number;
  std::vector<std::uint32_t> rows;  // row number of the k-th stored row
};

std::optional<Index> read_index(BytesView bytes, std::size_t call_paths) {
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

// The bytes of stored rows, plain or compressed.
class RowSource {
 public:
  // False: damaged.
  bool open(BytesView data, const NumberReader& number, std::size_t row_size) {
    row_size_ = row_size;
    if (starts_with(data, "CUBEX.DATA")) {
      plain_ = data.subspan(10);
      return true;
    }
    if (!starts_with(data, "ZCUBEX.DATA") || data.size() < 19) return false;
    const auto count = number.get<std::uint64_t>(data.subspan(11));
    data = data.subspan(19);
    if (count > data.size() / 24) return false;
    const auto streams = data.subspan(count * 24);
    for (std::uint64_t k = 0; k < count; ++k, data = data.subspan(24)) {
      const auto start = number.get<std::uint64_t>(data);
      const auto offset = number.get<std::uint64_t>(data.subspan(8));
      const auto length = number.get<std::uint64_t>(data.subspan(16));
      if (offset > streams.size() || length > streams.size() - offset) return false;
      compressed_.push_back({start, streams.subspan(offset, length)});
    }
    std::stable_sort(compressed_.begin(), compressed_.end(),
                     [](const auto& a, const auto& b) { return a.start < b.start; });
    zipped_ = true;
    return true;
  }

  // The k-th stored row; empty if the file does not hold it. Nothing: damaged.
  std::optional<BytesView> row(std::size_t k) {
    const std::uint64_t start = std::uint64_t{k} * row_size_;
    if (!zipped_) {
      if (start + row_size_ > plain_.size()) return BytesView{};
      return plain_.subspan(start, row_size_);
    }
    const auto found =
        std::lower_bound(compressed_.begin(), compressed_.end(), start,
                         [](const auto& entry, std::uint64_t s) { return entry.start < s; });
    if (found == compressed_.end() || found->start != start) return BytesView{};
    auto bytes = inflate_bytes(found->stream, row_size_);
    if (!bytes || bytes->size() != row_size_) return std::nullopt;
    buffer_ = std::move(*bytes);
    return BytesView(buffer_);
  }

 private:
  struct Compressed {
    std::uint64_t start;
    BytesView stream;
  };
  std::size_t row_size_ = 0;
  bool zipped_ = false;
  BytesView plain_;
  std::vector<Compressed> compressed_;
  std::vector<std::byte> buffer_;
};

TreeOrder call_tree(const Definitions& definitions) {
  std::vector<std::uint32_t> parents;
  for (const auto& call_path : definitions.call_paths) parents.push_back(call_path.parent);
  return TreeOrder(parents);
}

// Own value minus those of the children, which still are inclusive when their parent's turn comes.
void make_exclusive(MetricValues& values, const Definitions& definitions) {
  const auto tree = call_tree(definitions);
  for (std::uint32_t c = 0; c < definitions.call_paths.size(); ++c) {
    for (const auto child : tree.children(c)) {
      if (values.row(child).empty()) continue;
      const auto own = values.make_row(c);
      const auto below = values.row(child);
      for (std::size_t i = 0; i < own.size(); ++i) own[i] -= below[i];
    }
  }
}

}  // namespace

std::span<double> MetricValues::make_row(std::uint32_t call_path) {
  if (slot_[call_path] == kNone) {
    slot_[call_path] = columns_ == 0 ? 0 : static_cast<std::uint32_t>(values_.size() / columns_);
    values_.resize(values_.size() + columns_);
  }
  return std::span(values_).subspan(slot_[call_path] * columns_, columns_);
}

Result<MetricValues> read_values(const TarReader& tar, const Anchor& anchor, std::uint32_t metric) {
  const auto& d = anchor.definitions;
  const auto& stored = anchor.metrics[metric];
  const std::string& name = d.metrics[metric].name;
  MetricValues values(d.call_paths.size(), d.locations.size());
  const bool present = tar.has(stored.member + ".index") && tar.has(stored.member + ".data");
  if (!present || stored.kind == StoredMetric::Kind::kDerived) return values;

  const auto type = value_type(stored.dtype);
  if (!type) {
    return Problem{tar.file() + ": metric " + name + " has values of type " + stored.dtype +
                       ", which are not one number each",
                   "look at this metric with the CUBE tools"};
  }
  const auto index_bytes = tar.read(stored.member + ".index");
  if (!index_bytes) return index_bytes.problem();
  const auto data = tar.read(stored.member + ".data");
  if (!data) return data.problem();
  const auto index = read_index(*index_bytes, d.call_paths.size());
  if (!index) return damaged(tar.file(), stored.member + ".index (metric " + name + ")");
  RowSource source;
  if (!source.open(*data, index->number, type->size * d.locations.size())) {
    return damaged(tar.file(), stored.member + ".data (metric " + name + ")");
  }
  std::vector<std::uint32_t> wide;
  if (stored.kind == StoredMetric::Kind::kInclusive) wide = call_tree(d).wide();
  for (std::size_t k = 0; k < index->rows.size(); ++k) {
    if (index->rows[k] >= d.call_paths.size()) break;
    const auto bytes = source.row(k);
    if (!bytes) return damaged(tar.file(), stored.member + ".data (metric " + name + ")");
    if (bytes->empty()) continue;
    const auto row = values.make_row(wide.empty() ? index->rows[k] : wide[index->rows[k]]);
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = type->read(index->number, bytes->subspan(i * type->size));
      if (!std::isfinite(row[i])) {
        return damaged(tar.file(), "metric " + name + " holds values that are not numbers");
      }
      if (type->extremum && std::abs(row[i]) == DBL_MAX) row[i] = kNothingSeen;
    }
  }
  // A maximum less another one is no maximum.
  if (stored.kind == StoredMetric::Kind::kInclusive && !type->extremum) make_exclusive(values, d);
  return values;
}

}  // namespace latecomer::report
