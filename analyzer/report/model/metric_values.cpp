// SPDX-License-Identifier: BSD-3-Clause
// Reads the rows of a metric, which are numbered in the order of the file, into values by call
// path.
#include "analyzer/report/model/metric_values.hpp"

#include <cfloat>
#include <cmath>

#include "analyzer/report/container/stored_rows.hpp"
#include "analyzer/report/model/tree_order.hpp"

namespace latecomer::report {
namespace {

TreeOrder call_tree(const Definitions& definitions) {
  std::vector<std::uint32_t> parents;
  for (const auto& call_path : definitions.call_paths) parents.push_back(call_path.parent);
  return TreeOrder(parents);
}

// Subtracts the values of the children. Parents come first, so the children are still inclusive
// when their values are subtracted.
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
  if (slot_.empty()) slot_.assign(call_paths_, kNone);
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
  const auto index = read_index(*index_bytes, d.call_paths.size());
  if (!index) return damaged(tar.file(), stored.member + ".index (metric " + name + ")");
  const std::string data_member = stored.member + ".data";
  const std::size_t row_size = type->size * d.locations.size();
  const auto head = tar.read(data_member, RowSource::kHead);
  if (!head) return head.problem();
  const auto data =
      tar.read(data_member, RowSource::bytes_for_rows(*head, index->rows.size(), row_size));
  if (!data) return data.problem();
  RowSource source;
  if (!source.open(*data, data->size(), index->number, row_size)) {
    return damaged(tar.file(), stored.member + ".data (metric " + name + ")");
  }
  std::vector<std::uint32_t> wide;
  if (stored.kind == StoredMetric::Kind::kInclusive) wide = call_tree(d).wide();
  for (std::size_t k = 0; k < index->rows.size(); ++k) {
    // CUBE ignores rows of call paths that do not exist.
    if (index->rows[k] >= d.call_paths.size()) break;
    const auto bytes = source.row(k);
    if (!bytes) return damaged(tar.file(), stored.member + ".data (metric " + name + ")");
    if (bytes->empty()) continue;
    const auto row = values.make_row(wide.empty() ? index->rows[k] : wide[index->rows[k]]);
    for (std::size_t i = 0; i < row.size(); ++i) {
      row[i] = type->read(index->number, bytes->subspan(i * type->size));
      if (type->extremum && std::abs(row[i]) == DBL_MAX) {
        row[i] = kNothingSeen;
      } else if (!is_value(row[i])) {
        return damaged(tar.file(),
                       "metric " + name + " holds values that are not numbers, or too large");
      }
    }
  }
  // Minima and maxima stay as they are: the difference of two maxima is not a maximum.
  if (stored.kind == StoredMetric::Kind::kInclusive && !type->extremum) make_exclusive(values, d);
  return values;
}

}  // namespace latecomer::report
